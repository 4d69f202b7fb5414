//go:build linux && !nogpu

package gpu

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	rules "segscan/kernels"
	"segscan/segment"
)

// codeSpecs use every instruction on samples of a type.
func codeSpecs(t segment.SampleType) []string {
	v := map[segment.SampleType]string{segment.U8: "v", segment.U16: "v/257", segment.F32: "(v*3+100)"}[t]
	specs := []string{
		"boundary=V<x*2,activation=V>y*3",
		"boundary=V<40 && x>10 || y%7==3,activation=(V>200) != (x in 3..9) && not(y==2)",
		"boundary=abs(V-128)<0.37*x,activation=V*V/3.0>6000.5 - y**2",
		"boundary=floor(V/7.3)==ceil(V/7.9),activation=round(V/2.0)*2>V+x%2-0.5",
		"boundary=min(V,x*3)<20,activation=max(V,y*4)>150 ? x>5 : V>90",
		"boundary=(V+1.0)**0.5<x/3.0,activation=1/(V+0.25)**0.5<0.07",
		"boundary=int(V*1.7)%5==int(x/3.0)%3,activation=int(V)*-1+(x-20)*(y-9)>-100",
		"boundary=(x > 9 ? V : 255-V) < 50,activation=float(x)*V>=float(y)*40.5",
		"boundary=bitand(int(V),12)==4,activation=bitor(int(V),x)>bitxor(int(V),90) && bitshl(1,x%9)>bitshr(y,1)",
		"boundary=-V>-30.5,activation=abs(x-int(V))>100",
	}
	for i, s := range specs {
		specs[i] = "expr:" + strings.ReplaceAll(s, "V", v)
	}
	return specs
}

var colourSpecs = []string{
	"expr:boundary=max(r,g,b)<40,activation=r-g>30 && r-b>30",
	"expr:boundary=(r-200)**2+(g-30)**2<9000,activation=b>=a || r>x+v",
}

// bindCode makes the classifier of an expression; ok is false where it came out as a table or as thresholds.
func bindCode(t *testing.T, p *localPage, spec string, o rules.Options) (c segment.Classifier, ok bool) {
	t.Helper()
	c = p.bind(t, spec, o)
	_, ok = c.(*rules.Code)
	return c, ok
}

// Every instruction on every type, along both axes, in parts of pages.
func TestCodeOnTheDevice(t *testing.T) {
	e := open(t, "", Options{Check: true})
	ran := map[rules.Op]bool{}
	for _, typ := range sampleTypes {
		p := newLocalPage(typ, 77, 41, 5)
		p.info.Channels = 4
		for k, spec := range append(codeSpecs(typ), colourSpecs...) {
			o := rules.Options{Invert: k%2 == 1, NaN: segment.Class(k % 3)}
			c, ok := bindCode(t, p, spec, o)
			if !ok {
				t.Errorf("%s became %T: nothing for this test", spec, c)
				continue
			}
			colour := segment.U8
			if c.Needs().Channels {
				colour = typ
			}
			if why := Reason(c, colour); why != "" {
				t.Errorf("%s: the device does not do %s", spec, why)
			}
			program, err := c.(*rules.Code).Program(colour)
			if err != nil {
				t.Fatal(err)
			}
			for _, in := range program.Instrs {
				ran[in.Op] = true
			}
			for a, part := range [2][4]int{{3, 11, 5, 76}, {9, 20, 0, 41}} {
				b := p.band(segment.Axis(a), segment.Needs{HaloLines: 1, HaloSamples: 2}, part[0], part[1], part[2], part[3])
				if c.Needs().Channels {
					for i := range b.C {
						other := newLocalPage(typ, 77, 41, uint64(10+i))
						b.C[i] = other.band(segment.Axis(a), segment.Needs{HaloLines: 1, HaloSamples: 2}, part[0], part[1], part[2], part[3]).V
					}
				}
				checkSegments(t, e, fmt.Sprintf("%s, axis %d", spec, a), b, c, segment.Options{Rejected: true, Masks: true})
			}
		}
	}
	for op := rules.OpConstI; op <= rules.OpSelB; op++ {
		if !ran[op] && op != rules.OpConstB && op != rules.OpXorB { // conditions that are constant leave no program
			t.Errorf("no expression here uses instruction %d", op)
		}
	}
}

// What a program cannot do somewhere is left to the CPU: its result, or its error.
func TestCodeThatTheDeviceRefuses(t *testing.T) {
	e := checked(t)
	p := newLocalPage(segment.U8, 40, 30, 6)
	b := p.band(segment.Rows, segment.Needs{}, 0, 9, 0, 40)
	c, _ := bindCode(t, p, "expr:boundary=v<x*3,activation=(x-9.0)**-0.5<0.4", rules.Options{}) // 1/0 at x = 9
	checkSegments(t, e, "a root of 0", b, c, segment.Options{Masks: true})
	c, _ = bindCode(t, p, "expr:boundary=x > 3 && v%x==1,activation=v>y", rules.Options{})
	checkSegments(t, e, "a guarded division", b, c, segment.Options{Masks: true})
	c, _ = bindCode(t, p, "expr:boundary=v%x==1,activation=v>y", rules.Options{})
	l := load(t, e, b)
	defer l.Release()
	err := l.Segment(context.Background(), c, segment.Options{}, nil, new(segment.Result))
	if err == nil || !strings.Contains(err.Error(), "division by zero at pixel x=0") {
		t.Errorf("v%%x: got error %v, want one that names the pixel", err)
	}
	c, _ = bindCode(t, p, "expr:boundary=v<x,activation=v**3.0>1000*y", rules.Options{})
	if Reason(c, segment.U8) == "" {
		t.Error("a third power is said to run on the device")
	}
	checkSegments(t, e, "a third power", b, c, segment.Options{Masks: true})
}

// The device's instructions have the numbers of kernels.Op.
func TestCodeInstructionsHaveTheSameNumbers(t *testing.T) {
	device, err := os.ReadFile("../kernels/cuda/code.cu")
	if err != nil {
		t.Fatal(err)
	}
	host, err := os.ReadFile("../kernels/expr_code.go")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(device), "enum CodeOp : u32 {")
	list, _, _ = strings.Cut(list, "}")
	_, names, _ := strings.Cut(string(host), "const (\n\tOpConstI")
	names, _, _ = strings.Cut("\tOpConstI"+names, "\n)")
	got := regexp.MustCompile(`code(\w+),`).FindAllStringSubmatch(list, -1)
	want := regexp.MustCompile(`(?m)^\tOp(\w+)`).FindAllStringSubmatch(names, -1)
	if len(want) < 40 || len(got) != len(want) {
		t.Fatalf("%d instructions on the device, %d in Go", len(got), len(want))
	}
	for i := range want {
		if got[i][1] != want[i][1] {
			t.Errorf("instruction %d is %s on the device, %s in Go", i, got[i][1], want[i][1])
		}
	}
}
