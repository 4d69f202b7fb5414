package segment

// Refine joins and drops segments after the scan, in this order: MergeGap joins neighbouring segments of a line
// with next.Start - end <= MergeGap (0 joins those that share a boundary; negative: off); then MinLength and
// MaxLength on end-start+1 (0: off); then, after measurement, MinActivations on Stat.Activations (0: off).
type Refine struct {
	MergeGap             int64
	MinLength, MaxLength int64
	MinActivations       int64
}

// NoRefine leaves spans as they are.
var NoRefine = Refine{MergeGap: -1}
