package segment

// Histogram counts samples: one bin a value for u8 (256) and u16 (65536); f32 by the top 16 bits of the
// order-preserving key (65536, see FloatKey). Only finite values enter; NotFinite counts NaN and infinities, NaN
// the NaN alone.
//
// Sum and SumSq (of squares) are for f32 only, where the bins do not give them exactly: float64, over blocks of 64
// samples aligned to the line start, blocks added left to right into a line's sum, lines added in order. So they
// are the same whatever the bands, workers or device. Integers take them from Bins.
//
// Fine, if set for f32, asks for a second pass: for each top-16-bit key it holds, 65536 counts by the low 16 bits.
// A call with Fine set counts into Fine only, and leaves everything else as it is.
type Histogram struct {
	Type              SampleType
	Bins              []uint64
	N, NotFinite, NaN uint64
	Min, Max          float64 // of the finite values; NaN when N is 0
	Sum, SumSq        float64
	Fine              map[uint16][]uint64
}
