package kernels

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// What is refused, or warned of, leaves nothing to a class: random questions, and for each random colours, grays, and the
// corners of what there is.
func TestColoursLeftOver(t *testing.T) {
	rng := rand.New(rand.NewPCG(20, 26))
	page := &segment.PageInfo{Type: segment.U8, Max: 255, ColourMax: 255}
	effects := map[string]int{}
	defer func() { t.Log(effects) }()
	n := 1200
	if testing.Short() {
		n = 400
	}
	for range n {
		q := askAnyColours(rng, segment.U8, 255)
		never := map[segment.Class]string{}
		spec, err := Parse(q.spec)
		var usage *UsageError
		if errors.As(err, &usage) {
			never[segment.Activation] = usage.Msg
			effects["refused"]++
		} else if err != nil {
			t.Fatal(err)
		} else if _, r, err := spec.Bind(page, nil, Options{}); err != nil {
			t.Fatal(err)
		} else {
			for _, w := range r.Warnings {
				_, effect, _ := strings.Cut(w, warningEffect)
				effect, _, _ = strings.Cut(effect, ";")
				effects[effect]++
				switch effect {
				case "no sample is an activation":
					never[segment.Activation] = w
				case "no sample is a boundary":
					never[segment.Boundary] = w
				}
			}
			if r.Missing.Activation != "" {
				effects["missing"]++
			}
		}
		if len(never) == 0 {
			continue
		}
		for k := range 300 {
			v := [3]float64{float64(rng.IntN(256)), float64(rng.IntN(256)), float64(rng.IntN(256))}
			switch {
			case k < 8:
				v = [3]float64{255 * float64(k&1), 255 * float64(k>>1&1), 255 * float64(k>>2&1)}
			case k < 40:
				v[1], v[2] = v[0], v[0]
			}
			if why, wrong := never[q.class(0, v[0], v[1], v[2], Options{})]; wrong {
				t.Fatalf("%s: %v is of a class of which it says: %s", q.spec, v, why)
			}
		}
	}
	for what, least := range map[string]int{
		"refused": 1, "no sample is an activation": 1, "no sample is a boundary": 1, "hardly any sample is an activation": 1, "missing": 1,
	} {
		if effects[what] < least {
			t.Errorf("%q: %d times only", what, effects[what])
		}
	}
}
