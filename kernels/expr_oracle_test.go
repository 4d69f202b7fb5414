package kernels

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/vm"

	"segscan/segment"
)

// exprSample is one pixel as expr's own virtual machine sees it.
type exprSample struct {
	v, r, g, b, a    float64
	x, y             int64
	sampleF, colourF bool
	width, height    int64
}

func (s *exprSample) env() map[string]any {
	number := func(v float64, float bool) any {
		if float {
			return v
		}
		return int(v)
	}
	return map[string]any{
		"v": number(s.v, s.sampleF), "r": number(s.r, s.colourF), "g": number(s.g, s.colourF),
		"b": number(s.b, s.colourF), "a": number(s.a, s.colourF),
		"x": int(s.x), "y": int(s.y), "width": int(s.width), "height": int(s.height),
	}
}

// oracle is the definition: expr's virtual machine on one sample.
type oracle struct{ boundary, activation *vm.Program }

func newOracle(boundary, activation string, in exprInputs) (*oracle, error) {
	b, err := expr.Compile(boundary, exprOptions(in)...)
	if err != nil {
		return nil, err
	}
	a, err := expr.Compile(activation, exprOptions(in)...)
	return &oracle{b, a}, err
}

// errConfused: expr takes min(1, v) for an int, whatever v is, and its machine then trips over == of a float.
var errConfused = errors.New("expr is at a loss")

func (o *oracle) class(s *exprSample, opt Options) (segment.Class, error) {
	if math.IsNaN(s.v) {
		return opt.NaN, nil
	}
	env, c := s.env(), segment.Other
	b, err := runOracle(o.boundary, env)
	if err != nil {
		return 0, err
	}
	if b {
		c = segment.Boundary
	} else if a, err := runOracle(o.activation, env); err != nil {
		return 0, err
	} else if a {
		c = segment.Activation
	}
	if opt.Invert && c != segment.Other {
		c = 3 - c
	}
	return c, nil
}

func runOracle(p *vm.Program, env map[string]any) (bool, error) {
	v, err := expr.Run(p, env)
	if err != nil {
		if strings.Contains(err.Error(), "interface conversion") {
			return false, errConfused
		}
		return false, err
	}
	b, ok := v.(bool)
	if !ok {
		return false, fmt.Errorf("the result is %T", v)
	}
	return b, nil
}

// exprPage is a band of random samples with everything an expression can read.
type exprPage struct {
	info segment.PageInfo
	band segment.Band
	flip bool // classify one sample wrongly
}

func newExprPage(rng *rand.Rand, sample, colour segment.SampleType, axis segment.Axis, lines, samples int) *exprPage {
	p := &exprPage{info: segment.PageInfo{Type: sample, Width: int64(samples) + 7, Height: int64(lines) + 5, Channels: 3}}
	line0, sample0 := int64(rng.IntN(4)), int64(rng.IntN(6))
	if axis == segment.Cols {
		p.info.Width, p.info.Height = int64(lines)+5, int64(samples)+7
	}
	p.band = segment.Band{Page: &p.info, Axis: axis, Line0: line0, Sample0: sample0, Lines: lines, Samples: samples,
		Before: segment.Halo{Lines: rng.IntN(2), Samples: rng.IntN(3)}, After: segment.Halo{Lines: rng.IntN(2), Samples: rng.IntN(3)}}
	l, s := lines+p.band.Before.Lines+p.band.After.Lines, samples+p.band.Before.Samples+p.band.After.Samples
	p.band.V = randomPlane(rng, sample, l, s)
	for i := range p.band.C {
		p.band.C[i] = randomPlane(rng, colour, l, s)
	}
	return p
}

func randomPlane(rng *rand.Rand, t segment.SampleType, lines, samples int) segment.Plane {
	p := segment.NewPlane(t, lines, samples)
	inf := float32(math.Inf(1))
	special := []float32{inf, -inf, float32(math.NaN()), 0, float32(math.Copysign(0, -1)), 1, -1, 2.5, math.MaxFloat32, math.SmallestNonzeroFloat32, 3e9, 1e19, -1e19}
	for k := range lines * samples {
		switch small := rng.IntN(2) == 0; {
		case t == segment.U8 && small:
			p.U8[k] = uint8(rng.IntN(5))
		case t == segment.U8:
			p.U8[k] = uint8(rng.IntN(256))
		case t == segment.U16 && small:
			p.U16[k] = uint16(rng.IntN(5))
		case t == segment.U16:
			p.U16[k] = uint16(rng.IntN(65536))
		case small:
			p.F32[k] = special[rng.IntN(len(special))]
		default:
			p.F32[k] = float32(rng.NormFloat64() * 20)
			if rng.IntN(2) == 0 {
				p.F32[k] = float32(math.Round(float64(p.F32[k])))
			}
		}
	}
	return p
}

func (p *exprPage) at(l, s int) *exprSample {
	b := &p.band
	value := func(q segment.Plane) float64 {
		at := (b.Before.Lines+l)*q.Stride + b.Before.Samples + s
		switch {
		case q.U8 != nil:
			return float64(q.U8[at])
		case q.U16 != nil:
			return float64(q.U16[at])
		}
		return float64(q.F32[at])
	}
	e := &exprSample{v: value(b.V), r: value(b.C[0]), g: value(b.C[1]), b: value(b.C[2]), a: value(b.C[3]),
		x: b.Sample0 + int64(s), y: b.Line0 + int64(l), width: p.info.Width, height: p.info.Height,
		sampleF: b.V.Type() == segment.F32, colourF: b.C[0].Type() == segment.F32}
	if b.Axis == segment.Cols {
		e.x, e.y = e.y, e.x
	}
	return e
}

// agree compares the kernel with the oracle on a page: the same classes, or both fail. It tells how it went: refused (by
// the kernel), failed (at a sample) or classed.
func (p *exprPage) agree(boundary, activation string, opt Options) (string, error) {
	spec, err := parseConditions(boundary, activation)
	if spec == nil {
		return "refused", err
	}
	return p.agreeSpec(spec, opt)
}

// parseConditions gives nil for a usage error.
func parseConditions(boundary, activation string) (Spec, error) {
	spec, err := Parse("expr:boundary=" + boundary + ",activation=" + activation)
	var usage *UsageError
	switch {
	case errors.As(err, &usage):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%v is no usage error", err)
	}
	return spec, nil
}

func (p *exprPage) agreeSpec(spec Spec, opt Options) (string, error) {
	boundary, activation := spec.(*exprSpec).boundary.source, spec.(*exprSpec).activation.source
	in := exprInputsOf(&p.info, exprInt)
	if p.band.C[0].Type() == segment.F32 {
		in.colour = exprFloat
	}
	o, oracleErr := newOracle(boundary, activation, in)
	c, _, err := spec.Bind(&p.info, nil, opt)
	if err != nil {
		return "refused", nil // a stricter kernel is allowed
	}
	if p.flip {
		c = flipped{c}
	}
	if oracleErr != nil {
		if _, err := p.classify(c); err == nil {
			return "", fmt.Errorf("expr refuses what the kernel takes: %v", oracleErr)
		}
		return "refused", nil
	}
	got, err := p.classify(c)
	var trapped *exprTrapError
	if err != nil && !errors.As(err, &trapped) {
		if _, none := c.(*Code).Program(p.band.C[0].Type()); none == nil {
			return "", err
		}
		return "refused", nil // a channel type it cannot do
	}
	fails, classes := false, []segment.Class(nil)
	if err == nil {
		classes = got.Classes()
	}
	for l := range p.band.Lines {
		for s := range p.band.Samples {
			if k := s % exprBlock; p.band.Samples > 4*exprBlock && k > 2 && k < exprBlock-2 && s%97 != 0 {
				continue // the machine takes its time
			}
			e := p.at(l, s)
			want, failed := o.class(e, opt)
			if failed == errConfused {
				continue
			}
			if failed != nil {
				fails = true
				if trapped != nil && trapped.x == e.x && trapped.y == e.y {
					return "failed", nil
				}
				continue
			}
			if err == nil && classes[l*p.band.Samples+s] != want {
				return "", fmt.Errorf("%T at line %d, sample %d: got %d, want %d (%+v)", c, l, s, classes[l*p.band.Samples+s], want, *e)
			}
		}
	}
	if fails != (err != nil) {
		return "", fmt.Errorf("expr fails: %v; kernel: %v", fails, err)
	}
	if fails {
		return "", fmt.Errorf("the kernel failed at another sample than expr: %v", err)
	}
	return "classed", nil
}

func (p *exprPage) classify(c segment.Classifier) (*segment.Masks, error) {
	b := p.band
	if !c.Needs().Channels {
		b.C = [4]segment.Plane{}
	}
	m := &segment.Masks{}
	return m, c.Classify(b, m)
}

// exprPages are pages of every pair of types that occur.
func exprPages(rng *rand.Rand, lines, samples int) []*exprPage {
	var pages []*exprPage
	for i, t := range [][2]segment.SampleType{{segment.U8, segment.U8}, {segment.U16, segment.U16}, {segment.F32, segment.F32}, {segment.F32, segment.U8}} {
		pages = append(pages, newExprPage(rng, t[0], t[1], segment.Axis(i+rng.IntN(2))%2, lines, samples))
	}
	return pages
}

// TestExprOracle runs random expressions over random samples, NaN and infinities among them, and compares with expr's
// virtual machine.
func TestExprOracle(t *testing.T) {
	rounds := 1200
	if testing.Short() {
		rounds = 200
	}
	rng := rand.New(rand.NewPCG(1, 2))
	count := map[string]int{}
	for range rounds {
		g := exprGenerator{rng}
		b, a := g.condition(3), g.condition(3)
		spec, err := parseConditions(b, a)
		if err != nil {
			t.Fatal(err)
		}
		if spec == nil {
			count["refused"]++
			continue
		}
		for _, p := range exprPages(rng, 2, 37) {
			opt := Options{Invert: rng.IntN(2) == 0, NaN: segment.Class(rng.IntN(3))}
			how, err := p.agreeSpec(spec, opt)
			if err != nil {
				t.Fatalf("boundary=%s,activation=%s on %s/%s: %v", b, a, p.info.Type, p.band.C[0].Type(), err)
			}
			count[how]++
		}
	}
	t.Log(count)
	if count["classed"] < rounds || count["failed"] == 0 || count["refused"] == 0 {
		t.Errorf("too little was compared: %v", count)
	}
}

// FuzzExpr compares any conditions with expr's virtual machine.
func FuzzExpr(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		g := exprGenerator{rng}
		f.Add(g.condition(2), g.condition(2), uint64(1))
	}
	f.Add("v<40", "v>200 && x>10", uint64(2))
	f.Add("if v>3 {true} else {x in [1,2]}", "let d = r-g; not (d in 1..5) /* , */", uint64(3))
	f.Fuzz(func(t *testing.T, boundary, activation string, seed uint64) {
		spec, err := parseConditions(boundary, activation)
		if err != nil {
			t.Fatal(err)
		}
		if spec == nil {
			return
		}
		again, err := Parse(spec.String())
		if err != nil || again.String() != spec.String() {
			t.Fatalf("%s reads back as %v (%v)", spec, again, err)
		}
		for _, p := range exprPages(rand.New(rand.NewPCG(seed, 1)), 2, 9) {
			opt := Options{NaN: segment.Class(seed % 3), Invert: seed%2 == 0}
			how, err := p.agreeSpec(spec, opt)
			if err != nil {
				t.Fatalf("boundary=%s,activation=%s on %s/%s: %v", boundary, activation, p.info.Type, p.band.C[0].Type(), err)
			}
			if howAgain, err := p.agreeSpec(again, opt); err != nil || howAgain != how {
				t.Fatalf("%s is %s, and %s read back (%v)", spec, how, howAgain, err)
			}
		}
	})
}
