package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// TestColourGuess: what a guess is sure of is what the definition says, above all near the bounds.
func TestColourGuess(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 14))
	sure, all := 0, 0
	for range 300 {
		spec, err := Parse(askColours(rng, segment.U16, 65535).spec)
		if err != nil {
			t.Fatal(err)
		}
		bound, _, err := spec.Bind(&segment.PageInfo{Type: segment.U16, ColourMax: 65535}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := bound.(*colourClassifier)
		if !ok {
			continue
		}
		at := [3]float64{65535 * rng.Float64(), 65535 * rng.Float64(), 65535 * rng.Float64()}
		for range 2000 {
			var v [3]float32
			for i := range v {
				at[i] = min(max(0, at[i]+400*rng.NormFloat64()), 65535)
				v[i] = float32(math.Round(at[i]))
			}
			var out [64]segment.Class
			c.rule.guess(&colourBlock{[64]float32{v[0]}, [64]float32{v[1]}, [64]float32{v[2]}}, 1, &out)
			class := out[0]
			all++
			if class == colourUnsure {
				continue
			}
			sure++
			if want := c.rule.class(float64(v[0]), float64(v[1]), float64(v[2])); class != want {
				t.Fatalf("%s: %v is guessed to be %d, and is %d", spec, v, class, want)
			}
		}
	}
	if sure < all/2 || sure == all {
		t.Errorf("%d of %d guesses are sure", sure, all)
	}
}

// TestColourUniform: boxes of colours that are said to be of one class are.
func TestColourUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	sure, all := 0, 0
	for range 400 {
		spec, err := Parse(askColours(rng, segment.U8, 255).spec)
		if err != nil {
			t.Fatal(err)
		}
		bound, _, err := spec.Bind(&segment.PageInfo{Type: segment.U8, ColourMax: 255}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		c, ok := bound.(*colourClassifier)
		if !ok {
			continue
		}
		for range 100 {
			var least, most [3]float32
			size := []int{8, 30}[rng.IntN(2)]
			dark := 1 + 255*rng.IntN(2)/(1+rng.IntN(8))
			for i := range least {
				least[i] = float32(rng.IntN(min(256-size, dark)))
				most[i] = least[i] + float32(rng.IntN(size))
			}
			want := c.rule.uniform(least, most)
			all++
			if want == colourUnsure {
				continue
			}
			sure++
			for k := range 40 {
				var v [3]float64
				for i := range v {
					v[i] = float64(least[i]) + float64(rng.IntN(1+int(most[i]-least[i])))
					if k < 8 { // a corner
						v[i] = float64([2]float32{least[i], most[i]}[k>>i&1])
					}
				}
				if got := c.rule.class(v[0], v[1], v[2]); got != want {
					t.Fatalf("%s: all of %v to %v are said to be %d, and %v is %d", spec, least, most, want, v, got)
				}
			}
		}
	}
	if sure < all/4 || sure == all {
		t.Errorf("%d of %d boxes are of one class", sure, all)
	}
}

// TestLabSpan: the least and the largest of a box are where span looks for them.
func TestLabSpan(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 1))
	guesses := newLabGuess()
	for range 20_000 {
		var least, most [3]float32
		size, reach := rng.Float32(), rng.Float32()
		for i := range least {
			least[i] = reach * rng.Float32()
			most[i] = min(1, least[i]+size*rng.Float32())
		}
		from, to := guesses.span(least, most, 1)
		for range 10 {
			var v [3]float64
			for i := range v {
				v[i] = float64(least[i]) + float64(most[i]-least[i])*rng.Float64()
			}
			c := labOf(v[0], v[1], v[2])
			for i, x := range [3]float64{c.l, c.a, c.b} {
				if e := [3]float64{labError.l, labError.a, labError.b}[i]; x < float64(from[i])-e || x > float64(to[i])+e {
					t.Fatalf("channel %d of %v is %v, and of %v to %v it is %v to %v", i, v, x, least, most, from[i], to[i])
				}
			}
		}
	}
}
