package tiff

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
)

// The sums held in registers are those held in memory, at all lengths around their strides.
func TestSums(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		size, step int
		sum        func([]byte)
	}{{1, 1, sum8}, {1, 3, sum8x3}, {1, 4, sum8x4}, {2, 1, sum16}, {2, 3, sum16x3}} {
		for pixels := range 70 {
			row := make([]byte, pixels*c.size*c.step)
			for i := range row {
				row[i] = byte(rnd.Uint32())
			}
			want := bytes.Clone(row)
			sumAny(want, c.size, c.step)
			if c.sum(row); !bytes.Equal(row, want) {
				t.Fatalf("%d bytes, step %d, %d pixels: got % x, want % x", c.size, c.step, pixels, row, want)
			}
		}
	}
}

func TestSwapBytes(t *testing.T) {
	for _, size := range []int{2, 4, 8} {
		for n := range 40 {
			b := make([]byte, n*size)
			want := make([]byte, n*size)
			for i := range b {
				b[i] = byte(i)
				want[i/size*size+size-1-i%size] = byte(i)
			}
			if swapBytes(b, size); !bytes.Equal(b, want) {
				t.Fatalf("%d samples of %d bytes: % x, want % x", n, size, b, want)
			}
		}
	}
}

// Words are read in either order, one after the other or with a step.
func TestWords(t *testing.T) {
	src := make([]byte, 2*21)
	for i := range src {
		src[i] = byte(i*7 + 1)
	}
	for _, big := range []bool{false, true} {
		var order binary.ByteOrder = binary.LittleEndian
		if big {
			order = binary.BigEndian
		}
		for _, step := range []int{1, 3} {
			dst := make([]uint16, 21*step)
			(&unpacker{big: big}).words(dst, step, src)
			for i := range 21 {
				if want := order.Uint16(src[2*i:]); dst[i*step] != want {
					t.Fatalf("big-endian %v, step %d: sample %d is %x, want %x", big, step, i, dst[i*step], want)
				}
			}
		}
	}
	(&unpacker{}).words(nil, 1, nil)
}
