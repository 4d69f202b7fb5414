package deflate

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

	kflate "github.com/klauspost/compress/flate"
)

// decode is what two decoders make of a whole stream.
func decode(t testing.TB, z []byte) []byte {
	t.Helper()
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(z)))
	if err != nil {
		t.Fatalf("compress/flate: %v", err)
	}
	second, err := io.ReadAll(kflate.NewReader(bytes.NewReader(z)))
	if err != nil {
		t.Fatalf("klauspost/compress/flate: %v", err)
	}
	if !bytes.Equal(got, second) {
		t.Fatal("the two decoders differ")
	}
	return got
}

// kinds of bytes: repetitions near and far, and every sort of statistics.
func kinds(r *rand.Rand, n int) map[string][]byte {
	noise, few, skewed, rows, far := make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n), make([]byte, n)
	changing := make([]byte, n)
	for i := range n {
		noise[i] = byte(r.Uint32())
		few[i] = "abc"[r.IntN(3)]
		skewed[i] = byte(min(255, r.ExpFloat64()*9))
		switch rows[i] = byte(r.IntN(20)); {
		case i%97 < 40 && i >= 3:
			rows[i] = rows[i-3]
		case i%97 < 80 && i >= 301:
			rows[i] = rows[i-301]
		}
		if far[i] = byte(r.Uint32()); i >= maxDistance && i%300 < 250 {
			far[i] = far[i-maxDistance]
		}
		changing[i] = byte(r.IntN(1 + i>>13%256))
	}
	return map[string][]byte{"zeros": make([]byte, n), "noise": noise, "few": few, "skewed": skewed, "rows": rows, "far": far, "changing": changing}
}

// way is one of those an encoder has.
type way struct {
	name string
	run  func(e *Encoder, b []byte, final bool)
}

func ways() []way {
	all := []way{{"literals", (*Encoder).Literals}}
	for _, d := range [][2]int{{1, 1}, {1, 5}, {3, 301}, {4, maxDistance}, {1, maxDistance + 1}, {maxDistance, maxDistance}} {
		all = append(all, way{fmt.Sprint("matches at ", d), func(e *Encoder, b []byte, final bool) { e.Matches(b, 0, d[0], d[1], final) }})
	}
	return all
}

// Every stream decodes to what it was made of, whatever was encoded before, and bytes before it stay.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e Encoder
	before := []byte("before")
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 100, 1000, 32767, 32768, 40000, 65535, 65536, 65537, matchBlock, matchBlock + 1, 600000} {
		for name, b := range kinds(r, n) {
			for _, w := range ways() {
				dst := append(make([]byte, 0, 6+r.IntN(1+n)), before...)
				e.Reset(dst)
				w.run(&e, b, true)
				out := e.Bytes()
				if !bytes.HasPrefix(out, before) {
					t.Fatalf("%s, %s, %d bytes: what was there is gone", name, w.name, n)
				}
				z := out[len(before):]
				if !bytes.Equal(decode(t, z), b) {
					t.Fatalf("%s, %s, %d bytes: other bytes", name, w.name, n)
				}
				if most := n + 5*(n/storedLimit+n/literalBlock+2); len(z) > most {
					t.Errorf("%s, %s: %d bytes take %d", name, w.name, n, len(z))
				}
				var fresh Encoder
				fresh.Reset(nil)
				w.run(&fresh, b, true)
				if !bytes.Equal(fresh.Bytes(), z) {
					t.Fatalf("%s, %s, %d bytes: a new encoder writes other bytes", name, w.name, n)
				}
			}
		}
	}
}

// Runs that end on a byte, one after another, are one stream, as are several calls for one run.
func TestRunsJoin(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	all := ways()
	for range 60 {
		var want, z []byte
		runs := 1 + r.IntN(6)
		for k := range runs {
			var e Encoder
			e.Reset(z)
			list := kinds(r, r.IntN(3000)>>r.IntN(12))
			for range r.IntN(3) {
				b := list["rows"]
				all[r.IntN(len(all))].run(&e, b, false)
				want = append(want, b...)
			}
			last := list["few"]
			if k == runs-1 {
				e.Literals(last, true)
				want = append(want, last...)
			} else {
				e.Sync()
			}
			z = e.Bytes()
		}
		if !bytes.Equal(decode(t, z), want) {
			t.Fatalf("%d runs joined give other bytes", runs)
		}
	}
}

// Blocks that look back at bytes of the same run before them.
func TestMatchesLookBack(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	b := make([]byte, 100_000)
	for i := range b {
		if b[i] = byte(r.Uint32()); i >= 5000 {
			b[i] = b[i-5000]
		}
	}
	var e Encoder
	e.Reset(nil)
	for at := 0; at < len(b); at += 10_000 {
		e.Matches(b[:at+10_000], at, 1, 5000, at+10_000 == len(b))
	}
	if !bytes.Equal(decode(t, e.Bytes()), b) {
		t.Fatal("other bytes")
	}
	if n := len(e.Bytes()); n > 8000 {
		t.Errorf("repetitions of 5000 bytes take %d, so they were not found", n)
	}
}

// The farthest distance is used, and the one beyond is not.
func TestFarthestDistance(t *testing.T) {
	for distance, least := range map[int]int{maxDistance: 0, maxDistance + 1: 60_000} {
		r := rand.New(rand.NewPCG(7, 8))
		b := make([]byte, 2*distance)
		for i := range distance {
			b[i] = byte(r.Uint32())
		}
		copy(b[distance:], b[:distance])
		var e Encoder
		e.Reset(nil)
		e.Matches(b, 0, 1, distance, true)
		if !bytes.Equal(decode(t, e.Bytes()), b) {
			t.Fatal("other bytes")
		}
		n := len(e.Bytes())
		if n < least || least == 0 && n > 34_000 {
			t.Errorf("at a distance of %d: %d bytes", distance, n)
		}
	}
}

// More matches than a block may have, short and long ones.
func TestManyMatches(t *testing.T) {
	var b []byte
	for i := range 60_000 {
		b = append(b, byte(i), byte(i>>8), byte(i>>8), byte(i>>8), byte(i>>8), byte(i>>8))
		if i%1000 == 0 {
			b = append(b, make([]byte, i)...)
		}
	}
	var e Encoder
	e.Reset(nil)
	e.Matches(b, 0, 1, 1, true)
	if !bytes.Equal(decode(t, e.Bytes()), b) {
		t.Fatal("other bytes")
	}
}

// What is written is the same on every machine: these sums hold for the portable loops and for the assembly.
func TestBytesAreFixed(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	list := kinds(r, 200_000)
	var e Encoder
	e.Reset(nil)
	for _, name := range []string{"rows", "skewed", "changing", "noise", "zeros"} {
		e.Literals(list[name], false)
		e.Matches(list[name], 0, 3, 301, name == "zeros")
	}
	sum := sha256.Sum256(e.Bytes())
	const want = "84c3c58261c920c9"
	if got := hex.EncodeToString(sum[:8]); got != want {
		t.Errorf("%d bytes with the sum %s, want %s", len(e.Bytes()), got, want)
	}
}

func FuzzEncoder(f *testing.F) {
	r := rand.New(rand.NewPCG(11, 12))
	for name, b := range kinds(r, 700) {
		f.Add(b, uint8(len(name)), uint16(300), uint16(350))
	}
	f.Add([]byte{}, uint8(1), uint16(0), uint16(0))
	f.Fuzz(func(t *testing.T, b []byte, near uint8, far, cut uint16) {
		n, d, c := 1+int(near), 1+int(near)+int(far), int(cut)%(len(b)+1)
		var e Encoder
		e.Reset(nil)
		e.Literals(b[c:], false)
		e.Matches(b[:c], 0, n, d, false)
		e.Matches(b, c, n, d, false)
		e.Sync()
		first := len(e.Bytes())
		e.Reset(e.Bytes())
		e.Matches(b, 0, d, n, true)
		if first == 0 {
			t.Fatal("nothing was written")
		}
		want := append(append(bytes.Clone(b[c:]), b...), b...)
		if !bytes.Equal(decode(t, e.Bytes()), want) {
			t.Fatal("other bytes")
		}
	})
}
