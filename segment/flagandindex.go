package segment

// FlagAndIndex is one element of the scan: what is known of a stretch of samples of one line.
//
// Flag is the strongest class since the last boundary of the stretch, that boundary included (since its start if it
// has none): 2 an activation, 1 a boundary and nothing stronger, 0 neither. Index is the position of the last
// boundary, negative where there is none. This file alone holds the operator; the other statement of it is the
// device's, in kernels/cuda.
type FlagAndIndex struct {
	Flag  Class
	Index int64
}

// Identity is the value of an empty stretch. Combine(x, Identity()) == x for every x, and Combine(Identity(), x)
// == x but that a negative Index becomes -1, the only negative one that Lift makes.
func Identity() FlagAndIndex { return FlagAndIndex{Other, -1} }

// Lift is the value of one sample of class c at position i >= 0 of its line. A value that is no class counts as
// other.
func Lift(c Class, i int64) FlagAndIndex {
	switch c {
	case Boundary:
		return FlagAndIndex{Boundary, i}
	case Activation:
		return FlagAndIndex{Activation, -1}
	default:
		return FlagAndIndex{Other, -1}
	}
}

// Combine is the value of stretch a followed by stretch b: b resets if it holds a boundary, and extends a if not.
//
// It is associative on all values whatever (also on those no scan makes, such as padding), and not commutative.
// Deciding by b.Flag == Boundary in place of b.Index >= 0 is not associative, because extending a boundary by an
// activation makes its flag 2. Source: Blelloch, "Prefix Sums and Their Applications" (1990), on scans with any
// associative operator.
func Combine(a, b FlagAndIndex) FlagAndIndex {
	if b.Index >= 0 {
		return b
	}
	return FlagAndIndex{max(a.Flag, b.Flag), a.Index}
}

// Headed is FlagAndIndex with the segmented scan's head flag folded in, so that one scan runs over many lines laid
// end to end: Head says that a line starts within the stretch, and then everything before that start is forgotten.
// A head is no boundary.
type Headed struct {
	FlagAndIndex
	Head bool
}

// IdentityHeaded is the value of an empty stretch, as Identity is.
func IdentityHeaded() Headed { return Headed{Identity(), false} }

// CombineHeaded is the value of stretch a followed by stretch b: b if a line starts in b, else as Combine. Any
// associative operator stays associative under this construction (Blelloch 1990, section 1.5).
func CombineHeaded(a, b Headed) Headed {
	if b.Head {
		return b
	}
	return Headed{Combine(a.FlagAndIndex, b.FlagAndIndex), a.Head}
}
