// Package cuda holds the device's text of every stage: CUDA C++ sources, the PTX made from them, and what the two
// sides of a launch agree on. It launches nothing itself; see segscan/gpu for that.
package cuda

// The constants of abi.cuh, which explains them; a test compares the two.
const (
	TileThreads     = 256
	TileItems       = 8
	TileSamples     = 2048
	SmallThreads    = 64
	SmallItems      = 1
	SmallSamples    = 64
	CountsBlock     = 1024
	CountsSmall     = 64
	PlainThreads    = 256
	HistogramUnit   = 16384
	SumSamples      = 64
	MeasureLong     = 65536
	NoIndex         = 0xffffffff
	FlagMask        = 3
	HeadBit         = 4
	MarkNone        = 0
	MarkKept        = 1
	MarkRejected    = 2
	MarkDropped     = 3
	MarkEdgeShift   = 2
	EdgeLeft        = 1
	EdgeRight       = 2
	EdgesDrop       = 0
	EdgesKeep       = 1
	StatusShift     = 62
	StatusAggregate = 1
	StatusPrefix    = 2
	EdgeLines       = 8

	FusedWarps             = 24
	FusedThreads           = 832
	FusedLag               = 3
	FusedFixedBytes        = 4608
	FusedBasicWarps        = 8
	FusedBasicThreads      = 256
	FusedBasicFixedBytes   = 896
	FusedWarpBytesU8       = 9216
	FusedWarpBytesU16      = 7168
	FusedWarpBytesF32      = 6144
	FusedBasicWarpBytesU8  = 5248
	FusedBasicWarpBytesU16 = 4736
	FusedBasicWarpBytesF32 = 4480
	FusedRunU8             = 4096
	FusedRunU16            = 2048
	FusedRunSmall          = 1024
	FusedDropCounters      = 32
	FusedSamples           = 4293918720
	ClassOther             = 0
	ClassBoundary          = 1
	ClassActivation        = 2
	HighLo                 = 1
	HighHi                 = 2
	IntervalLists          = 4
	IntervalWords          = 16
	FusedWordTableBytes    = 16384
	BeforeActive           = 1
	BeforeUnarmed          = 2
	BeforeGap              = 4

	LocalColumns       = 2048
	LocalThreads       = 256
	LocalMatrixColumns = 512
	LocalMatrixHalo    = 64
	LocalMatrixThreads = 128
	LocalNarrowColumns = 512
	LocalNarrowThreads = 32
	LocalMargin        = 32
	LocalMean          = 0
	LocalNiblack       = 1
	LocalSauvola       = 2
	LocalWolf          = 3
	LocalPhansalkar    = 4
	LocalMidrange      = 5
	LocalBernsen       = 6
	LocalNanNone       = 0
	LocalNanLow        = 1
	LocalNanHigh       = 2
	LocalDecaySteps    = 64

	MedianSortThreads = 512
	MedianHeadBytes   = 2048

	CodeInts   = 32
	CodeFloats = 32
	CodeBools  = 64
	CodeNoReg  = 65535
)

// Ptr is an address in device memory; 0 where a kernel does not need it.
type Ptr uint64

// Pair is one element of the scan; see abi.cuh for the bits of State.
type Pair struct{ Index, State uint32 }

// Bound is a span, both ends inclusive, in samples of the line.
type Bound struct{ Start, End uint32 }

// Counts is how many spans of each group there are.
type Counts struct{ Kept, Rejected uint64 }

// FloatCounts is what histogram_f32 counts beside the bins, one a histogram.
type FloatCounts struct {
	Nan, Infinite         uint64
	MaxKey, MaxInverseKey uint32
}

// Sums is a sum and the sum of squares.
type Sums struct{ Sum, Sq float64 }

// Measured is what is measured of one span; Sum holds the bits of a float64 where samples are f32, and Min, Max are
// then order-preserving keys.
type Measured struct {
	N, Used, Activations, Sum uint64
	Min, Max                  uint32
}

// ClassifyParams are those of the classify kernels but classify_masks.
//
// Sample s of line l is at Samples[l*Pitch+s] (Pitch in samples, at least Width); N is lines*Width. Lo and Hi are
// int32, or the bits of a float32; Bounds, if set, holds a Lo and a Hi for each line instead. Table, for the table
// kernels, holds the class of each sample value, a byte each, and then thresholds are not read. Swap exchanges the
// classes (0 or 1), but for NaN, which has the class NanClass. Pos is the position in its line of the first sample,
// Continued 1 if the first sample starts no line (both 0 but for a piece of one line). Pairs takes N pairs.
type ClassifyParams struct {
	Samples, Bounds, Table, Pairs Ptr
	N, Pitch                      uint64
	Width, Pos                    uint32
	Lo, Hi                        uint32
	Swap, NanClass                uint32
	Continued, Unused             uint32
}

// MaskParams are those of classify_masks (masks to pairs) and pack_masks (pairs to masks). Boundary and Activation
// are bit planes of Words 64-bit words each, WordsPerLine a line, as in segment.Masks.
type MaskParams struct {
	Pairs, Boundary, Activation Ptr
	N, Words                    uint64
	Width, WordsPerLine         uint32
	Pos, Continued              uint32
}

// PlanesParams are those of the planes kernels, from samples to bit planes as in segment.Masks, every word of Lines lines
// of WordsPerLine words each. The classifier is given as in ClassifyParams.
type PlanesParams struct {
	Samples, Bounds, Table, Boundary, Activation Ptr
	Lines, Pitch                                 uint64
	Width, WordsPerLine                          uint32
	Lo, Hi                                       uint32
	Swap, NanClass                               uint32
}

// ScanParams are those of scan: N pairs to N pairs, in place if Scan == Pairs. State is a word for the ticket and
// one descriptor a tile, all zero before the launch; afterwards the descriptors hold the inclusive prefixes.
// Aggregates, if set, takes one pair a tile. BeforeIndex and BeforeFlag are the value before the first sample
// (NoIndex, 0 but for a piece of one line).
type ScanParams struct {
	Pairs, Scan, State, Aggregates Ptr
	N                              uint64
	BeforeIndex, BeforeFlag        uint32
}

// ReadoutParams are those of readout: N scan values to N marks. Dropped points to a uint64 that the number of
// dropped runs is added to. Ends is 1 if lines end with the band (0 for a piece of one line that is not the last).
type ReadoutParams struct {
	Scan, Marks, Dropped    Ptr
	N                       uint64
	Width, Pos              uint32
	Edges, Ends             uint32
	BeforeIndex, BeforeFlag uint32
}

// CompactParams are those of compact (single-pass) and of compact_local and compact_stitch (multi-pass).
//
// Kept and Rejected take up to their capacities of Bound in order; spans over the capacity are counted and not
// written. Total is one Counts: compact writes the true counts there, compact_stitch reads them, the one sum of the
// last level of compact_counts. KeptFirst and RejectedFirst take for each line the number of spans before
// it (the entry after the last line is left to the host). Edges is ceil(lines/EdgeLines) uint32, all zero before.
// With WantRejected 0 nothing is counted as rejected, and Rejected and RejectedFirst are not touched.
//
// compact needs State: a word for the ticket and two descriptors a tile (kept, then rejected), all zero before.
// compact_local and compact_stitch need Local (N uint16) and Counts (one a tile), which compact_counts and
// compact_bases scan in between.
type CompactParams struct {
	Marks, Scan, State, Local, Counts Ptr
	Kept, Rejected                    Ptr
	KeptFirst, RejectedFirst          Ptr
	Edges, Total                      Ptr
	KeptCapacity, RejectedCapacity    uint64
	N                                 uint64
	Width, Pos                        uint32
	BeforeIndex, WantRejected         uint32
}

// CountsParams are those of compact_counts, which replaces N counts by their exclusive scan within blocks of
// CountsBlock and writes the sum of each block to Sums, and of compact_bases, which adds Sums[b] to every count of
// block b.
type CountsParams struct {
	Counts, Sums Ptr
	N            uint64
}

// HistogramParams are those of the histograms. Bins has 256 (u8) or 65536 uint64, for each line if PerLine is 1;
// Counts (f32) one FloatCounts a histogram; all are added to. histogram_fine_f32 takes FineIndex, 65536 uint32, one
// a top-16-bit key: 0, or the number from 1 of its 65536 bins.
type HistogramParams struct {
	Samples, Bins, Counts, FineIndex Ptr
	Lines, Pitch                     uint64
	Width, PerLine                   uint32
}

// SumParams are those of sum_blocks_f32, which makes the sums of the blocks of SumSamples samples of each line
// (BlocksPerLine a line), and sum_lines_f32, which adds the blocks of each line from left to right.
type SumParams struct {
	Samples, Blocks, Sums Ptr
	Lines, Pitch          uint64
	Width, BlocksPerLine  uint32
}

// MeasureParams are those of the measure kernels. Spans are those of all lines in order, First the offsets of lines
// (Lines+1 uint64), LineEdges a byte a line (or 0), as in segment.Spans; Activation is the bit plane A. The plain
// kernels take all Count spans and leave those with MeasureLong or more samples inside alone; the long kernels take
// the Count spans whose numbers (uint64) are in List. Out has an entry for each span.
type MeasureParams struct {
	Samples, Spans, First, LineEdges, Activation, Out, List Ptr
	Count, Lines, Pitch                                     uint64
	Width, WordsPerLine                                     uint32
}

// FusedTotal is what a fused launch found: spans, those over the capacity counted too, and what is known after the last
// sample: Last, the last boundary, or NoIndex, and State, bits of BeforeActive.
type FusedTotal struct{ Count, Last, State, Unused uint32 }

// FusedParams are those of the fused kernels, of which one launch finds the spans of one group.
//
// Samples is the address of the band's first sample rounded down to 128 bytes; Front is how many samples it was moved
// by, and positions of samples count from it: the band's are Front to End-1, lines Pitch apart, Width of each used
// (one line that does not end here: both 2^32-1). FrontPhase is the place of sample 0 in its line (modulo Pitch).
// Spans are written by position, a sample at s having position s+Origin; see fused_emit.cuh.
//
// Inside is how many samples from Front on a run may begin with and lie in the band with all that it holds. Lines is the
// number of lines.
//
// A tile is Warps runs; there are Tiles of them. Descriptors takes one uint64 a tile, and must not hold descriptors of
// an earlier launch with this Epoch (1 to 65535; cleared memory has epoch 0). Ticket is one uint32, zero before; only
// fused_basic uses it. Spans takes Capacity of Bound. Dropped takes a uint32 for each warp of samples of the grid, of the
// runs that it drops, whose sum is meant where Keep and Rejected are 0.
//
// fused_many_* take Images, ImageCount of them, in order of their runs, of which there are Runs in all; RunImages describes
// each. Zero is 0, which a compiler must not know. Position i of a run is Origin+i after as many as all runs before it
// hold. Dropped takes FusedDropCounters times a uint32 for each image, zero before, which are to be added up.
//
// CutLo, CutHi, TopLo, TopHi, HighBits, Swap, NanClass and Classes are the classifier: see fused_classes.cuh.
// BeforeState and BeforeLast are known before the first sample. StepPhase is the samples of a tile times the blocks,
// modulo Pitch; WordPhase is 32 modulo Pitch; PitchReciprocal is floor(2^32/Pitch)+1 where Pitch is shorter than a
// run, and at most 2^32-1; Last and Over are, where Pitch is at most 32, 64 samples from the start of a line: the bits
// of last samples, and the same with padding.
type FusedParams struct {
	Samples, Classes, Descriptors, Ticket, Spans, Total, Dropped Ptr
	Images, RunImages                                            Ptr
	End, Front, Inside, Width, Pitch                             uint32
	Tiles, Warps, Epoch, Capacity                                uint32
	CutLo, CutHi, TopLo, TopHi                                   uint32
	HighBits, Swap, NanClass                                     uint32
	Keep, Rejected                                               uint32
	BeforeState, BeforeLast                                      uint32
	FrontPhase, StepPhase, WordPhase, PitchReciprocal            uint32
	LastLow, LastHigh, OverLow, OverHigh                         uint32
	Origin                                                       uint32
	Lines, Runs, ImageCount, Zero, Unused                        uint32
}

// FusedRun is a run of a launch of many images: the number of its image, and the place of its first sample in its line.
type FusedRun struct{ Image, Phase uint32 }

// FusedImage is one image of a launch of many: the fields of FusedParams that are its own, and the number of its first
// run. Each image begins with a run of its own.
type FusedImage struct {
	Samples                                Ptr
	FirstRun                               uint32
	End, Front, Inside, Width, Pitch       uint32
	FrontPhase, WordPhase, PitchReciprocal uint32
	LastLow, LastHigh, OverLow, OverHigh   uint32
	Unused                                 uint32
}

// BenchParams are those of the kernels that measure: see bench.cu.
type BenchParams struct {
	Data, Out, Sink              Ptr
	N, Seed                      uint64
	Every, Bytes, Writes, Unused uint32
}

// LocalParams are those of the kernels for local thresholds, on Lines lines of a band. Low and High are bit planes of
// WordsPerLine words of 32 samples a line: v <= T, and v > T + margin. Where NaN samples go, NaN says.
//
// Sample s of line l is at Samples[l*Pitch+s]. Around the body there are the samples that windows see: lines Top to
// Bottom-1 and samples Left to Right-1, int32, counted from the body's first. Beyond them the page is reflected, about
// the border sample (Edge 0) or the border (1). Windows reach HalfLines and HalfSamples to either side.
//
// Area is the number of samples of a window, K, R, Offset, Margin, Least, P, Q (times the steps of the table), Range,
// Contrast and Centre are the rule's, as kernels.Local has them (Least is Min, Range is Max - Min). Table is of exp(-x)
// with TableTop+1 entries, or holds the weights of a Gaussian: those over lines, then those along them.
//
// Integer means compare S - n v, S being the window's sum, with LowFrom and HighBelow, int64: low from the one on, high
// below the other. With Fast, T n is nearly alpha s + beta + sqrt(d) (gamma s + delta), as float32 bits, and the exact
// form is only worked out where that is within Tolerance of a decision; local_stats_u8 works out for itself how near that is.
//
// A block takes StripLines lines of TileSamples samples; Tiles is the number of tiles of a line. Columns and Scratch are
// memory of the kernels that work in two passes, LinePhase and SamplePhase the places of the body's first sample in the
// blocks of lines and samples by which float sums are added. For local_matrix LinePhase is the number of lines that a block
// has room for.
type LocalParams struct {
	Samples, Low, High, Table, Columns, Scratch             Ptr
	Pitch                                                   uint64
	Area, K, R, Offset, Margin, Least, P, Q                 float64
	Range, Contrast, Centre                                 float64
	LowFrom, HighBelow                                      uint64
	Alpha, Beta, Gamma, Delta, Tolerance, Fast, Rule, Lines uint32
	Width, WordsPerLine, Top, Bottom, Left, Right           uint32
	HalfLines, HalfSamples, Edge, Nan                       uint32
	StripLines, Tiles, TileSamples                          uint32
	LinePhase, SamplePhase, TableTop                        uint32
}

// MedianParams are those of the kernels for medians of windows, on Lines lines of a band. Samples, Low, High, WordsPerLine, Top,
// Bottom, Left, Right, HalfLines, HalfSamples, Nan, Offset and Margin are as in LocalParams; pages are reflected about
// their border.
//
// Work is cut into tiles of TileLines lines of TileSamples samples, Tiles of them side by side, numbered along the lines; a
// launch begins with FirstTile. median_u8 has blocks of one warp and tiles of 32 samples, a block each. The others
// need a region of RegionBytes bytes for each tile of a launch, at Regions, with room for RegionSamples samples:
// MedianHeadBytes and 17 bytes for each. median_rank_* sorts the samples of a region, a block each; then median_u16 and
// median_f32 have a block for every 32 samples of a tile.
type MedianParams struct {
	Samples, Low, High, Regions              Ptr
	Pitch                                    uint64
	Offset, Margin                           float64
	RegionBytes, RegionSamples               uint64
	Lines, Width, WordsPerLine               uint32
	Top, Bottom, Left, Right                 uint32
	HalfLines, HalfSamples, Nan              uint32
	TileLines, TileSamples, Tiles, FirstTile uint32
}

// CodeInstr is an instruction of an expression: kernels.Instr.
type CodeInstr struct {
	Op, Dst, A, B, C, Unused uint16
	More                     uint32
	Imm                      uint64
}

// CodeParams are those of code_planes: Count instructions at Code, run on each of Lines x Width samples, whose classes
// become bit planes of WordsPerLine words of 32 samples a line. BoundaryReg and ActivationReg are the registers of the two
// classes; Swap exchanges them but for NaN, which has the class NanClass. Ints and Floats, at least 1, are the registers of
// those files: a block needs 8 bytes of memory for each of them and each thread. *Refused is set to 1 if the program cannot be
// run, or not surely to the CPU's bits, on some sample.
//
// Sample s of line l is at Samples[l*Pitch+s], and at Red[l*ColourPitch+s] and so on; SampleType and ColourType are
// segment.SampleType. Line and Sample are the place of the first in the page, Columns is 1 if lines are its columns.
type CodeParams struct {
	Samples, Red, Green, Blue, Alpha     Ptr
	Code, Boundary, Activation, Refused  Ptr
	Pitch, ColourPitch, Line, Sample     uint64
	Lines, Width, WordsPerLine, Count    uint32
	BoundaryReg, ActivationReg           uint32
	SampleType, ColourType, Columns      uint32
	Swap, NanClass, Ints, Floats, Unused uint32
}
