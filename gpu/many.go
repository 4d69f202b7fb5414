package gpu

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"segscan/segment"
)

// Many is some bands on the device that are worked on together: one launch finds the spans of all of them, where one for
// each would take longer to start than to run. It is safe for concurrent use; calls run one after the other.
type Many struct {
	loaded // its lane and samples; its band is not meant
	images []image
}

// image is the body of a band of Many.
type image struct {
	band   segment.Band
	pitch  uint64 // samples from a line on the device to the next
	at     uint64 // byte of the first sample in the device memory of Many
	before uint64 // runs of all images before it
}

// errMany says why bands cannot be worked on together.
var errMany = errors.New("gpu: these bands are not for one launch")

// LoadMany copies bands of one sample type to the device, as Load does with one. It fails with a *MemoryError if they do
// not fit beside what is loaded.
func (e *Engine) LoadMany(ctx context.Context, bands []segment.Band) (*Many, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if len(bands) == 0 {
		return nil, fmt.Errorf("load bands: %w: there are none", errMany)
	}
	m := &Many{loaded: loaded{e: e, body: bands[0].Body()}, images: make([]image, len(bands))}
	var bytes uint64
	for i, b := range bands {
		if err := b.Check(); err != nil {
			return nil, fmt.Errorf("load band %d of %d: %w", i, len(bands), err)
		}
		one := e.alone(segment.Band{Lines: b.Lines, Samples: b.Samples, V: b.Body()})
		if b.Lines == 0 || b.Samples == 0 || one.typ() != m.typ() {
			return nil, fmt.Errorf("load bands: %w: band %d is empty or of another sample type", errMany, i)
		}
		one.pitch = one.pitchOf()
		m.images[i] = image{band: one.band, pitch: one.pitch, at: bytes}
		bytes += (one.linesBytes(b.Lines) + fusedAlign - 1) / fusedAlign * fusedAlign
	}
	held := classBytes(bytes)
	if !e.reserve(held) {
		return nil, &MemoryError{Op: fmt.Sprintf("load %d bands", len(bands)), Needed: held, Free: e.residentBytes}
	}
	m.reserved = held
	lane, err := e.takeLane()
	if err != nil {
		e.unreserve(held)
		return nil, fmt.Errorf("load bands: %w", err)
	}
	m.lane = lane
	err = e.do(func() (err error) {
		m.samples, err = e.pool.alloc(bytes, lane.stream)
		return err
	})
	if err == nil {
		err = m.copy(ctx)
	}
	if err != nil {
		m.Release()
		return nil, fmt.Errorf("load bands: %w", err)
	}
	return m, nil
}

// alone is a band without a halo as if it were loaded by itself.
func (e *Engine) alone(b segment.Band) *loaded {
	return &loaded{e: e, band: b, body: b.V, held: b.V}
}

// copy copies all images to the device: those in pinned memory as they are, stretches of others by way of the stages.
func (m *Many) copy(ctx context.Context) error {
	var staged []stagedImage
	flush := func() error {
		if len(staged) == 0 {
			return nil
		}
		first, last := &staged[0], &staged[len(staged)-1]
		err := m.lane.upload(ctx, m.samples.at(uint64(first.at)), last.at+last.bytes-first.at, func(part []byte, at int) {
			fillImages(part, at+first.at, staged)
		})
		staged = staged[:0]
		return err
	}
	for i := range m.images {
		im := &m.images[i]
		one := m.e.alone(im.band)
		one.lane, one.pitch = m.lane, im.pitch
		if !one.direct(0, im.band.Lines) {
			staged = append(staged, stagedImage{int(im.at), int(one.linesBytes(im.band.Lines)), one.filler(0, im.band.Lines)})
			continue
		}
		if err := errors.Join(flush(), one.copyLines(ctx, m.samples.at(im.at), 0, im.band.Lines)); err != nil {
			return err
		}
	}
	return flush()
}

// stagedImage is an image on its way: its place on the device and what fills it.
type stagedImage struct {
	at, bytes int
	fill      func(part []byte, at int)
}

// fillImages fills a part of the device's memory, from byte `at` on, with the images that lie there, in order.
func fillImages(part []byte, at int, images []stagedImage) {
	i, _ := slices.BinarySearchFunc(images, at, func(im stagedImage, at int) int { return im.at + im.bytes - 1 - at })
	for ; i < len(images) && images[i].at < at+len(part); i++ {
		im := &images[i]
		from := max(at, im.at)
		to := min(at+len(part), im.at+im.bytes)
		im.fill(part[from-at:to-at], from-im.at)
	}
}

// togetherBytes is how many bytes of samples SegmentMany takes to the device at once, so few that one stretch is copied
// while another is worked on; mostTogether is the largest band that goes there with others: a larger one fills the device
// by itself.
const (
	togetherBytes = 64 << 20
	mostTogether  = 16 << 20
)

// SegmentMany segments bands by one classifier, each into its result, equal to those of Load and Segment. Small bands of
// one sample type that follow each other go to the device together, if all they need is what the kernels for many do;
// others one by one. Slots of them are under way at once.
func (e *Engine) SegmentMany(ctx context.Context, bands []segment.Band, c segment.Classifier, o segment.Options, results []segment.Result) error {
	if len(results) != len(bands) {
		return fmt.Errorf("segment bands: %d results for %d bands", len(results), len(bands))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(slots)
	for from := 0; from < len(bands); {
		n, err := e.together(bands[from:], c, o)
		if err != nil {
			_ = g.Wait() // what ended them is said by the first
			return fmt.Errorf("segment bands: %w", err)
		}
		to := from + max(n, 1)
		some, into := bands[from:to], results[from:to]
		g.Go(func() error { return e.segmentSome(ctx, some, c, o, into) })
		from = to
	}
	return g.Wait()
}

// segmentSome segments bands together, or, if there is only one or no room for all, one by one.
func (e *Engine) segmentSome(ctx context.Context, bands []segment.Band, c segment.Classifier, o segment.Options, results []segment.Result) error {
	if len(bands) > 1 {
		var memory *MemoryError
		if err := e.segmentTogether(ctx, bands, c, o, results); err == nil || !errors.As(err, &memory) {
			return err
		}
	}
	for i := range bands {
		if err := e.segmentOne(ctx, bands[i], c, o, &results[i]); err != nil {
			return err
		}
	}
	return nil
}

// together is how many of the next bands go to the device at once.
func (e *Engine) together(bands []segment.Band, c segment.Classifier, o segment.Options) (n int, err error) {
	var typ segment.SampleType
	var bytes int
	for i := range bands {
		body := bands[i].Body()
		one := body.Lines * body.Samples * body.Type().Bytes()
		if i == 0 {
			typ = body.Type()
			if _, ok, err := e.manyClasses(c, typ, o); err != nil || !ok {
				return 1, err
			}
		}
		if body.Type() != typ || one == 0 || one > mostTogether || bytes+one > togetherBytes {
			break
		}
		bytes += one
		n++
	}
	return n, nil
}

func (e *Engine) segmentTogether(ctx context.Context, bands []segment.Band, c segment.Classifier, o segment.Options, results []segment.Result) error {
	m, err := e.LoadMany(ctx, bands)
	if err != nil {
		return err
	}
	defer m.Release()
	return m.Segment(ctx, c, o, results)
}

func (e *Engine) segmentOne(ctx context.Context, b segment.Band, c segment.Classifier, o segment.Options, r *segment.Result) error {
	l, err := e.Load(ctx, b)
	if err != nil {
		return err
	}
	defer l.Release()
	return l.Segment(ctx, c, o, nil, r)
}
