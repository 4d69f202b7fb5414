package kernels

import (
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"segscan/segment"
)

// digestPage is a page whose samples depend on whole numbers alone, so that it is the same on every processor.
func digestPage(t segment.SampleType, gaps bool) *testPage {
	rng := rand.New(rand.NewPCG(7, 7))
	p := newTestPage(rng, segment.U8, 150, 90)
	p.info.Type = t
	for i := range p.px {
		level := float64(rng.IntN(1<<16)*(i%150)/150 + 300*(i%150)) // flat at the left
		switch t {
		case segment.U8:
			p.px[i] = math.Floor(level / 512)
		case segment.U16:
			p.info.Max = 65535
			p.px[i] = math.Floor(level * 0.5)
		default:
			p.info.Min, p.info.Max = math.NaN(), math.NaN()
			p.px[i] = float64(float32(level) / 777)
			if gaps && i%1001 == 0 {
				p.px[i] = math.NaN()
			}
		}
	}
	return p
}

// bindTo is bind without its checks.
func (p *testPage) bindTo(t *testing.T, spec string) segment.Classifier {
	t.Helper()
	s := mustParse(t, spec)
	c, _, err := s.Bind(&p.info, p.histogram(), Options{})
	if s, ok := s.(Surveyed); ok {
		var v Survey
		if v, err = s.Survey(&p.info); err != nil {
			t.Fatal(err)
		}
		if err = v.Add(p.band(segment.Rows, s.Needs().Needs, 0, p.h, 0, p.w)); err != nil {
			t.Fatal(err)
		}
		c, _, err = v.Bind(Options{})
	}
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestLocalSameEverywhere compares digests of classes with those of one machine: fused products, other orders of sums or
// other tables would change some sample that is close to its threshold.
func TestLocalSameEverywhere(t *testing.T) {
	want := map[string]string{
		"localmean":     "bc0f441117843e48 60bed724583ab8b9 42dbf32a1486712c d6449b9f48612cce",
		"localgaussian": "fe9a715c398c3efb 5d614ecc45726f6b 3b5b177d28b26ac2 63a389564639b5a9",
		"localmedian":   "aef42678718afae8 21cbbed7b1ac1a35 4a080389eb074dbd a84c5dcdc85364c7",
		"niblack":       "da0f0596db1f5b74 b10b78bc03ffaa80 542bb8843e8897cf c3f9930a85f0180c",
		"sauvola":       "193f3ede0decd230 e9aed549ffe8e4c6 e2ce1d68ad060af1 5d599b6e8e8f41e1",
		"wolf":          "f0719880c1b691b5 d24c15b2c3d4add0 b86c50d81d36e416 be258b394695afa3",
		"phansalkar":    "c9416e0681df9349 7e101c7bbb3cb743 8fd10718e61da95d 440e104b09b3f9b1",
		"bernsen":       "a2274dfefa390e5f 432cf5abeeff2eaf 35e80e7d9f4216ab 70d69089760e2067",
		"contrast":      "decfdd806f8dee9e 3278a11a0226074f 95628fbbb86111e3 4d72eeb83694f18f",
	}
	for _, k := range localKernels() {
		var got []string
		for i, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32, segment.F32} {
			p := digestPage(typ, i == 3)
			h := fnv.New64a()
			for _, keys := range []string{"window=31", "window=9x15,margin=1.5", "window=63x3"} {
				c := p.bindTo(t, k.info.Name+":"+keys)
				for _, class := range p.classes(t, c, segment.Rows, 40) {
					h.Write([]byte{byte(class)})
				}
			}
			got = append(got, fmt.Sprintf("%016x", h.Sum64()))
		}
		if digest := strings.Join(got, " "); digest != want[k.info.Name] {
			t.Errorf("%q: %q,", k.info.Name, digest)
		}
	}
}
