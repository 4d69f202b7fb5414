package tiff

import (
	"context"
	"io"
)

// stream decodes one long strip of one plane row by row.
type stream struct {
	s   scratch
	ref chunkRef
	d   io.Reader
	row []byte
	tmp []byte
}

// nextStreamed decodes strips too large to be held. A pass goes down only, so each strip is decoded once a pass.
func (r *Rows) nextStreamed(ctx context.Context, dst Block, n int) error {
	p := r.p
	for y := r.y; y < r.y+int64(n); y++ {
		if y&63 == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if cy := y / p.ChunkH; cy != r.streamAt {
			if err := r.openStreams(ctx, cy, y-cy*p.ChunkH); err != nil {
				return err
			}
		}
		for _, st := range r.streams {
			if err := p.streamRow(st); err != nil {
				return err
			}
		}
		c := &cell{x0: r.x, x1: r.x + r.w}
		r.row(&r.streams[0].s, dst, c, y, 0, func(k int) []byte { return r.streams[k].row })
	}
	return nil
}

// openStreams begins strip cy and skips its first rows.
func (r *Rows) openStreams(ctx context.Context, cy, skip int64) (err error) {
	p := r.p
	if r.streams == nil {
		for range p.planes() {
			st := &stream{row: make([]byte, p.rowBytes), tmp: make([]byte, p.rowBytes)}
			r.streams = append(r.streams, st)
			r.scratches = append(r.scratches, &st.s)
		}
	}
	r.streamAt = cy
	for k, st := range r.streams {
		if st.ref, err = r.ref(int64(k)*p.down + cy); err != nil {
			return err
		}
		if st.d = nil; st.ref.sparse() {
			p.f.note("page %d: strips or tiles that are not stored are read as 0", p.Index)
			continue
		}
		in, err := p.stored(&st.s, st.ref.off, st.ref.n)
		if err == nil {
			st.d, err = p.decoder(&st.s, in, int(p.ChunkW))
		}
		if err != nil {
			return p.chunkError(st.ref, err)
		}
		for y := range skip {
			if y&63 == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			if err := p.streamRow(st); err != nil {
				return err
			}
		}
	}
	return nil
}

// streamRow decodes the next row of st.
func (p *Page) streamRow(st *stream) (err error) {
	if st.d == nil {
		clear(st.row)
	} else if err := p.readRows(st.d, st.row, 1); err != nil {
		return p.chunkError(st.ref, err)
	}
	p.unpredict(st.row, st.tmp, p.step())
	p.finishRows(st.row, 1, st.ref.plane)
	return nil
}
