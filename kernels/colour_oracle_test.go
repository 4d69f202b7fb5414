package kernels

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// colourQuestion is a spec, and the definition of its classes: does a colour lie in a side, the other one asked first
// where a side is the rest.
type colourQuestion struct {
	spec                 string
	activation, boundary func(r, g, b float64) bool // nil: the rest
}

// class is the definition, sample by sample.
func (q *colourQuestion) class(v, r, g, b float64, o Options) segment.Class {
	if math.IsNaN(v) {
		return o.NaN
	}
	isA := q.activation != nil && q.activation(r, g, b)
	isB := q.boundary != nil && q.boundary(r, g, b)
	c := segment.Other
	switch {
	case q.boundary == nil && !isA, isB:
		c = segment.Boundary
	case isA, q.activation == nil:
		c = segment.Activation
	}
	if o.Invert && c != segment.Other {
		c = 3 - c
	}
	return c
}

// askColours makes a random question about samples up to white that leaves something to activations.
func askColours(rng *rand.Rand, t segment.SampleType, white float64) *colourQuestion {
	for {
		q := askAnyColours(rng, t, white)
		var usage *UsageError
		if _, err := Parse(q.spec); !errors.As(err, &usage) { // TestColoursLeftOver looks at those
			return q
		}
	}
}

func askAnyColours(rng *rand.Rand, t segment.SampleType, white float64) *colourQuestion {
	q := &colourQuestion{}
	if rng.IntN(3) == 0 {
		return askDistance(rng, q, white)
	}
	space := []string{"rgb", "hsv", "lab"}[rng.IntN(3)]
	q.spec = "color:space=" + space
	only := rng.IntN(4) // 0: no boundary, 1: no activation
	if only != 1 {
		var text string
		text, q.activation = askSide(rng, space, t, white)
		q.spec += ",activation=" + text
	}
	if only != 0 {
		var text string
		text, q.boundary = askSide(rng, space, t, white)
		q.spec += ",boundary=" + text
	}
	if t == segment.F32 && space != "rgb" && white != 1 {
		q.spec += fmt.Sprintf(",white=%v", white)
	}
	return q
}

func askSide(rng *rand.Rand, space string, t segment.SampleType, white float64) (string, func(r, g, b float64) bool) {
	names, text := map[string]string{"rgb": "rgb", "hsv": "hsv", "lab": "lab"}[space], ""
	var tests []func(v [3]float64) bool
	for i := range 3 {
		if rng.IntN(5) < 2 && (i < 2 || text != "") {
			continue
		}
		from, to := rng.Float64(), rng.Float64()
		if from > to && !(space == "hsv" && i == 0) {
			from, to = to, from
		}
		scale, shift := white, 0.
		switch {
		case space == "hsv" && i == 0:
			scale = 360
		case space == "hsv":
			scale = 1
		case space == "lab" && i == 0:
			scale = 100
		case space == "lab":
			scale, shift = 120, -60
		}
		from, to = math.Round(from*scale+shift), math.Round(to*scale+shift)+1
		if scale == 100 {
			to--
		}
		if space == "hsv" && i > 0 {
			from, to = math.Round(from*100)/200, math.Round(to*100)/200
		}
		if space == "hsv" && i == 0 {
			to = math.Mod(to, 360)
		}
		if text != "" {
			text += "+"
		}
		open := rng.IntN(4)
		lo, hi := fmt.Sprint(from), fmt.Sprint(to)
		if open == 0 {
			lo, from = "", math.Inf(-1)
		}
		if open == 1 {
			hi, to = "", math.Inf(1)
		}
		text += names[i:i+1] + ":" + lo + ".." + hi
		// Bounds are compared as the samples' type has them, float32 for the channels of hsv and lab.
		from, to = float64(float32(from)), float64(float32(to))
		around := space == "hsv" && i == 0
		tests = append(tests, func(v [3]float64) bool {
			switch {
			case around && open == 0:
				return v[i] >= 0 && v[i] <= to
			case around && open == 1:
				return v[i] >= from || v[i] == 0 // 360
			case around && from > to:
				return v[i] >= from || v[i] <= to
			}
			return v[i] >= from && v[i] <= to
		})
	}
	return text, func(r, g, b float64) bool {
		v := [3]float64{r, g, b}
		switch space {
		case "hsv":
			h, s, val := hsvOf(r, g, b, white)
			v = [3]float64{float64(h), float64(s), float64(val)}
		case "lab":
			c := labOf(fraction(r, white), fraction(g, white), fraction(b, white))
			v = [3]float64{float64(float32(c.l)), float64(float32(c.a)), float64(float32(c.b))}
		}
		for _, test := range tests {
			if !test(v) {
				return false
			}
		}
		return true
	}
}

func askDistance(rng *rand.Rand, q *colourQuestion, white float64) *colourQuestion {
	to := [3]int{rng.IntN(256), rng.IntN(256), rng.IntN(256)}
	near := float64(rng.IntN(40))
	far := near + 1 + float64(rng.IntN(40))
	q.spec = fmt.Sprintf("distance:to=#%02x%02x%02x,near=%v", to[0], to[1], to[2], near)
	rest := rng.IntN(3) == 0
	if !rest {
		q.spec += fmt.Sprintf(",far=%v", far)
	}
	metric := distance76
	if rng.IntN(2) == 0 {
		metric = distance2000
		q.spec += ",metric=ciede2000"
	}
	if white != math.MaxUint8 && white != math.MaxUint16 && white != 1 {
		q.spec += fmt.Sprintf(",white=%v", white)
	}
	p := labOf(float64(to[0])/255, float64(to[1])/255, float64(to[2])/255)
	d := func(r, g, b float64) float64 {
		return metric(p, labOf(fraction(r, white), fraction(g, white), fraction(b, white)))
	}
	q.activation = func(r, g, b float64) bool { return d(r, g, b) <= near }
	if !rest {
		q.boundary = func(r, g, b float64) bool { return d(r, g, b) >= far }
	}
	return q
}

// sampleOf reads sample s of line l of the body.
func sampleOf(b *segment.Band, p *segment.Plane, l, s int) float64 {
	at := (b.Before.Lines+l)*p.Stride + b.Before.Samples + s
	switch {
	case p.U8 != nil:
		return float64(p.U8[at])
	case p.U16 != nil:
		return float64(p.U16[at])
	}
	return float64(p.F32[at])
}

// differs compares a classifier's masks with the definition, and says where they are not the same.
func (q *colourQuestion) differs(b *segment.Band, m *segment.Masks, o Options) string {
	got := m.Classes()
	if len(got) != b.Lines*b.Samples {
		return fmt.Sprintf("%d classes of %d samples", len(got), b.Lines*b.Samples)
	}
	for l := range b.Lines {
		for s := range b.Samples {
			v, r, g, bb := sampleOf(b, &b.V, l, s), sampleOf(b, &b.C[0], l, s), sampleOf(b, &b.C[1], l, s), sampleOf(b, &b.C[2], l, s)
			if want := q.class(v, r, g, bb, o); got[l*b.Samples+s] != want {
				return fmt.Sprintf("line %d, sample %d: v %v, %v %v %v is %d, want %d", l, s, v, r, g, bb, got[l*b.Samples+s], want)
			}
		}
	}
	return ""
}

// TestColourOracle asks random questions of random colours of every type, in bands with halos, and in pieces.
func TestColourOracle(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 15))
	types := []segment.SampleType{segment.U8, segment.U16, segment.F32}
	var seen [3][3]int
	for n := range 600 {
		colour := types[rng.IntN(3)]
		sample := colour
		if rng.IntN(4) == 0 {
			sample = segment.F32 // as a hue is
		}
		white := []float64{255, 65535, 1}[colour]
		if colour == segment.F32 && rng.IntN(3) == 0 {
			white = 3
		}
		q := askColours(rng, colour, white)
		p := newExprPage(rng, sample, colour, segment.Axis(rng.IntN(2)), 1+rng.IntN(5), 1+rng.IntN(200))
		if colour != segment.F32 {
			p.info.ColourMax = white
		} else {
			p.info.ColourMin, p.info.ColourMax = math.NaN(), math.NaN()
			if rng.IntN(2) == 0 { // usual colours, rather than odd ones
				for i := range p.band.C {
					for k := range p.band.C[i].F32 {
						p.band.C[i].F32[k] = float32(white * rng.Float64() * 1.1)
					}
				}
			}
		}
		o := Options{Invert: rng.IntN(2) == 0, NaN: segment.Class(rng.IntN(3))}
		spec, err := Parse(q.spec)
		if err != nil {
			t.Fatalf("%s: %v", q.spec, err)
		}
		c, _, err := spec.Bind(&p.info, nil, o)
		if err != nil {
			t.Fatalf("%s: %v", q.spec, err)
		}
		var m segment.Masks
		if err := c.Classify(p.band, &m); err != nil {
			t.Fatalf("%s: %v", q.spec, err)
		}
		if d := q.differs(&p.band, &m, o); d != "" {
			t.Fatalf("question %d, %s, %s colours of %s, %+v: %s", n, q.spec, colour, sample, o, d)
		}
		for _, class := range m.Classes() {
			seen[colour][class]++
		}
		one := segment.Band{Page: &p.info, Lines: 1, Samples: p.band.Samples, V: p.band.Body()} // the last line alone, after others
		for i := range one.C {
			one.C[i] = p.band.C[i].Sub(p.band.Before.Lines+p.band.Lines-1, p.band.Before.Samples, 1, one.Samples)
		}
		one.V = one.V.Sub(p.band.Lines-1, 0, 1, one.Samples)
		if err := c.Classify(one, &m); err != nil {
			t.Fatal(err)
		}
		if d := q.differs(&one, &m, o); d != "" {
			t.Fatalf("question %d, %s, a line alone: %s", n, q.spec, d)
		}
	}
	for colour, counts := range seen {
		for class, count := range counts {
			if count < 1000 {
				t.Errorf("only %d samples of %s colours were of class %d", count, segment.SampleType(colour), class)
			}
		}
	}
}

// TestColourOracleNotices: the comparison is worth something.
func TestColourOracleNotices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
		q := askColours(rng, typ, []float64{255, 65535, 1}[typ])
		p := newExprPage(rng, typ, typ, segment.Rows, 3, 100)
		if typ == segment.F32 {
			p.info.ColourMin, p.info.ColourMax = math.NaN(), math.NaN()
		}
		spec, err := Parse(q.spec)
		if err != nil {
			t.Fatal(err)
		}
		c, _, err := spec.Bind(&p.info, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m segment.Masks
		if err := c.Classify(p.band, &m); err != nil {
			t.Fatal(err)
		}
		m.B[3] ^= 1 << 17
		if q.differs(&p.band, &m, Options{}) == "" {
			t.Errorf("%s: a class that is wrong goes unseen", q.spec)
		}
	}
}

// TestColourMemo: a share of all 8-bit colours, asked at once by several, are what they are one by one.
func TestColourMemo(t *testing.T) {
	spec, err := Parse("color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%")
	if err != nil {
		t.Fatal(err)
	}
	bound, _, err := spec.Bind(&segment.PageInfo{Type: segment.U8, ColourMax: 255}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	c := bound.(*colourClassifier)
	done := make(chan string)
	for worker := range 4 {
		go func() {
			b := segment.Band{Lines: 1, Samples: 1 << 16, V: segment.NewPlane(segment.U8, 1, 1<<16)}
			for i := range 3 {
				b.C[i] = segment.NewPlane(segment.U8, 1, 1<<16)
			}
			var m segment.Masks
			for n := range 16 {
				red := 16*n + 8*(worker/2) // two and two learn the same
				for k := range b.Samples {
					b.C[0].U8[k], b.C[1].U8[k], b.C[2].U8[k] = uint8(red), uint8(k>>8), uint8(k)
				}
				if err := c.Classify(b, &m); err != nil {
					done <- err.Error()
					return
				}
				for k, got := range m.Classes() {
					if want := c.rule.class(float64(red), float64(k>>8), float64(k&255)); got != want && k%7 == worker {
						done <- fmt.Sprintf("%d %d %d is %d, want %d", red, k>>8, k&255, got, want)
						return
					}
				}
			}
			done <- ""
		}()
	}
	for range 4 {
		if msg := <-done; msg != "" {
			t.Error(msg)
		}
	}
}
