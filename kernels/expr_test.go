package kernels

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"unsafe"

	"segscan/segment"
)

func TestExprCanonical(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"expr:boundary=v<40,activation=v>200 && x>10", "expr:boundary=v<40,activation=v>200 && x>10"},
		{"expr: Activation = v  >200&&x>10 , BOUNDARY='v < 40'", "expr:boundary=v<40,activation=v>200 && x>10"},
		{"expr:boundary=v<40.0 /* dark */,activation=max( v,3 )>2 and not(x in[1,2])", "expr:boundary=v<40.0,activation=max(v, 3)>2 and not (x in [1, 2])"},
		{"expr:boundary=x>3?v<.5:v<1_0,activation=let d=r - g;d>3", "expr:boundary=x>3 ? v<.5 : v<1_0,activation=let d=r-g; d>3"},
		{"expr:boundary=if x>3{true}else{false},activation=- - v< -1", "expr:boundary=if x>3{true} else {false},activation=--v<-1"},
		{"expr:boundary=1<v<=3,activation=x in 1 .. 5", "expr:boundary=1<v<=3,activation=x in 1..5"},
	} {
		s, err := Parse(c.in)
		if err != nil {
			t.Errorf("Parse(%q): %v", c.in, err)
			continue
		}
		if s.String() != c.want {
			t.Errorf("Parse(%q) is %q, want %q", c.in, s, c.want)
		}
		if again, err := Parse(s.String()); err != nil || again.String() != s.String() {
			t.Errorf("Parse(%q) does not read back: %v, %v", s, again, err)
		}
	}
}

func TestExprErrors(t *testing.T) {
	const names = "variables: v r g b a x y width height; functions: min max"
	for _, c := range []struct{ boundary, msg, hint string }{
		{"v<40 && q>2", "there is no variable or function q\n  v<40 && q>2\n          ^", names},
		{"v = 40", "unexpected \"=\"\n  v = 40\n    ^", "== compares"},
		{"v =< 40", "unexpected", "write <= or >="},
		{"v < = 40", "unexpected", "<= is written without a blank"},
		{"v <> 40", "unexpected", "write !="},
		{"v < 40 AND x > 3", "unexpected \"AND\"", "write and in small letters"},
		{"v < 40 & x > 3", "unexpected \"&\"", "&& or and"},
		{"v < 40 | x > 3", "unexpected", "|| or or"},
		{"v", "the expression is a number (int) and no condition\n  v\n  ^", "single quotes"},
		{"v <", "the expression ends where more is expected\n  v <\n     ^", "single quotes"},
		{"v < 47%", "ends where more is expected", "% is the remainder"},
		{"v ≤ 40", "U+2264", "write <="},
		{"v < “40”", "U+201C", "straight"},
		{"red > 3", "no variable or function red", "did you mean r? " + names},
		{"V > 3", "no variable or function V", "did you mean v?"},
		{"widht > 3", "widht", "did you mean width?"},
		{"rond(v) > 3", "rond", "did you mean round?"},
		{"sqrt(v) > 3", "sqrt", "v ** 0.5"},
		{"v > otsu", "otsu", "hysteresis:lo=otsu"},
		{"len(v) > 3", "there is no variable or function len", ""},
		{"any([1], # > 2)", "there is no function any", names},
		{"v ** x < 3", "** needs a constant as its exponent", "v ** 2"},
		{"v ** 0.3 < 3", "whole exponent from -64 to 64", ""},
		{"2 ** 0.3 < v", "whole exponent from -64 to 64", "every machine"},
		{"v % 0 == 1", "division by zero\n  v % 0 == 1\n    ^", ""},
		{"1 % 0 == v", "division by zero", ""},
		{"bitshl(v, -1) > 3", "a shift by -1", ""},
		{"bitand(v, 0.5) == 1", "cannot use float", "write int(...)"},
		{"max(9223372036854775807, v*0.5) > 3", "perhaps above 2^53", "write float(...)"},
		{"1/-max(x, 0.5) > 3", "whose zero may have either sign", "write float(...)"},
		{"v < '40'", "mismatched types int and string", "without quotes"},
		{"v in 3", "in (mismatched types", "v in [1, 2, 3]"},
		{"v in 0.5..2", "", ""},
		{"nil == nil", "the kernel does not", names},
		{"v > 3; v > 4", "the kernel does not", names},
		{"true ? 1 : 2", "a number (int)", "v<40"},
		{"true ? v : v > 2", "", ""},
		{strings.Repeat("v+", maxExprNodes) + "v > 3", "exceeds maximum allowed nodes", ""},
		{"v > " + strings.Repeat("1", maxExprBytes), "bytes long; at most 16384", ""},
		{strings.Repeat("(", maxExprBytes/2-1) + "v" + strings.Repeat(")", maxExprBytes/2-1), "the expression is a number", ""},
		{strings.Repeat("-", maxExprBytes-6) + "v > 3", "maximum allowed nodes", ""},
	} {
		_, err := Parse("expr:activation=v>2,boundary=" + c.boundary)
		var usage *UsageError
		if !errors.As(err, &usage) {
			t.Errorf("%s is %v, want a usage error", c.boundary, err)
			continue
		}
		if !strings.HasPrefix(usage.Msg, "kernel expr: boundary: ") && !strings.HasPrefix(usage.Msg, "kernel expr: boundary is ") ||
			!strings.Contains(usage.Msg, c.msg) || !strings.Contains(usage.Hint, c.hint) {
			t.Errorf("%.60s: %q (hint %q), want %q (hint %q)", c.boundary, usage.Msg, usage.Hint, c.msg, c.hint)
		}
	}
	for _, spec := range []string{"expr", "expr:boundary=v<3", "expr:activation=v<3", "expr:boundary=v<3,activation=q", "expr:v>3"} {
		var usage *UsageError
		if s, err := Parse(spec); !errors.As(err, &usage) || usage.Hint == "" {
			t.Errorf("Parse(%q) is %v, %v", spec, s, err)
		}
	}
}

// TestExprForms: which classifier a spec becomes, and what it asks for.
func TestExprForms(t *testing.T) {
	u8, u16, f32 := segment.U8, segment.U16, segment.F32
	for _, c := range []struct {
		conditions string
		t          segment.SampleType
		want       string
		channels   bool
	}{
		{"boundary=v<40,activation=v>200 && v%2==0", u8, "table", false},
		{"boundary=v<40,activation=v>200 && v%2==0", u16, "table", false},
		{"boundary=v<width,activation=v>height*2", u8, "table", false}, // sizes are constants of the page
		{"boundary=v<40,activation=v>200", f32, "thresholds", false},
		{"boundary=false,activation=v>=0.1", f32, "thresholds", false},
		{"boundary=v<40,activation=v>200 && v<300", f32, "code", false},
		{"boundary=v<40,activation=v>200 && x>10", u8, "code", false},
		{"boundary=10%v==1,activation=v>200", u8, "code", false}, // fails only where v is 0
		{"boundary=r<40,activation=v>200", u8, "code", true},
		{"boundary=v<40,activation=a>200", u16, "code", true},
	} {
		s := mustParse(t, "expr:"+c.conditions)
		page := &segment.PageInfo{Type: c.t, Width: 20, Height: 10}
		k, rep, err := s.Bind(page, nil, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.conditions, err)
			continue
		}
		got := "code"
		switch k.(type) {
		case segment.Table:
			got = "table"
		case segment.Thresholds:
			got = "thresholds"
		}
		if got != c.want || k.Needs().Channels != c.channels || s.Needs() != (Needs{Needs: segment.Needs{Channels: c.channels}}) {
			t.Errorf("%s on %s: %s, needs %+v", c.conditions, c.t, got, s.Needs())
		}
		if rep.Automatic || rep.Lo != nil || rep.T != nil || !strings.HasPrefix(rep.Text, "expr: boundary ") {
			t.Errorf("%s: %+v", c.conditions, rep)
		}
	}
}

// TestExprThresholds: comparisons of float samples with constants that no float32 equals. 0.1 lies between two of them, so
// v < 0.1 and v <= 0.1 are the same, and 0.1 as a float32, 0.100000001490116..., is above it.
func TestExprThresholds(t *testing.T) {
	tenth := float32(0.1)
	below := math.Nextafter32(tenth, 0)
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	v := []float32{below, tenth, 1, 0, -inf, inf, nan}
	for _, c := range []struct {
		conditions string
		want       []segment.Class
	}{
		{"boundary=v<0.1,activation=v>0.1", []segment.Class{1, 2, 2, 1, 1, 2, 0}},
		{"boundary=v<=0.1,activation=v>=1", []segment.Class{1, 0, 2, 1, 1, 2, 0}},
		{"boundary=v==0.1,activation=v==1", []segment.Class{0, 0, 2, 0, 0, 0, 0}},
		{"boundary=v< -1/0,activation=v>3.4028234663852886e38", []segment.Class{0, 0, 0, 0, 0, 2, 0}},
		{"boundary=v<= -1/0,activation=v>= -1e300", []segment.Class{2, 2, 2, 2, 1, 2, 0}},
		{"boundary=v>0/0,activation=!(v<1)", []segment.Class{0, 0, 2, 0, 0, 2, 0}},
	} {
		k, _, err := mustParse(t, "expr:"+c.conditions).Bind(&segment.PageInfo{Type: segment.F32, Width: 7, Height: 1}, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m segment.Masks
		b := segment.Band{Lines: 1, Samples: len(v), V: segment.Plane{F32: v, Lines: 1, Samples: len(v), Stride: len(v)}}
		if err := k.Classify(b, &m); err != nil {
			t.Fatal(err)
		}
		for i, class := range m.Classes() {
			if class != c.want[i] {
				t.Errorf("%s: %v is %d, want %d", c.conditions, v[i], class, c.want[i])
			}
		}
	}
}

// TestExprTraps: a page fails where % by zero is really asked for, and says where.
func TestExprTraps(t *testing.T) {
	page := &segment.PageInfo{Type: segment.U8, Width: 4, Height: 3}
	b := segment.Band{Page: page, Line0: 1, Lines: 2, Samples: 4, V: segment.Plane{U8: []uint8{9, 9, 9, 9, 9, 0, 9, 9}, Lines: 2, Samples: 4, Stride: 4}}
	for _, c := range []struct{ conditions, want string }{
		{"boundary=10 % v == x,activation=true", "kernel expr: boundary: division by zero at pixel x=1, y=2"},
		{"boundary=false,activation=x==0 || 10 % v == 1", "activation: division by zero at pixel x=1, y=2"},
		{"boundary=false,activation=bitshr(v, x-2) == 1", "activation: a shift by a negative count at pixel x=0, y=1"},
		{"boundary=v==0,activation=10 % v == x", ""}, // a boundary already
		{"boundary=v!=0 && 10 % v == x,activation=true", ""},
		{"boundary=v==0 or 10 % v == x,activation=true", ""},
		{"boundary=(v==0 ? 1 : 10 % v) == x,activation=true", ""},
		{"boundary=(x==1 && y==2 ? 10 % v : 1) == x,activation=true", "pixel x=1, y=2"},
		{"boundary=let d = 10 % v; x < 0 && d == 1,activation=true", "pixel x=1, y=2"}, // let asks for it
	} {
		k, _, err := mustParse(t, "expr:"+c.conditions).Bind(page, nil, Options{})
		if err != nil {
			t.Errorf("%s: %v", c.conditions, err)
			continue
		}
		var m segment.Masks
		err = k.Classify(b, &m)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.conditions, err, c.want)
		}
	}
}

// TestExprPageErrors: what makes sense for whole numbers only fails the pages of floats, with a remedy.
func TestExprPageErrors(t *testing.T) {
	s := mustParse(t, "expr:boundary=v%2==0,activation=v>3")
	_, _, err := s.Bind(&segment.PageInfo{Type: segment.F32, Width: 2, Height: 2}, nil, Options{})
	if err == nil || !strings.Contains(err.Error(), "on f32 samples, kernel expr: boundary") || !strings.Contains(err.Error(), "int(...)") {
		t.Errorf("%v", err)
	}
	var usage *UsageError
	if errors.As(err, &usage) {
		t.Error("other pages would succeed, so it is no usage error")
	}
	// Bands that do not fit the page are refused.
	u8 := &segment.PageInfo{Type: segment.U8, Width: 4, Height: 4}
	for _, spec := range []string{"expr:boundary=v<x,activation=v>3", "expr:boundary=r<x,activation=v>3"} {
		k, _, err := mustParse(t, spec).Bind(u8, nil, Options{})
		if err != nil {
			t.Fatal(err)
		}
		var m segment.Masks
		v := segment.NewPlane(segment.F32, 4, 4)
		if err := k.Classify(segment.Band{Page: u8, Lines: 4, Samples: 4, V: v, C: [4]segment.Plane{v, v, v, v}}, &m); err == nil {
			t.Errorf("%s: a float band on a u8 page", spec)
		}
		v = segment.NewPlane(segment.U8, 4, 4)
		if err := k.Classify(segment.Band{Page: u8, Lines: 4, Samples: 4, V: v}, &m); (err == nil) == k.Needs().Channels {
			t.Errorf("%s: a band without colours: %v", spec, err)
		}
	}
}

// TestExprLayout holds what a device reads.
func TestExprLayout(t *testing.T) {
	if unsafe.Sizeof(Instr{}) != 24 || unsafe.Offsetof(Instr{}.Imm) != 16 || unsafe.Offsetof(Instr{}.C) != 8 {
		t.Error("the layout of an instruction is not 24 bytes with Imm at 16")
	}
}

// TestExprShapes runs lines around the sizes of words, blocks and slabs against the oracle.
func TestExprShapes(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, samples := range []int{1, 2, 63, 64, 65, exprBlock - 1, exprBlock, exprBlock + 1, 2*exprBlock + 65, exprSlab - 1, exprSlab, exprSlab + 1, exprSlab + exprBlock + 3} {
		lines := 1 + min(3, 2000/samples)
		for _, p := range exprPages(rng, lines, samples) {
			how, err := p.agree("v<x-3 || r>200.0", "x>40 && v*2>r || y>=2 && 3<x<samples", Options{})
			if err == nil && how != "refused" {
				t.Errorf("an unknown variable is taken: %s", how)
			}
			how, err = p.agree("v<x-3 || r>200.0", "x>40 && v*2>r || y>=2 && 3<x<70", Options{Invert: true, NaN: segment.Activation})
			if err != nil || how != "classed" {
				t.Fatalf("%d samples of %s: %s, %v", samples, p.info.Type, how, err)
			}
		}
	}
	// The plain lines of slabs that hold many.
	for _, p := range exprPages(rng, 300, 301) {
		if how, err := p.agree("v<3 || x==y", "v>200 && y>x", Options{}); err != nil || how != "classed" {
			t.Fatalf("300 lines: %s, %v", how, err)
		}
	}
	// An empty band.
	k, _, err := mustParse(t, "expr:boundary=v<x,activation=r>3").Bind(&segment.PageInfo{Type: segment.U8, Width: 1, Height: 1}, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Classify(segment.Band{}, &segment.Masks{}); err != nil {
		t.Error(err)
	}
}

// TestExprConcurrent: a classifier serves several goroutines at once, each with the same result.
func TestExprConcurrent(t *testing.T) {
	p := exprPages(rand.New(rand.NewPCG(9, 9)), 20, 300)[2]
	k, _, err := mustParse(t, "expr:boundary=v<x-30 || r>g,activation=max(v, b)*2>y").Bind(&p.info, nil, Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := p.classify(k)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 5 {
				got, err := p.classify(k)
				if err != nil || !slices.Equal(got.B, want.B) || !slices.Equal(got.A, want.A) {
					t.Errorf("a different result (%v)", err)
				}
			}
		})
	}
	wg.Wait()
}

// TestExprOracleNotices: a single wrong sample is found.
func TestExprOracleNotices(t *testing.T) {
	for _, p := range exprPages(rand.New(rand.NewPCG(7, 8)), 2, 37) {
		p.flip = true
		if _, err := p.agree("v<x-3 || r>200.0", "x>40 && v*2>r", Options{}); err == nil || !strings.Contains(err.Error(), "got ") {
			t.Errorf("%s: %v", p.info.Type, err)
		}
	}
}

// flipped is a classifier with one wrong sample.
type flipped struct{ segment.Classifier }

func (f flipped) Classify(b segment.Band, out *segment.Masks) error {
	err := f.Classifier.Classify(b, out)
	out.B[len(out.B)-1] ^= 1
	return err
}
