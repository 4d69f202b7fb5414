package raster

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"image"
	"image/color"
	"math/rand/v2"
)

// pngChunk is one chunk with its CRC.
func pngChunk(name string, body []byte) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(body)))
	b = append(append(b, name...), body...)
	return binary.BigEndian.AppendUint32(b, crc32.ChecksumIEEE(b[4:]))
}

func pngHeader(w, h, depth, colour, interlace int) []byte {
	b := binary.BigEndian.AppendUint32(nil, uint32(w))
	b = binary.BigEndian.AppendUint32(b, uint32(h))
	return pngChunk("IHDR", append(b, byte(depth), byte(colour), 0, 0, byte(interlace)))
}

func deflated(b []byte) []byte {
	var z bytes.Buffer
	w := zlib.NewWriter(&z)
	w.Write(b)
	w.Close()
	return z.Bytes()
}

func pngFile(chunks ...[]byte) []byte {
	return append([]byte(pngSignature), bytes.Join(chunks, nil)...)
}

// pngKind is one of the kinds of PNG there are.
type pngKind struct {
	depth, colour, interlace int
	trns                     bool
}

func (k pngKind) String() string {
	return fmt.Sprintf("%s%d%s%s", map[int]string{0: "gray", 2: "rgb", 3: "palette", 4: "grayalpha", 6: "rgba"}[k.colour], k.depth,
		map[bool]string{true: "-trns"}[k.trns], map[int]string{1: "-adam7"}[k.interlace])
}

func (k pngKind) channels() int { return map[int]int{0: 1, 2: 3, 3: 1, 4: 2, 6: 4}[k.colour] }

// pngKinds are all of them.
func pngKinds() (all []pngKind) {
	for colour, depths := range map[int][]int{0: {1, 2, 4, 8, 16}, 2: {8, 16}, 3: {1, 2, 4, 8}, 4: {8, 16}, 6: {8, 16}} {
		for _, depth := range depths {
			for interlace := range 2 {
				all = append(all, pngKind{depth, colour, interlace, false})
				if colour < 4 {
					all = append(all, pngKind{depth, colour, interlace, true})
				}
			}
		}
	}
	return all
}

// filtered is image data of random bytes under random filters, which is valid for every kind.
func (k pngKind) filtered(rnd *rand.Rand, w, h int) []byte {
	passes := [][4]int{{0, 0, 1, 1}}
	if k.interlace == 1 {
		passes = [][4]int{{0, 0, 8, 8}, {4, 0, 8, 8}, {0, 4, 4, 8}, {2, 0, 4, 4}, {0, 2, 2, 4}, {1, 0, 2, 2}, {0, 1, 1, 2}}
	}
	var data []byte
	for _, p := range passes {
		pw, ph := (w-p[0]+p[2]-1)/p[2], (h-p[1]+p[3]-1)/p[3]
		if pw <= 0 || ph <= 0 {
			continue
		}
		for range ph {
			data = append(data, byte(rnd.IntN(5)))
			for range (pw*k.channels()*k.depth + 7) / 8 {
				data = append(data, byte(rnd.Uint32()))
			}
		}
	}
	return data
}

// make builds a file with random pixels and, for a palette, every entry there can be; the image data is cut into
// chunks of at most piece bytes.
func (k pngKind) make(rnd *rand.Rand, w, h, piece int) []byte {
	chunks := [][]byte{pngHeader(w, h, k.depth, k.colour, k.interlace)}
	random := func(n int) []byte {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rnd.Uint32())
		}
		return b
	}
	if k.colour == 3 {
		chunks = append(chunks, pngChunk("PLTE", random(3<<k.depth)))
	}
	if k.trns {
		n := map[int]int{0: 2, 2: 6, 3: 1<<k.depth - 1}[k.colour]
		b := random(n)
		if k.colour == 0 && k.depth < 16 {
			b[0], b[1] = 0, b[1]&(1<<k.depth-1) // a value that occurs
		}
		chunks = append(chunks, pngChunk("tRNS", b))
	}
	data := deflated(k.filtered(rnd, w, h))
	for len(data) > piece {
		chunks = append(chunks, pngChunk("IDAT", data[:piece]))
		data = data[piece:]
	}
	return pngFile(append(chunks, pngChunk("IDAT", data), pngChunk("IEND", nil))...)
}

// grayOf is the gray of an image by Go's own models: the reference for every reader.
func grayOf(m image.Image, deep bool) [][]float64 {
	return pixelsOf(m, func(c color.Color) float64 {
		if deep {
			return float64(color.Gray16Model.Convert(c).(color.Gray16).Y)
		}
		return float64(color.GrayModel.Convert(c).(color.Gray).Y)
	})
}

func pixelsOf(m image.Image, f func(color.Color) float64) [][]float64 {
	b := m.Bounds()
	lines := make([][]float64, b.Dy())
	for y := range lines {
		lines[y] = make([]float64, b.Dx())
		for x := range lines[y] {
			lines[y][x] = f(m.At(b.Min.X+x, b.Min.Y+y))
		}
	}
	return lines
}
