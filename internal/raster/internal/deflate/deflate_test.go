package deflate

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"testing"
)

func decode(t testing.TB, z []byte) []byte {
	t.Helper()
	got, err := io.ReadAll(flate.NewReader(bytes.NewReader(z)))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestQuick(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var e Encoder
	for range 300 {
		n := r.IntN(100000) >> r.IntN(14)
		b := make([]byte, n)
		k := 1 + r.IntN(256)
		for i := range b {
			b[i] = byte(r.IntN(k))
			if i > 300 && r.IntN(100) > 50 {
				b[i] = b[i-300]
			}
		}
		e.Reset(nil)
		e.Literals(b, true)
		if !bytes.Equal(decode(t, e.Bytes()), b) {
			t.Fatal("literals")
		}
		e.Reset(nil)
		e.Matches(b, 0, 1+r.IntN(4), 1+r.IntN(400), true)
		if !bytes.Equal(decode(t, e.Bytes()), b) {
			t.Fatal("matches")
		}
	}
}
