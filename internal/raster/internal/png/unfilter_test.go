package png

import (
	"bytes"
	"math/rand/v2"
	"testing"
)

// plainUnfilter is the specification's text (section 9.2), one byte at a time.
func plainUnfilter(f byte, cur, above []byte, bpp int) {
	for i := range cur {
		var a, b, c int
		if i >= bpp {
			a = int(cur[i-bpp])
		}
		if above != nil {
			b = int(above[i])
			if i >= bpp {
				c = int(above[i-bpp])
			}
		}
		distance := func(v int) int { return max(a+b-c-v, v-(a+b-c)) }
		switch f {
		case 1:
			cur[i] += byte(a)
		case 2:
			cur[i] += byte(b)
		case 3:
			cur[i] += byte((a + b) / 2)
		case 4:
			switch pa, pb, pc := distance(a), distance(b), distance(c); {
			case pa <= pb && pa <= pc:
				cur[i] += byte(a)
			case pb <= pc:
				cur[i] += byte(b)
			default:
				cur[i] += byte(c)
			}
		}
	}
}

// Every filter, pixel size and row length, with bytes after the row that must stay.
func TestUnfilterEqualsSpecification(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	checked := 0
	for f := range byte(5) {
		for _, bpp := range []int{1, 2, 3, 4, 6, 8} {
			for pixels := range 70 {
				for _, first := range []bool{false, true} {
					n := pixels * bpp
					whole, above := make([]byte, n+16), make([]byte, n)
					for i := range whole {
						whole[i] = byte(rnd.Uint32())
					}
					for i := range above {
						above[i] = byte(rnd.Uint32())
					}
					if first {
						above = nil
					}
					want := bytes.Clone(whole)
					plainUnfilter(f, want[:n], above, bpp)
					if !unfilter(f, whole[:n:n], above, bpp) || !bytes.Equal(whole, want) {
						t.Fatalf("filter %d, %d bytes a pixel, %d pixels, first row %v: differs", f, bpp, pixels, first)
					}
					checked++
				}
			}
		}
	}
	if checked != 5*6*70*2 {
		t.Errorf("%d rows checked", checked)
	}
	if unfilter(5, nil, nil, 1) {
		t.Error("filter 5 exists")
	}
}

// Paeth over all triples.
func TestPaeth(t *testing.T) {
	for a := range 256 {
		for b := range 256 {
			for _, c := range []int{0, 1, 17, 100, 127, 128, 200, 254, 255, a, b, a / 2, (a + b) / 2} {
				cur, above := []byte{byte(a), 0}, []byte{byte(c), byte(b)}
				plainUnfilter(4, cur[1:], above[1:], 1) // no byte to the left: predicts b
				if int(cur[1]) != b {
					t.Fatal("the reference is wrong")
				}
				full := []byte{byte(a - c), 0} // row whose first byte becomes a
				want := bytes.Clone(full)
				plainUnfilter(4, want, above, 1)
				if got := paeth(int32(a), int32(b), int32(c)); want[0] != byte(a) || byte(got) != want[1] {
					t.Fatalf("paeth(%d,%d,%d) = %d, want %d", a, b, c, got, want[1])
				}
			}
		}
	}
}

func BenchmarkUnfilter(b *testing.B) {
	cur, above := make([]byte, 3000), make([]byte, 3000)
	for i := range cur {
		cur[i], above[i] = byte(i*7), byte(i*i)
	}
	for _, c := range []struct {
		name string
		f    byte
		bpp  int
	}{{"sub1", 1, 1}, {"sub3", 1, 3}, {"up", 2, 1}, {"average1", 3, 1}, {"average3", 3, 3}, {"paeth1", 4, 1}, {"paeth3", 4, 3}, {"paeth4", 4, 4}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(cur)))
			for b.Loop() {
				unfilter(c.f, cur, above, c.bpp)
			}
		})
	}
}
