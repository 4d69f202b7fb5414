package kernels

import (
	"math"
	"math/rand/v2"
	"testing"

	"segscan/segment"
)

// BenchmarkColour classifies a band of 4 Mpx on one core. One byte is declared a pixel, so that MB/s reads as Mpx/s.
// photo: shading and a little noise, as a camera gives it; noise: every colour alike. first: with nothing remembered of
// pages before, as for a single file.
func BenchmarkColour(b *testing.B) {
	const lines, samples = 1024, 4096
	for _, c := range []struct{ name, spec string }{
		{"rgb", "color:space=rgb,activation=r:60%..+g:..40%"},
		{"hsv", "color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%"},
		{"lab", "color:space=lab,activation=l:30..80+a:20..,boundary=a:..5"},
		{"cie76", "distance:to=#d62728,near=15,far=40"},
		{"ciede2000", "distance:to=#d62728,near=15,far=40,metric=ciede2000"},
	} {
		for _, typ := range []segment.SampleType{segment.U8, segment.U16, segment.F32} {
			for _, kind := range []string{"photo", "noise"} {
				band := colourBand(typ, lines, samples, kind == "noise")
				spec, err := Parse(c.spec)
				if err != nil {
					b.Fatal(err)
				}
				if typ == segment.F32 && c.name == "rgb" {
					spec, _ = Parse(c.spec + ",white=1")
				}
				run := func(b *testing.B, fresh bool) {
					var m segment.Masks
					b.SetBytes(lines * samples)
					for b.Loop() {
						if fresh {
							spec, _ = Parse(spec.String())
						}
						classifier, _, err := spec.Bind(band.Page, nil, Options{})
						if err != nil {
							b.Fatal(err)
						}
						if err := classifier.Classify(band, &m); err != nil {
							b.Fatal(err)
						}
					}
				}
				if c.name != "rgb" {
					b.Run(c.name+"/"+typ.String()+"/"+kind+"/first", func(b *testing.B) { run(b, true) })
				}
				b.Run(c.name+"/"+typ.String()+"/"+kind, func(b *testing.B) { run(b, false) })
			}
		}
	}
}

// colourBand is a page of one band.
func colourBand(t segment.SampleType, lines, samples int, noise bool) segment.Band {
	rng := rand.New(rand.NewPCG(4, 4))
	top := map[segment.SampleType]float64{segment.U8: 255, segment.U16: 65535, segment.F32: 1}[t]
	p := &segment.PageInfo{Type: t, Width: int64(samples), Height: int64(lines), Channels: 3, Max: top, ColourMax: top}
	if t == segment.F32 {
		p.Min, p.Max, p.ColourMin, p.ColourMax = math.NaN(), math.NaN(), math.NaN(), math.NaN()
	}
	b := segment.Band{Page: p, Lines: lines, Samples: samples, V: segment.NewPlane(t, lines, samples)}
	for i := range b.C {
		b.C[i] = segment.NewPlane(t, lines, samples)
	}
	for l := range lines {
		for s := range samples {
			x, y := float64(s)/float64(samples), float64(l)/float64(lines)
			for i := range 3 {
				v := rng.Float64()
				if !noise {
					v = 0.5 + 0.35*math.Sin(9*x+float64(2*i)+4*y) + 0.1*math.Cos(31*y-float64(i)) + 0.02*rng.NormFloat64()
				}
				setSample(b.C[i], l*samples+s, math.Round(min(max(v, 0), 1)*top*1000)/1000)
			}
		}
	}
	return b
}

func setSample(p segment.Plane, at int, v float64) {
	switch {
	case p.U8 != nil:
		p.U8[at] = uint8(v)
	case p.U16 != nil:
		p.U16[at] = uint16(v)
	default:
		p.F32[at] = float32(v)
	}
}

// BenchmarkColourParse is of specs whose ranges are looked at in full: one that no colour is in, one that hardly any is.
func BenchmarkColourParse(b *testing.B) {
	for _, spec := range []string{
		"color:space=lab,activation=l:70..,boundary=l:60..61+a:60..+b:70..",
		"color:space=lab,activation=l:70..,boundary=l:60..60.1+a:..-60+b:61.7..61.8",
		"color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%",
	} {
		b.Run(spec, func(b *testing.B) {
			for b.Loop() {
				if _, err := Parse(spec); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
