package inflate

import (
	"bytes"
	"compress/flate"
	"compress/zlib"
	"errors"
	"fmt"
	"hash/adler32"
	"io"
	"math/rand/v2"
	"testing"
	"testing/iotest"
)

func compress(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	w, err := zlib.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// kinds of data that reach every part of the decoder: long codes, long and short repetitions near and far, stored
// blocks.
func kinds(rnd *rand.Rand, n int) map[string][]byte {
	noise, few, skewed, runs, far := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
	for i := range n {
		noise[i] = byte(rnd.Uint32())
		few[i] = "abc"[rnd.IntN(3)]
		skewed[i] = byte(min(255, rnd.ExpFloat64()*9))
		if i%97 < 60 && i >= 3 {
			runs[i] = runs[i-1-i/97%3]
		} else {
			runs[i] = byte(rnd.Uint32())
		}
		if far[i] = byte(rnd.Uint32()); i >= 32768 && i%300 < 250 {
			far[i] = far[i-32768]
		}
	}
	return map[string][]byte{"zeros": make([]byte, n), "noise": noise, "few": few, "skewed": skewed, "runs": runs, "far": far}
}

func TestReaderEqualsStandardLibrary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 3, 100, 1000, 32767, 32768, 65535, 98304, 98305, 300000} {
		for name, data := range kinds(rnd, n) {
			for _, level := range []int{flate.HuffmanOnly, 0, 1, 6, 9} {
				z := compress(t, data, level)
				for i, src := range []io.Reader{bytes.NewReader(z), iotest.HalfReader(bytes.NewReader(z)), iotest.DataErrReader(bytes.NewReader(z)), nil} {
					r := NewReader(src)
					if src == nil {
						r.ResetBytes(z)
					}
					got, err := io.ReadAll(r)
					if err != nil || !bytes.Equal(got, data) {
						t.Fatalf("%s, %d bytes, level %d, source %d: %v, equal %v", name, n, level, i, err, bytes.Equal(got, data))
					}
					if rest, err := r.Rest(); rest != 0 || err != nil {
						t.Fatalf("%d bytes left over, %v", rest, err)
					}
				}
			}
		}
	}
}

// The input may come in pieces of any size, and be read in pieces of any size.
func TestReaderPieces(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for name, data := range kinds(rnd, 150000) {
		z := compress(t, data, 6)
		r := NewReader(iotest.OneByteReader(bytes.NewReader(z)))
		var got []byte
		for {
			p := make([]byte, rnd.IntN(5000))
			n, err := r.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatal(name, err)
			}
		}
		if !bytes.Equal(got, data) {
			t.Fatalf("%s: differs", name)
		}
	}
}

func TestFull(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), 20000)
	r := NewReader(bytes.NewReader(compress(t, data, 6)))
	p := make([]byte, 150000)
	if err := r.Full(p); err != nil || !bytes.Equal(p, data[:len(p)]) {
		t.Fatal(err)
	}
	if err := r.Full(p); err != io.ErrUnexpectedEOF {
		t.Fatalf("beyond the end: %v", err)
	}
}

// Every truncation gives the bytes that are whole, none beyond, and io.ErrUnexpectedEOF.
func TestReaderTruncated(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	for name, data := range kinds(rnd, 1500) {
		for _, level := range []int{flate.HuffmanOnly, 0, 6} {
			z := compress(t, data, level)
			for cut := range z {
				got, err := io.ReadAll(NewReader(bytes.NewReader(z[:cut])))
				if err != io.ErrUnexpectedEOF || !bytes.HasPrefix(data, got) {
					t.Fatalf("%s level %d: %d of %d bytes: %v, prefix %v", name, level, cut, len(z), err, bytes.HasPrefix(data, got))
				}
			}
		}
	}
}

func TestReaderErrors(t *testing.T) {
	good := compress(t, []byte("hello hello hello hello"), 6)
	bad := func(i int, b byte) []byte {
		c := bytes.Clone(good)
		c[(i+len(c))%len(c)] ^= b
		return c
	}
	disk := errors.New("disk on fire")
	for _, c := range []struct {
		name string
		in   io.Reader
		want error
	}{
		{"method", bytes.NewReader(bad(0, 1)), ErrHeader},
		{"check bits", bytes.NewReader(bad(1, 1)), ErrHeader},
		{"dictionary", bytes.NewReader([]byte{0x78, 0xbb, 0, 0}), ErrHeader},
		{"checksum", bytes.NewReader(bad(-1, 1)), ErrChecksum},
		{"block", bytes.NewReader([]byte{0x78, 0x9c, 7}), ErrCorrupt},
		{"stored length", bytes.NewReader([]byte{0x78, 0x9c, 1, 1, 0, 0, 0, 9}), ErrCorrupt},
		{"read", io.MultiReader(bytes.NewReader(good[:9]), iotest.ErrReader(disk)), disk},
		{"stuck", iotest.ErrReader(nil), io.ErrNoProgress},
	} {
		if _, err := io.ReadAll(NewReader(c.in)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.name, err, c.want)
		}
	}
}

func TestRest(t *testing.T) {
	z := append(compress(t, make([]byte, 1000), 6), make([]byte, 123456)...)
	r := NewReader(bytes.NewReader(z))
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Rest(); n != 123456 || err != nil {
		t.Errorf("%d bytes left over, %v", n, err)
	}
	r.ResetBytes(z)
	if _, err := io.Copy(io.Discard, r); err != nil {
		t.Fatal(err)
	}
	if n, err := r.Rest(); n != 123456 || err != nil {
		t.Errorf("%d bytes left over, %v", n, err)
	}
}

func TestAdlerCombine(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	data := make([]byte, 200000)
	for i := range data {
		data[i] = 255 - byte(rnd.IntN(3))
	}
	for range 200 {
		n, cut := rnd.IntN(len(data)), 0
		if n > 0 {
			cut = rnd.IntN(n)
		}
		if got, want := adlerUpdate(adler32.Checksum(data[:cut]), data[cut:n]), adler32.Checksum(data[:n]); got != want {
			t.Fatalf("%d+%d: %08x, want %08x", cut, n-cut, got, want)
		}
	}
}

// FuzzInflate: a stream this package takes, compress/zlib takes with the same bytes, and the other way round.
func FuzzInflate(f *testing.F) {
	for _, data := range kinds(rand.New(rand.NewPCG(9, 9)), 700) {
		for _, level := range []int{flate.HuffmanOnly, 0, 6} {
			f.Add(compress(f, data, level)[2:])
		}
	}
	f.Fuzz(func(t *testing.T, deflate []byte) {
		const most = 1 << 20
		want, wantErr := io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflate)), most))
		z := append([]byte{0x78, 0x9c}, deflate...)
		r := NewReader(iotest.HalfReader(bytes.NewReader(z)))
		got, err := io.ReadAll(io.LimitReader(r, most))
		// What follows the data as checksum is random: it does not matter here.
		if errors.Is(err, ErrChecksum) || err == io.ErrUnexpectedEOF && r.state == stateTail {
			err = nil
		}
		if (err == nil) != (wantErr == nil) || err == nil && !bytes.Equal(got, want) {
			t.Fatalf("%d bytes, %v; compress/flate %d bytes, %v", len(got), err, len(want), wantErr)
		}
	})
}

func BenchmarkInflate(b *testing.B) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for name, data := range kinds(rnd, 4<<20) {
		z := compress(b, data, 6)
		b.Run(fmt.Sprintf("%s/this", name), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			r := NewReader(nil)
			for b.Loop() {
				r.ResetBytes(z)
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(fmt.Sprintf("%s/std", name), func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			for b.Loop() {
				r, err := zlib.NewReader(bytes.NewReader(z))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := io.Copy(io.Discard, r); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
