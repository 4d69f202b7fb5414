package tiff

import (
	"context"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
)

// parallelBytes bounds the decoded chunks in work at once.
const parallelBytes = 256 << 20

// Rows is one pass over a window of a page, from its top row down. It is not safe for concurrent use; a page may have
// several.
type Rows struct {
	p          *Page
	x, y       int64 // of the window's left edge and of the next row
	w, bottom  int64
	table      chunkTable
	un         *unpacker
	workers    int
	keep       bool
	kept       map[int64][]byte
	mu         sync.Mutex
	free       [][]byte
	scratches  []*scratch
	streams    []*stream
	streamAt   int64 // strip that streams are in
	mustStream bool
}

// Rows begins a pass over the w x h pixels at x, y, which must lie inside the page.
func (p *Page) Rows(x, y, w, h int64) (*Rows, error) {
	if x < 0 || y < 0 || w <= 0 || h <= 0 || x > p.Width-w || y > p.Height-h {
		return nil, fmt.Errorf("tiff: window of %d x %d at %d, %d is not inside %d x %d", w, h, x, y, p.Width, p.Height)
	}
	r := &Rows{p: p, x: x, y: y, w: w, bottom: y + h, kept: map[int64][]byte{}, streamAt: -1}
	r.table.p = p
	r.un = p.newUnpacker(p.rowOrder())
	chunk := min(p.rowBytes*min(p.ChunkH, p.Height), 1<<40)
	r.workers = int(max(1, min(int64(p.f.limits.Workers), parallelBytes/max(1, chunk*p.planes()))))
	wide := (x+w-1)/p.ChunkW - x/p.ChunkW + 1
	if r.mustStream = !p.held() && p.Compression != CompNone && chunk*p.planes() > p.f.limits.Stream; r.mustStream {
		return r, nil
	}
	// To decode chunks again for every few rows of them would take for ever.
	row := int64(min(float64(wide)*float64(p.planes())*float64(chunk), 1<<50))
	if r.keep = row <= p.f.limits.Keep; p.held() && row > p.f.limits.MaxChunk {
		return nil, &Error{Page: p.Index, Msg: fmt.Sprintf("a row of strips or tiles of %d x %d pixels takes %d bytes, above the limit of %d",
			p.ChunkW, p.ChunkH, row, p.f.limits.MaxChunk), Remedy: "take a part of the page with --roi, or rewrite the file with smaller tiles", Err: ErrUnsupported}
	}
	r.keep = r.keep || p.held()
	return r, nil
}

// Close gives back what the pass holds.
func (r *Rows) Close() {
	for _, s := range r.scratches {
		s.close()
	}
	r.scratches, r.streams, r.kept, r.free = nil, nil, nil, nil
}

// Next writes the next n rows of the window to dst.
func (r *Rows) Next(ctx context.Context, dst Block, n int) (err error) {
	defer guard(r.p.Index, &err)
	if int64(n) > r.bottom-r.y {
		return fmt.Errorf("tiff: %d rows asked for, %d are left in the window", n, r.bottom-r.y)
	}
	if n == 0 {
		return ctx.Err()
	}
	switch {
	case r.mustStream:
		err = r.nextStreamed(ctx, dst, n)
	case r.p.Compression == CompNone && !r.p.subsampled():
		err = r.nextDirect(ctx, dst, n)
	default:
		err = r.nextChunks(ctx, dst, n)
	}
	r.y += int64(n)
	return err
}

// cell is one chunk position with what is wanted of it: page rows y0 to y1-1, page columns x0 to x1-1.
type cell struct {
	cx, cy         int64
	x0, x1, y0, y1 int64
	refs           []chunkRef // one a plane
	raw            [][]byte   // decoded, one a plane; nil: to be decoded
	rows           int        // to be decoded, from the top of the chunk
}

// cells lists the chunks that rows y to y+n-1 of the window touch, with their places in the file.
func (r *Rows) cells(n int) ([]*cell, error) {
	var out []*cell
	end := r.y + int64(n)
	for cy := r.y / r.p.ChunkH; cy*r.p.ChunkH < end; cy++ {
		var err error
		if out, err = r.cellRow(out, cy, end); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// cellRow adds the cells of one row of chunks, wanted down to page row end.
func (r *Rows) cellRow(out []*cell, cy, end int64) ([]*cell, error) {
	p := r.p
	for cx := r.x / p.ChunkW; cx*p.ChunkW < r.x+r.w; cx++ {
		c := &cell{cx: cx, cy: cy,
			x0: max(r.x, cx*p.ChunkW), x1: min(r.x+r.w, (cx+1)*p.ChunkW),
			y0: max(r.y, cy*p.ChunkH), y1: min(end, (cy+1)*p.ChunkH)}
		for k := range p.planes() {
			ref, err := r.ref((k*p.down+cy)*p.across + cx)
			if err != nil {
				return nil, err
			}
			c.refs = append(c.refs, ref)
		}
		out = append(out, c)
	}
	return out, nil
}

// ahead lists whole rows of chunks below end that are decoded now because cores are free: at most room chunks, and
// none that is kept already. Nothing of them is written yet.
func (r *Rows) ahead(end int64, room int) (out []*cell, err error) {
	p := r.p
	wide := (r.x+r.w-1)/p.ChunkW - r.x/p.ChunkW + 1
	budget := p.f.limits.Keep / (p.rowBytes * min(p.ChunkH, p.Height) * p.planes())
	cy := (end + p.ChunkH - 1) / p.ChunkH
	for ; r.keep && cy*p.ChunkH < r.bottom && int64(len(out))+wide <= int64(room) &&
		int64(len(r.kept)+len(out))+2*wide <= budget; cy++ {
		row, err := r.cellRow(nil, cy, cy*p.ChunkH)
		if err != nil {
			return nil, err
		}
		for _, c := range row {
			if c.raw = r.takeKept(c); c.raw[0] == nil {
				out = append(out, c)
			} else {
				r.keepRaw(c)
			}
		}
	}
	return out, nil
}

// takeKept gives the decoded chunks of c that are kept, nil for others, and leaves them to c.
func (r *Rows) takeKept(c *cell) [][]byte {
	raw := make([][]byte, len(c.refs))
	for k, ref := range c.refs {
		raw[k] = r.kept[ref.index]
		delete(r.kept, ref.index)
	}
	return raw
}

func (r *Rows) keepRaw(c *cell) {
	for k, b := range c.raw {
		if b != nil {
			r.kept[c.refs[k].index] = b
		}
	}
}

func (r *Rows) ref(i int64) (chunkRef, error) {
	off, n, err := r.table.at(i)
	if err == nil && r.p.plane > 0 {
		off, err = r.p.stackOffset(off)
	}
	plane := int(i / (r.p.across * r.p.down))
	return chunkRef{index: i, plane: plane, off: off, n: n}, err
}

// nextChunks decodes the chunks that are not kept, several at once, and takes the rows out of them.
func (r *Rows) nextChunks(ctx context.Context, dst Block, n int) error {
	p := r.p
	cells, err := r.cells(n)
	if err != nil {
		return err
	}
	end := r.y + int64(n)
	todo := 0
	for _, c := range cells {
		if c.raw = r.takeKept(c); c.raw[0] == nil {
			todo++
		}
	}
	ahead, err := r.ahead(end, r.workers-todo)
	if err != nil {
		return err
	}
	cells = append(cells, ahead...)
	g, gctx := errgroup.WithContext(ctx)
	g.SetLimit(r.workers)
	for _, c := range cells {
		until, stays := c.y1, false
		if r.keep && end < r.bottom && (c.cy+1)*p.ChunkH > end {
			until, stays = min(r.bottom, (c.cy+1)*p.ChunkH), true
		}
		c.rows = int(until - c.cy*p.ChunkH)
		if gctx.Err() != nil {
			break
		}
		g.Go(func() error { return r.cell(gctx, c, dst, stays) })
	}
	if err := g.Wait(); err != nil {
		return err
	}
	for _, c := range cells {
		r.keepRaw(c)
	}
	return ctx.Err()
}

// cell decodes what is missing of one cell and writes its rows. It leaves in c.raw what is to be kept.
func (r *Rows) cell(ctx context.Context, c *cell, dst Block, stays bool) (err error) {
	p := r.p
	defer guard(p.Index, &err)
	if err := ctx.Err(); err != nil {
		return err
	}
	s := r.takeScratch()
	defer r.giveScratch(s)
	for k, ref := range c.refs {
		if c.raw[k] != nil {
			continue
		}
		if err := p.plausible(ref, int64(c.rows)*p.rowBytes); err != nil {
			return err
		}
		c.raw[k] = r.takeBuf(int64(c.rows) * p.rowBytes)
		if err := p.decodeChunk(s, ref, c.raw[k], c.rows); err != nil {
			return err
		}
	}
	for y := c.y0; y < c.y1; y++ {
		at := (y - c.cy*p.ChunkH) * p.rowBytes
		r.row(s, dst, c, y, 0, func(k int) []byte { return c.raw[k][at : at+p.rowBytes] })
	}
	if !stays {
		for k := range c.raw {
			r.giveBuf(c.raw[k])
			c.raw[k] = nil
		}
	}
	return nil
}

// row writes row y of a cell from its stored rows, one a plane, which begin skip pixels into the chunk.
func (r *Rows) row(s *scratch, dst Block, c *cell, y, skip int64, plane func(int) []byte) {
	p := r.p
	n, first := int(c.x1-c.x0), int(c.x0-c.cx*p.ChunkW-skip)
	d := dst.from(int(y-r.y)*dst.Stride + int(c.x0-r.x)*p.Channels)
	to, step := d, p.Channels
	if p.converts() {
		to, step = s.samples(p.Type, n*p.Stored), p.Stored
	}
	if p.Planar {
		for k := range p.Stored {
			r.un.unpack(to.from(k), step, plane(k), first, n)
		}
	} else {
		r.un.unpack(to, 1, plane(0), first*p.Stored, n*p.Stored)
	}
	if r.un.beyond.CompareAndSwap(true, false) {
		p.f.note("%d-bit floats beyond the range of float32 became infinite", p.Bits)
	}
	if p.converts() {
		p.convert(d, to, n)
	}
}

// samples is scratch memory for n samples.
func (s *scratch) samples(t Type, n int) Block {
	switch t {
	case U8:
		if cap(s.u8) < n {
			s.u8 = make([]uint8, n)
		}
		return Block{U8: s.u8[:n]}
	case U16:
		if cap(s.u16) < n {
			s.u16 = make([]uint16, n)
		}
		return Block{U16: s.u16[:n]}
	}
	if cap(s.f32) < n {
		s.f32 = make([]float32, n)
	}
	return Block{F32: s.f32[:n]}
}

func (r *Rows) takeScratch() *scratch {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.scratches); n > 0 {
		s := r.scratches[n-1]
		r.scratches = r.scratches[:n-1]
		return s
	}
	return new(scratch)
}

func (r *Rows) giveScratch(s *scratch) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.scratches = append(r.scratches, s)
}

func (r *Rows) takeBuf(n int64) []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if k := len(r.free); k > 0 {
		b := r.free[k-1]
		r.free = r.free[:k-1]
		return grow(b, n)
	}
	return make([]byte, n)
}

func (r *Rows) giveBuf(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.free) < 2*r.workers {
		r.free = append(r.free, b)
	}
}
