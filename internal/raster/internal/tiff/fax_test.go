package tiff

import (
	"bytes"
	"fmt"
	"io"
	"math/bits"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"golang.org/x/image/ccitt"

	"segscan/internal/raster/internal/tifftest"
)

// faxWriter encodes rows of 0 (white) and 1 (black), by the book: ITU-T T.4 and T.6.
type faxWriter struct{ code strings.Builder }

func (f *faxWriter) bits(s string) { f.code.WriteString(s) }

func (f *faxWriter) align(n int) {
	for f.code.Len()%n != 0 {
		f.bits("0")
	}
}

func (f *faxWriter) bytes(lsb bool) []byte {
	f.align(8)
	s := f.code.String()
	var out []byte
	for i := 0; i < len(s); i += 8 {
		var b byte
		for _, c := range s[i : i+8] {
			b = b<<1 | byte(c-'0')
		}
		if lsb {
			b = bits.Reverse8(b)
		}
		out = append(out, b)
	}
	return out
}

var runCodes = sync.OnceValue(func() [4][]string {
	return [4][]string{strings.Fields(whiteTerms), strings.Fields(whiteMakeUp + " " + sharedMakeUp),
		strings.Fields(blackTerms), strings.Fields(blackMakeUp + " " + sharedMakeUp)}
})

func (f *faxWriter) run(n int, black bool) {
	c := runCodes()
	terms, makeUp := c[0], c[1]
	if black {
		terms, makeUp = c[2], c[3]
	}
	for n > 2560+63 {
		f.bits(makeUp[39])
		n -= 2560
	}
	if n >= 64 {
		f.bits(makeUp[n/64-1])
	}
	f.bits(terms[n%64])
}

func (f *faxWriter) rowOneDim(row []byte) {
	color := byte(0)
	for x := 0; x < len(row); {
		n := x
		for n < len(row) && row[n] == color {
			n++
		}
		f.run(n-x, color == 1)
		x, color = n, 1-color
	}
}

// at is the colour of position x of a row, white before it.
func at(row []byte, x int) byte {
	if x < 0 || row == nil {
		return 0
	}
	return row[x]
}

// nextChange is the first position right of x whose colour differs from the one before it.
func nextChange(row []byte, x, w int) int {
	for x++; x < w; x++ {
		if at(row, x) != at(row, x-1) {
			return x
		}
	}
	return w
}

func (f *faxWriter) rowTwoDim(row, ref []byte) {
	w := len(row)
	a0, color := -1, byte(0)
	for a0 < w {
		a1 := max(a0, 0)
		for a1 < w && row[a1] == color {
			a1++
		}
		b1 := nextChange(ref, a0, w)
		if b1 < w && at(ref, b1) == color {
			b1 = nextChange(ref, b1, w)
		}
		b2 := nextChange(ref, b1, w)
		switch d := a1 - b1; {
		case b2 < a1:
			f.bits("0001")
			a0 = b2
		case d >= -3 && d <= 3:
			f.bits(map[int]string{0: "1", 1: "011", 2: "000011", 3: "0000011", -1: "010", -2: "000010", -3: "0000010"}[d])
			a0, color = a1, 1-color
		default:
			a2 := a1
			for a2 < w && row[a2] != color {
				a2++
			}
			f.bits("001")
			f.run(a1-max(a0, 0), color == 1)
			f.run(a2-a1, color == 0)
			a0 = a2
		}
	}
}

const eol = "000000000001"

// encodeFax writes rows in one of the modes. fill puts end-of-line codes on byte ends.
func encodeFax(rows [][]byte, mode faxMode, fill, lsb bool) []byte {
	f := &faxWriter{}
	end := func() {
		if fill {
			for (f.code.Len()+12)%8 != 0 {
				f.bits("0")
			}
		}
		f.bits(eol)
	}
	var ref []byte
	for y, row := range rows {
		switch mode {
		case faxRLE:
			f.align(8)
			f.rowOneDim(row)
		case faxRLEW:
			f.align(16)
			f.rowOneDim(row)
		case fax3Rows:
			end()
			f.rowOneDim(row)
		case fax3Mixed:
			end()
			if y%4 == 0 {
				f.bits("1")
				f.rowOneDim(row)
			} else {
				f.bits("0")
				f.rowTwoDim(row, ref)
			}
		case fax4:
			f.rowTwoDim(row, ref)
		}
		ref = row
	}
	switch mode {
	case fax4:
		f.bits(eol + eol)
	case fax3Rows:
		f.bits(strings.Repeat(eol, 6))
	case fax3Mixed:
		f.bits(strings.Repeat(eol+"1", 6))
	}
	return f.bytes(lsb)
}

// faxRows draws runs of every kind of length, each row near the one above or far from it.
func faxRows(rng *rand.Rand, w, h int) [][]byte {
	rows := make([][]byte, h)
	for y := range rows {
		rows[y] = make([]byte, w)
		switch {
		case y > 0 && rng.IntN(3) > 0:
			for x := range rows[y] { // moved sideways a little, with a few changes
				rows[y][x] = rows[y-1][min(max(x+rng.IntN(9)/8, 0), w-1)]
			}
			if rng.IntN(2) == 0 {
				rows[y][rng.IntN(w)] ^= 1
			}
		default:
			c, scale := byte(rng.IntN(2)), 1<<rng.IntN(13)
			for x := 0; x < w; c ^= 1 {
				for n := 1 + rng.IntN(scale); n > 0 && x < w; n-- {
					rows[y][x], x = c, x+1
				}
			}
		}
	}
	return rows
}

// TestFax decodes what the encoder wrote, in all forms, and holds golang.org/x/image/ccitt against both where it can
// read.
func TestFax(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for i := range 300 {
		w, h := 1+rng.IntN(70), 1+rng.IntN(12)
		if i%10 == 0 {
			w = 1 + rng.IntN(9000)
		}
		rows := faxRows(rng, w, h)
		var want []byte
		for _, row := range rows {
			v := make([]uint64, w)
			for x := range row {
				v[x] = uint64(row[x])
			}
			want = append(want, pack(nil, 1, v...)...)
		}
		for _, mode := range []faxMode{faxRLE, faxRLEW, fax3Rows, fax3Mixed, fax4} {
			fill, lsb := rng.IntN(2) == 0, rng.IntN(2) == 0
			name := fmt.Sprintf("case %d: %d x %d mode %d fill %v lsb %v", i, w, h, mode, fill, lsb)
			data := encodeFax(rows, mode, fill, lsb)
			got := make([]byte, len(want))
			if _, err := io.ReadFull(newFax(bytes.NewReader(data), mode, w, lsb), got); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: rows differ", name)
			}
			if mode != fax4 && (mode != fax3Rows || fill) {
				continue
			}
			order, sub := ccitt.MSB, ccitt.Group4
			if lsb {
				order = ccitt.LSB
			}
			if mode == fax3Rows {
				sub = ccitt.Group3
			}
			other, err := io.ReadAll(ccitt.NewReader(bytes.NewReader(data), order, sub, w, h, &ccitt.Options{Invert: true}))
			if err != nil {
				t.Fatalf("%s: x/image: %v", name, err)
			}
			for y := range h { // bits behind the row's end may differ
				stride := (w + 7) / 8
				for x := range w {
					k := y*stride + x/8
					if (other[k]^got[k])>>(7-x%8)&1 != 0 {
						t.Fatalf("%s: pixel %d,%d differs from x/image", name, x, y)
					}
				}
			}
		}
	}
}

// TestFaxPages reads fax data through the page, from black and from white: fax data has 0 for white whatever the
// photometric says, and the photometric then says what 0 is.
func TestFaxPages(t *testing.T) {
	rows := faxRows(rand.New(rand.NewPCG(5, 6)), 33, 9)
	modes := map[faxMode][3]int{faxRLE: {2, 292, 0}, faxRLEW: {32771, 292, 0}, fax3Rows: {3, 292, 0}, fax3Mixed: {3, 292, 1}, fax4: {4, 293, 0}}
	for mode, tags := range modes {
		for photo := range 2 {
			for _, lsb := range []bool{false, true} {
				var chunks [][]byte
				for y := 0; y < 9; y += 4 {
					chunks = append(chunks, encodeFax(rows[y:min(y+4, 9)], mode, false, lsb))
				}
				fill := 1
				if lsb {
					fill = 2
				}
				p := onePage(t, tifftest.Page{Tags: map[uint16]any{256: 33, 257: 9, 258: 1, 259: tags[0], 262: photo, 266: fill,
					278: 4, uint16(tags[1]): tags[2]}, Chunks: chunks})
				var want []float64
				for _, row := range rows {
					for _, v := range row {
						want = append(want, float64(255*(int(v)^(1-photo))))
					}
				}
				checkSamples(t, fmt.Sprintf("mode %d photometric %d lsb %v", mode, photo, lsb), readAll(t, p), want)
			}
		}
	}
}

// TestFaxDamage ends in an error, or, where the data says that it ends, in white rows and a warning.
func TestFaxDamage(t *testing.T) {
	rows := faxRows(rand.New(rand.NewPCG(7, 8)), 40, 8)
	page := func(data []byte, comp int) *Page {
		return onePage(t, tifftest.Page{Tags: map[uint16]any{256: 40, 257: 8, 258: 1, 259: comp, 262: 0, 278: 8}, Chunks: [][]byte{data}})
	}
	for comp, mode := range map[int]faxMode{4: fax4, 3: fax3Rows} {
		short := encodeFax(rows[:5], mode, false, false)
		p := page(short, comp)
		got := readAll(t, p)
		for i, v := range got[5*40:] {
			if v != 255 {
				t.Fatalf("mode %d: sample %d after the end is %v, want white", mode, i, v)
			}
		}
		if w := p.f.Warnings(); len(w) != 1 || !strings.Contains(w[0], "ends early") {
			t.Errorf("mode %d: warnings %q", mode, w)
		}
		cut := encodeFax(rows, mode, false, false)
		if _, err := read(page(cut[:len(cut)/2], comp), 0, 0, 40, 8, 8); err == nil {
			t.Errorf("mode %d: data cut in half is read without an error", mode)
		}
	}
}
