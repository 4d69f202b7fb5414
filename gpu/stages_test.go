//go:build linux && !nogpu

package gpu

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"segscan/kernels/cuda"
	"segscan/segment"
	"segscan/segment/segmenttest"
)

// mirrorStages is what the mirror leaves, in the form a device leaves it.
func mirrorStages(b *segment.Buffers) map[string][]byte {
	out := map[string][]byte{}
	pair := func(name string, f segment.FlagAndIndex, head bool) {
		state := uint32(f.Flag)
		if head {
			state |= cuda.HeadBit
		}
		out[name] = binary.LittleEndian.AppendUint32(out[name], uint32(f.Index)) // -1 is cuda.NoIndex
		out[name] = binary.LittleEndian.AppendUint32(out[name], state)
	}
	for _, p := range b.Pairs {
		pair("pairs", p.FlagAndIndex, p.Head)
	}
	for _, f := range b.Scan {
		pair("scan", f, false)
	}
	for _, a := range b.Aggregates {
		pair("aggregates", a.FlagAndIndex, a.Head)
	}
	for i, p := range b.Prefixes {
		if i == 0 {
			out["prefixes"] = binary.LittleEndian.AppendUint64(nil, uint64(len(b.Prefixes))) // the ticket
		}
		state := uint64(p.Flag)
		if p.Head {
			state |= cuda.HeadBit
		}
		out["prefixes"] = binary.LittleEndian.AppendUint64(out["prefixes"], uint64(uint32(p.Index))|state<<32|cuda.StatusPrefix<<cuda.StatusShift)
	}
	for _, m := range b.Marks {
		out["marks"] = append(out["marks"], byte(m.Kind)|m.Edge<<cuda.MarkEdgeShift)
	}
	return out
}

// diffStages names the first stage and element that differ.
func diffStages(got, want map[string][]byte, width int) string {
	for _, s := range []struct {
		name string
		size int
	}{{"pairs", 8}, {"aggregates", 8}, {"prefixes", 8}, {"scan", 8}, {"marks", 1}} {
		g, w := got[s.name], want[s.name]
		if len(g) != len(w) {
			return fmt.Sprintf("%s: %d bytes, want %d", s.name, len(g), len(w))
		}
		for i := 0; i < len(w); i += s.size {
			if !slices.Equal(g[i:i+s.size], w[i:i+s.size]) {
				k := i / s.size
				return fmt.Sprintf("%s: element %d (line %d, sample %d if it is of samples): got %x, want %x", s.name, k, k/width, k%width, g[i:i+s.size], w[i:i+s.size])
			}
		}
	}
	return ""
}

// Every buffer that a stage leaves on the device is the mirror's, at both tile sizes, three times on one device.
func TestStagesAreTheMirrors(t *testing.T) {
	for _, tile := range []int{cuda.SmallSamples, cuda.TileSamples} {
		t.Run(fmt.Sprint(tile), func(t *testing.T) {
			got := map[string][]byte{}
			e := open(t, "", Options{small: tile == cuda.SmallSamples, Check: true, trace: func(stage string, data []byte) { got[stage] = data }})
			rng := rand.New(rand.NewPCG(3, uint64(tile)))
			widths := append(widthsAround(tile), 1+rng.IntN(2*tile), 1+rng.IntN(2*tile))
			patterns, compared := segmenttest.Patterns(5), 0
			for turn := range 3 {
				for i, width := range widths {
					if width == 0 {
						continue // nothing is launched
					}
					lines, p := 1+(turn+i)%4, patterns[(turn*5+i)%len(patterns)]
					classes := p.Make(lines * width)
					o := segment.Options{Edges: segment.Edges(i & 1), Rejected: true}
					b, err := segment.Mirror{Tile: tile, Workers: 2}.Segment(context.Background(), classes, lines, width, o, new(segment.Result))
					if err != nil {
						t.Fatal(err)
					}
					clear(got)
					l := load(t, e, classBand(classes, lines, width))
					if err := l.Segment(context.Background(), classThresholds(), o, nil, new(segment.Result)); err != nil {
						t.Fatal(err)
					}
					l.Release()
					want := mirrorStages(b)
					if d := diffStages(got, want, width); d != "" {
						t.Fatalf("%s, %d x %d, %+v: %s", p.Name, lines, width, o, d)
					}
					compared += len(want["scan"]) / 8
				}
			}
			if compared < 30*tile {
				t.Errorf("only %d samples were compared", compared)
			}
		})
	}
}

// One changed element of any stage must not go unseen by the comparison above.
func TestDiffStagesSeesOneElement(t *testing.T) {
	b, err := segment.Mirror{Tile: 3, Workers: 1}.Segment(context.Background(), segmenttest.Line("1201 2101"), 2, 4, segment.Options{}, new(segment.Result))
	if err != nil {
		t.Fatal(err)
	}
	want := mirrorStages(b)
	for name, data := range want {
		for i := range data {
			got := mirrorStages(b)
			got[name][i] ^= 1
			if diffStages(got, want, 4) == "" {
				t.Errorf("%s: byte %d changed is not noticed", name, i)
			}
		}
	}
}
