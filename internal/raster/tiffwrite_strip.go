package raster

import (
	"bytes"
	"encoding/binary"

	"github.com/hhrutter/lzw"
	"github.com/klauspost/compress/zstd"
)

// tiffWriterStrip is a run of rows that is compressed on its own.
type tiffWriterStrip struct {
	dir    *tiffWriterDir
	rowLen int
	level  int
	raw    []byte // packed rows
	rows   int

	out    bytes.Buffer
	line   []byte
	zip    writeDeflater
	probe  writeProbe
	zstd   *zstd.Encoder
	packed []byte // of Zstandard
}

func newTIFFWriterStrip(d *tiffWriterDir, rowLen, level int) *tiffWriterStrip {
	c := &tiffWriterStrip{dir: d, rowLen: rowLen, level: level, raw: make([]byte, 0, d.rows*rowLen)}
	if c.level == 0 {
		c.level = writeDefaultLevel
		if d.compression == TIFFZstd {
			c.level = 3 // its own default
		}
	}
	c.zip.level = c.level
	if d.predictor == tiffWriterPredictFloat || d.predictor == tiffWriterPredictHorizontal && d.format.bits == 8 {
		c.line = make([]byte, rowLen)
	}
	return c
}

func (c *tiffWriterStrip) addRow() []byte {
	at := c.rows * c.rowLen
	c.rows++
	c.raw = c.raw[:at+c.rowLen]
	return c.raw[at:]
}

// bytes are those of the compressed strip, valid until it is used again.
func (c *tiffWriterStrip) bytes() []byte {
	switch c.dir.compression {
	case TIFFNone:
		return c.raw
	case TIFFZstd:
		return c.packed
	}
	return c.out.Bytes()
}

func (c *tiffWriterStrip) compress() error {
	for y := range c.rows {
		c.predict(c.raw[y*c.rowLen : (y+1)*c.rowLen])
	}
	c.out.Reset()
	switch c.dir.compression {
	case TIFFDeflate:
		return c.deflate()
	case TIFFZstd:
		return c.zstandard()
	case TIFFLZW:
		return c.lzw()
	}
	return nil
}

// deflate writes a zlib stream: 32 KiB window, no dictionary, "fastest" as level hint.
func (c *tiffWriterStrip) deflate() error {
	c.out.Write([]byte{0x78, 0x01})
	if err := c.zip.deflate(&c.out, c.raw, c.mode(), true); err != nil {
		return err
	}
	c.out.Write(binary.BigEndian.AppendUint32(nil, writeAdler(c.raw)))
	return nil
}

// mode chooses by windows from all over the strip.
func (c *tiffWriterStrip) mode() writeDeflateMode {
	const runs, length = 8, 1 << 10
	c.probe.reset()
	if len(c.raw) <= runs*length {
		c.probe.add(c.raw)
	} else {
		var sample [runs * length]byte
		for i := range runs {
			at := (len(c.raw) - length) / (runs - 1) * i
			copy(sample[i*length:], c.raw[at:at+length])
		}
		c.probe.add(sample[:])
	}
	if match, huffman := c.probe.costs(); huffman < match {
		return writeDeflateHuffman
	}
	return writeDeflateMatch
}

func (c *tiffWriterStrip) zstandard() error {
	if c.zstd == nil {
		// One goroutine a strip: the strips are what runs side by side.
		z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithLowerEncoderMem(true),
			zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(c.level)))
		if err != nil {
			return err
		}
		c.zstd = z
	}
	c.packed = c.zstd.EncodeAll(c.raw, c.packed[:0])
	return nil
}

// lzw writes TIFF's form of LZW: high bit first, code lengths that grow one code early. klauspost/compress and
// x/image only read that form.
func (c *tiffWriterStrip) lzw() error {
	z := lzw.NewWriter(&c.out, true)
	if _, err := z.Write(c.raw); err != nil {
		return err
	}
	return z.Close()
}

// predict replaces the samples of a row by differences to the pixel on the left.
func (c *tiffWriterStrip) predict(row []byte) {
	f := &c.dir.format
	switch {
	case c.dir.predictor == tiffWriterPredictNone:
	case c.dir.predictor == tiffWriterPredictFloat:
		// The bytes of the samples are sorted by weight, highest first, before bytes are subtracted (Adobe Photoshop
		// TIFF Technical Note 3).
		n := len(row) / 4
		for i := range n {
			v := row[4*i : 4*i+4]
			c.line[i], c.line[n+i], c.line[2*n+i], c.line[3*n+i] = v[3], v[2], v[1], v[0]
		}
		pngWriterFilterRow(pngWriterFilterSub, row, c.line, c.line, 1)
	case f.bits == 8:
		copy(c.line, row)
		pngWriterFilterRow(pngWriterFilterSub, row, c.line, c.line, f.channels)
	case f.bits == 16:
		le := binary.LittleEndian
		for i := len(row) - 2; i >= 2*f.channels; i -= 2 {
			le.PutUint16(row[i:], le.Uint16(row[i:])-le.Uint16(row[i-2*f.channels:]))
		}
	case f.bits == 32:
		le := binary.LittleEndian
		for i := len(row) - 4; i >= 4*f.channels; i -= 4 {
			le.PutUint32(row[i:], le.Uint32(row[i:])-le.Uint32(row[i-4*f.channels:]))
		}
	}
}
