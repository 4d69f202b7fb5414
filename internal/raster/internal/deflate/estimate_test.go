package deflate

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
)

func TestLog2(t *testing.T) {
	if log2(0) != 0 || log2(1) != 0 {
		t.Fatalf("got %d of 0 and %d of 1", log2(0), log2(1))
	}
	for v := uint32(2); v < 1<<31; v += 1 + v/200 {
		got, want := float64(log2(v))/(1<<log2Bits), math.Log2(float64(v))
		if math.Abs(got-want) > 0.01 {
			t.Fatalf("of %d: got %g, want %g", v, got, want)
		}
	}
}

// An estimate is near what encoding takes, in bytes without the codes: a sample of a hundred times as many is mostly
// not codes.
func TestEstimateIsNear(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for name, b := range kinds(r, 64<<10-1) {
		switch name {
		case "noise", "far":
			continue // stored
		case "few":
			continue // three symbols of a third each: entropy says 1.6 bits; with one that ends the block, it is two
		case "changing":
			continue // blocks have codes of their own
		}
		var guess Estimator
		var e Encoder
		e.Reset(nil)
		e.Literals(b, true)
		if got, want := guess.Literals(b)/8, len(e.Bytes()); got > want+want/100+20 || got < want-want/40-140 {
			t.Errorf("%s: literals are taken to be %d bytes and are %d", name, got, want)
		}
		e.Reset(nil)
		e.Matches(b, 0, 3, 301, true)
		want := len(e.Bytes())
		size, covered := guess.Rows(b, len(b), 0, 3, 301)
		if got := size / 8; got > want || got < want-want/40-140 {
			t.Errorf("%s: matches are taken to be %d bytes and are %d", name, got, want)
		}
		all, more := guess.All(b, len(b), 0, 3, 301)
		if covered > len(b) || more > len(b) || name == "zeros" && covered != len(b)-3 {
			t.Errorf("%s: matches of rows cover %d bytes, all %d, of %d", name, covered, more, len(b))
		}
		if all > size+size/5 {
			t.Errorf("%s: %d bits with all matches, %d with those of rows", name, all, size)
		}
	}
}

// Windows are looked at each on its own by Rows; All finds one in another.
func TestEstimateWindows(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tile := make([]byte, 400)
	for i := range tile {
		tile[i] = byte(r.Uint32())
	}
	b := bytes.Repeat(tile, 8)
	var guess Estimator
	if _, covered := guess.Rows(b, 400, 100, 1, 100); covered > 8 {
		t.Errorf("rows of noise are covered by %d bytes", covered)
	}
	if _, covered := guess.All(b, 400, 100, 1, 100); covered < 7*250 {
		t.Errorf("windows that repeat are covered by %d bytes of %d", covered, 7*300)
	}
	if size, covered := guess.Rows(b[:300], 400, 100, 1, 100); size != 0 || covered != 0 {
		t.Errorf("less than a window gives %d bits, %d bytes", size, covered)
	}
}
