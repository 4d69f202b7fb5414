package segment_test

import (
	"fmt"

	"segscan/segment"
)

// The worked example of the definition: boundaries at 1, 3 and 6, an activation at 4.
func ExampleSequential() {
	line := []segment.Class{0, 1, 0, 1, 2, 0, 1, 0}
	s := segment.Sequential(line, segment.EdgesDrop, true)
	fmt.Println("kept", s.Kept, "rejected", s.Rejected)
	s = segment.Sequential(line, segment.EdgesKeep, true)
	fmt.Println("kept", s.Kept, "rejected", s.Rejected)
	// Output:
	// kept [{3 6}] rejected [{1 3}]
	// kept [{3 6}] rejected [{0 1} {1 3} {6 7}]
}

// A scan by hand: the value left of the boundary at 6 tells that an activation came since the boundary at 3.
func ExampleCombine() {
	acc := segment.Identity()
	for i, c := range []segment.Class{0, 1, 0, 1, 2, 0} {
		acc = segment.Combine(acc, segment.Lift(c, int64(i)))
	}
	fmt.Println(acc.Flag, acc.Index)
	// Output: 2 3
}
