package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	. "segscan/segment"
)

type operator func(a, b FlagAndIndex) FlagAndIndex

// byFlag is the tempting form that decides by the flag. It is kept here to show why the operator does not.
func byFlag(a, b FlagAndIndex) FlagAndIndex {
	if b.Flag == Boundary {
		return b
	}
	return FlagAndIndex{max(a.Flag, b.Flag), a.Index}
}

func swapped(a, b FlagAndIndex) FlagAndIndex { return Combine(b, a) }

// domain is all pairs of a small range, with values no scan makes among them (padding may hold anything).
func domain() (d []FlagAndIndex) {
	for flag := Class(0); flag <= 3; flag++ {
		for index := int64(-3); index <= 3; index++ {
			d = append(d, FlagAndIndex{flag, index})
		}
	}
	return append(d, FlagAndIndex{255, math.MinInt64}, FlagAndIndex{1, math.MaxInt64})
}

// associative returns a counter-example as an error.
func associative[T comparable](combine func(a, b T) T, values []T) error {
	for _, a := range values {
		for _, b := range values {
			for _, c := range values {
				left, right := combine(combine(a, b), c), combine(a, combine(b, c))
				if left != right {
					return fmt.Errorf("a=%v b=%v c=%v: (a b) c = %v, a (b c) = %v", a, b, c, left, right)
				}
			}
		}
	}
	return nil
}

// lifted is every pair that Lift makes of a few positions: the domain the tempting form has to work on at least.
func lifted() (d []FlagAndIndex) {
	for c := Other; c <= Activation; c++ {
		for i := range int64(4) {
			d = append(d, Lift(c, i))
		}
	}
	return d
}

func TestCombineIsAssociative(t *testing.T) {
	if err := associative(Combine, domain()); err != nil {
		t.Error(err)
	}
}

func TestDecidingByFlagIsNotAssociative(t *testing.T) {
	if associative(byFlag, lifted()) == nil {
		t.Error("no counter-example found on lifted pairs")
	}
	// By hand: activation, boundary at 3, activation. From the left: (2,-1)(1,3) = (1,3), then (2,-1) extends to
	// (2,3). From the right: (1,3)(2,-1) = (2,3), whose flag hides that it holds a boundary, so it extends the
	// first, and the boundary at 3 is lost: (2,-1).
	a, b, c := Lift(Activation, 2), Lift(Boundary, 3), Lift(Activation, 4)
	if got, want := byFlag(byFlag(a, b), c), (FlagAndIndex{Activation, 3}); got != want {
		t.Errorf("from the left: %v, want %v", got, want)
	}
	if got, want := byFlag(a, byFlag(b, c)), (FlagAndIndex{Activation, -1}); got != want {
		t.Errorf("from the right: %v, want %v", got, want)
	}
}

func TestIdentity(t *testing.T) {
	for _, x := range domain() {
		if got := Combine(x, Identity()); got != x {
			t.Errorf("%v identity = %v", x, got)
		}
		want := x
		want.Index = max(x.Index, -1)
		if got := Combine(Identity(), x); got != want {
			t.Errorf("identity %v = %v, want %v", x, got, want)
		}
	}
}

func TestCombineIsNotCommutative(t *testing.T) {
	a, b := Lift(Boundary, 1), Lift(Boundary, 2)
	if Combine(a, b) == Combine(b, a) {
		t.Error("two boundaries combine to the same either way")
	}
}

// treeScan is an inclusive scan whose every value comes from a differently shaped tree: it splits at random.
func treeScan(rng *rand.Rand, combine operator, v []FlagAndIndex) []FlagAndIndex {
	var reduce func(v []FlagAndIndex) FlagAndIndex
	reduce = func(v []FlagAndIndex) FlagAndIndex {
		switch len(v) {
		case 0:
			return Identity()
		case 1:
			return v[0]
		}
		k := rng.IntN(len(v) + 1) // an empty half too
		if k == 0 || k == len(v) {
			return combine(reduce(v[:k]), combine(reduce(v[k:k+(len(v)-k)/2]), reduce(v[k+(len(v)-k)/2:])))
		}
		return combine(reduce(v[:k]), reduce(v[k:]))
	}
	out := make([]FlagAndIndex, len(v))
	for i := range v {
		out[i] = reduce(v[:i+1])
	}
	return out
}

// foldScan is the same scan from left to right.
func foldScan(v []FlagAndIndex) []FlagAndIndex {
	out, acc := make([]FlagAndIndex, len(v)), Identity()
	for i, x := range v {
		acc = Combine(acc, x)
		out[i] = acc
	}
	return out
}

// compareScans returns the first element in which got differs.
func compareScans(got, want []FlagAndIndex) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d elements, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i] != want[i] {
			return fmt.Errorf("element %d: got %v, want %v", i, got[i], want[i])
		}
	}
	return nil
}

func randomPairs(rng *rand.Rand, n int) []FlagAndIndex {
	v := make([]FlagAndIndex, n)
	for i := range v {
		v[i] = Lift(Class(rng.IntN(3)), int64(i))
	}
	return v
}

func TestTreesOfAnyShapeGiveTheFold(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 1))
	for _, n := range []int{1, 2, 3, 10, 100, 700} {
		v := randomPairs(rng, n)
		if err := compareScans(treeScan(rng, Combine, v), foldScan(v)); err != nil {
			t.Errorf("%d elements: %v", n, err)
		}
	}
}

// The comparison must notice a tree with swapped operands, the flag-deciding form, and one flipped element.
func TestTreeComparisonFindsMistakes(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 2))
	v := randomPairs(rng, 300)
	if compareScans(treeScan(rng, swapped, v), foldScan(v)) == nil {
		t.Error("a tree that swaps its operands passes")
	}
	if compareScans(treeScan(rng, byFlag, v), foldScan(v)) == nil {
		t.Error("a tree that decides by the flag passes")
	}
	for i := range v {
		got := treeScan(rng, Combine, v[:i+1])
		got[i].Index++
		if compareScans(got, foldScan(v[:i+1])) == nil {
			t.Errorf("element %d flipped passes", i)
		}
	}
}

func headedDomain() (d []Headed) {
	for flag := Class(0); flag <= 2; flag++ {
		for index := int64(-2); index <= 2; index++ {
			for _, head := range []bool{false, true} {
				d = append(d, Headed{FlagAndIndex{flag, index}, head})
			}
		}
	}
	return d
}

func TestCombineHeadedIsAssociative(t *testing.T) {
	if err := associative(CombineHeaded, headedDomain()); err != nil {
		t.Error(err)
	}
	for _, x := range headedDomain() {
		if got := CombineHeaded(x, IdentityHeaded()); got != x {
			t.Errorf("%v identity = %v", x, got)
		}
		want := x
		if !x.Head { // as Identity: a negative index becomes -1
			want.Index = max(x.Index, -1)
		}
		if got := CombineHeaded(IdentityHeaded(), x); got != want {
			t.Errorf("identity %v = %v, want %v", x, got, want)
		}
	}
}

// A head that is treated as a boundary, or is not passed on, is a likely mistake; both must show.
func TestHeadedMistakesAreFound(t *testing.T) {
	forgetful := func(a, b Headed) Headed { // loses a's head
		if b.Head {
			return b
		}
		return Headed{Combine(a.FlagAndIndex, b.FlagAndIndex), false}
	}
	if associative(forgetful, headedDomain()) == nil {
		t.Error("an operator that forgets the head passes as associative")
	}
	a := Headed{Lift(Boundary, 5), false}
	head := Headed{Lift(Other, 0), true}
	if got, want := CombineHeaded(a, head).FlagAndIndex, Identity(); got != want {
		t.Errorf("a line start after a boundary: got %v, want %v", got, want)
	}
}

func TestLift(t *testing.T) {
	for c, want := range map[Class]FlagAndIndex{
		Other: {Other, -1}, Boundary: {Boundary, 7}, Activation: {Activation, -1}, 3: {Other, -1}, 255: {Other, -1},
	} {
		if got := Lift(c, 7); got != want {
			t.Errorf("Lift(%d, 7) = %v, want %v", c, got, want)
		}
	}
}
