// The classify stage: from samples to pairs. Its device text is kernels/cuda/classify.cu, its launch
// gpu/classify.go.

package segment

import "context"

// Classify is the transform before the scan: it lifts every class to its pair, with the index counted from the line
// start, and marks line starts as heads. classes holds lines*width classes, line after line.
func (m Mirror) Classify(ctx context.Context, classes []Class, lines, width int) (*Buffers, error) {
	if err := m.check(len(classes), lines, width); err != nil {
		return nil, err
	}
	b := &Buffers{Lines: lines, Width: width, Pairs: make([]Headed, len(classes))}
	err := m.eachTile(ctx, len(classes), func(_, lo, hi int) {
		for p := lo; p < hi; p++ {
			i := p % width
			b.Pairs[p] = Headed{Lift(classes[p], int64(i)), i == 0}
		}
	})
	return b, err
}
