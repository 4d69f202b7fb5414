package tiff

import (
	"fmt"
	"math"
)

// readCodec reads how the samples are compressed.
func (p *Page) readCodec() error {
	v, err := p.uint(TagCompression, 1)
	if err != nil {
		return err
	}
	p.Compression = Compression(min(v, math.MaxUint16))
	name := fmt.Sprintf("%d (%v compression)", v, p.Compression)
	switch p.Compression {
	case CompNone, CompPackBits, CompLZW, CompDeflate, CompDeflateOl, CompZstd, CompWebP:
	case CompCCITTRLE, CompCCITTRLEW, CompFax3, CompFax4:
		if p.Bits != 1 || p.Stored != 1 && !p.Planar {
			return p.bad(TagCompression, name, fmt.Sprintf("needs 1 bit and 1 sample a pixel, not %d and %d", p.Bits, p.Stored),
				remedyDamaged)
		}
		tag := TagT4Options
		if p.Compression == CompFax4 {
			tag = TagT6Options
		}
		if p.t4 = p.optional(tag, 0); p.t4&2 != 0 {
			return p.refuse(tag, p.t4, "(uncompressed mode) is not read", remedyRewrite)
		}
	case CompJPEG:
		if err := p.readJPEGTables(); err != nil {
			return err
		}
	case CompOldJPEG:
		return p.refuse(TagCompression, name, "is not read", remedyRewrite)
	default:
		return p.refuse(TagCompression, name, "is not read", "rewrite the file uncompressed or with LZW, Deflate or Zstandard")
	}
	fill := p.optional(TagFillOrder, 1)
	if fill != 1 && fill != 2 {
		p.warn("FillOrder %d is neither 1 nor 2 and is taken as 1", fill)
	}
	p.fillLSB = fill == 2
	return p.readPredictor()
}

// readPredictor reads Predictor, which means something only to the codecs that libtiff applies it to.
func (p *Page) readPredictor() error {
	p.Predictor = 1
	v := p.optional(TagPredictor, 1)
	switch p.Compression {
	case CompLZW, CompDeflate, CompDeflateOl, CompZstd:
	default:
		if v != 1 {
			p.warn("Predictor %d has no meaning for %v data and is not applied", v, p.Compression)
		}
		return nil
	}
	switch v {
	case 1:
	case 2:
		if p.Bits != 8 && p.Bits != 16 && p.Bits != 32 && p.Bits != 64 {
			return p.refuse(TagPredictor, v, fmt.Sprintf("is not read with %d-bit samples (8, 16, 32, 64 are)", p.Bits), remedyRewrite)
		}
	case 3:
		if p.Format != Float {
			return p.bad(TagPredictor, v, fmt.Sprintf("is for floating-point samples, these are %v", p.Format), remedyDamaged)
		}
	default:
		return p.bad(TagPredictor, v, "is none of 1, 2, 3", remedyDamaged)
	}
	p.Predictor = int(v)
	return nil
}

// readChunks reads how the page is cut into strips or tiles, and where they are.
func (p *Page) readChunks() error {
	_, tw := p.d.fields[TagTileWidth]
	_, to := p.d.fields[TagTileOffsets]
	p.Tiled = tw || to
	offTag, countTag := TagStripOffsets, TagStripByteCounts
	if p.Tiled {
		offTag, countTag = TagTileOffsets, TagTileByteCounts
		if err := p.readTiles(); err != nil {
			return err
		}
		// Some writers put the places of tiles into the tags of strips.
		if _, ok := p.d.fields[offTag]; !ok {
			offTag, countTag = TagStripOffsets, TagStripByteCounts
		}
	}
	var ok bool
	if p.offsets, ok = p.d.fields[offTag]; !ok {
		return p.bad(offTag, nil, "is missing", remedyDamaged)
	}
	p.counts, p.hasCounts = p.d.fields[countTag]
	if !p.Tiled {
		if err := p.readStrips(); err != nil {
			return err
		}
	}
	p.across = (p.Width + p.ChunkW - 1) / p.ChunkW
	p.down = (p.Height + p.ChunkH - 1) / p.ChunkH
	need := p.across * p.down * p.planes()
	if p.offsets.count < uint64(need) {
		values := "values"
		if p.offsets.count == 1 {
			values = "value"
		}
		return p.bad(offTag, nil, fmt.Sprintf("holds %d %s, the page needs %d", p.offsets.count, values, need), remedyDamaged)
	}
	if p.hasCounts && p.counts.count < uint64(need) {
		p.warn("%v holds %d values instead of %d and is not used", countTag, p.counts.count, need)
		p.hasCounts = false
	} else if !p.hasCounts {
		p.warn("%v is missing; sizes are worked out", countTag)
	}
	for _, f := range []field{p.offsets, p.counts} {
		if f.tag != 0 {
			if err := p.checkTable(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTable makes sure that a table of offsets or sizes is of integers and inside the file.
func (p *Page) checkTable(f field) error {
	switch f.typ {
	case 3, 4, 13, 16, 18, 1:
	default:
		return p.bad(f.tag, nil, fmt.Sprintf("has field type %d where an integer is needed", f.typ), remedyDamaged)
	}
	sz := uint64(typeSize(f.typ))
	if f.count > uint64(p.f.src.size)/sz || f.off < 0 || f.off > p.f.src.size-int64(f.count*sz) {
		return p.bad(f.tag, nil, fmt.Sprintf("of %d values at offset %d lies outside the file of %d bytes", f.count, f.off, p.f.src.size),
			remedyDamaged)
	}
	return nil
}

func (p *Page) readTiles() error {
	for _, s := range []struct {
		tag Tag
		to  *int64
	}{{TagTileWidth, &p.ChunkW}, {TagTileLength, &p.ChunkH}} {
		v, err := p.uint(s.tag, 0)
		if err != nil {
			return err
		}
		if v == 0 || v > math.MaxInt32 {
			return p.bad(s.tag, v, "is not a usable size", remedyDamaged)
		}
		*s.to = int64(v)
	}
	return nil
}

func (p *Page) readStrips() error {
	p.ChunkW = p.Width
	const infinite = math.MaxUint32
	rows, err := p.uint(TagRowsPerStrip, infinite)
	if err != nil {
		return err
	}
	perPlane := int64(min(p.offsets.count, math.MaxInt32)) / p.planes()
	_, given := p.d.fields[TagRowsPerStrip]
	if rows == 0 || !given && perPlane > 1 {
		if perPlane < 1 {
			return p.bad(TagRowsPerStrip, rows, "is not a usable number", remedyDamaged)
		}
		rows = uint64((p.Height + perPlane - 1) / perPlane)
		p.warn("RowsPerStrip is missing or 0; %d rows in each of %d strips are assumed", rows, perPlane)
	}
	p.ChunkH = int64(min(rows, uint64(p.Height)))
	return nil
}

func (p *Page) planes() int64 {
	if p.Planar {
		return int64(p.Stored)
	}
	return 1
}

// maxRowBytes bounds the bytes of one row of a chunk, and those of a page's row of several samples a pixel as handed
// out. Rows of one sample that are not compressed are read piece by piece and may be longer.
const maxRowBytes = 1 << 30

// checkSize works out the bytes of rows and strips, and refuses what is out of proportion.
func (p *Page) checkSize() error {
	spp := int64(p.Stored)
	if p.Planar {
		spp = 1
	}
	bits, limit := p.ChunkW*spp, int64(maxRowBytes*8) // below 2^47
	if p.Compression == CompNone && !p.subsampled() {
		limit = 8 * p.f.src.size
		table := chunkTable{p: p}
		if off, n, err := table.at(0); err == nil && (chunkRef{off: off, n: n}).sparse() {
			limit = max(limit, 8*freeBytes) // what is not stored may be wider than the file
		}
	}
	if bits > limit/int64(p.Bits) || p.Stored > 1 && p.Width*int64(p.Stored) > maxRowBytes/p.Type.Bytes() {
		return p.bad(TagSamplesPerPixel, p.Stored, fmt.Sprintf("of %d bits make rows of %d pixels too long", p.Bits, p.ChunkW), remedyDamaged)
	}
	p.rowBytes = (bits*int64(p.Bits) + 7) / 8
	// Padding of tiles may not be out of proportion either: a small page in huge tiles.
	decoded := float64(p.across) * float64(p.rowBytes) * float64(p.Height) * float64(p.planes())
	if decoded > freeBytes && decoded > p.f.limits.MaxRatio*float64(p.f.src.size) {
		return &Error{Page: p.Index, Msg: fmt.Sprintf("%d x %d pixels are %.0f bytes from a file of %d, more than %.0f to 1",
			p.Width, p.Height, decoded, p.f.src.size, p.f.limits.MaxRatio),
			Remedy: "if the file is genuine, raise the limit (--max-ratio)", Err: ErrUnsupported}
	}
	if chunk := p.rowBytes * min(p.ChunkH, p.Height); p.held() && chunk > p.f.limits.MaxChunk {
		return &Error{Page: p.Index, Msg: fmt.Sprintf("strips or tiles of %d x %d pixels (%d bytes) with %v compression are above the limit of %d",
			p.ChunkW, p.ChunkH, chunk, p.Compression, p.f.limits.MaxChunk), Remedy: "rewrite the file with smaller tiles", Err: ErrUnsupported}
	}
	return nil
}

// held says whether a chunk must be decoded whole to get at its rows.
func (p *Page) held() bool {
	if p.Compression == CompNone {
		return p.subsampled()
	}
	return p.Tiled || p.Compression == CompJPEG || p.Compression == CompWebP || p.subsampled()
}

// chunkTable looks up where chunks are, a few thousand at a time, so that a table never takes much memory. It is not
// safe for concurrent use.
type chunkTable struct {
	p            *Page
	first        int64 // of the entries held
	offs, counts []byte
	held         int64
}

const tablePage = 4096 // entries

// at gives place and stored size of chunk i. n < 0: not known, as far as the file goes.
func (t *chunkTable) at(i int64) (off, n int64, err error) {
	if i < t.first || i >= t.first+t.held {
		if err := t.load(i); err != nil {
			return 0, 0, err
		}
	}
	p, k := t.p, int(i-t.first)
	o := p.f.src.uintAt(t.offs, p.offsets.typ, k)
	n = -1
	if p.hasCounts {
		c := p.f.src.uintAt(t.counts, p.counts.typ, k)
		if n = int64(min(c, math.MaxInt64)); n == 0 && o != 0 {
			n = -1 // some writers leave it at 0; libtiff works it out too
		}
	}
	if o > uint64(p.f.src.size) || o == uint64(p.f.src.size) && n != 0 {
		return 0, 0, &Error{Page: p.Index, Tag: p.offsets.tag, Value: fmt.Sprint(o),
			Msg: fmt.Sprintf("of chunk %d is outside the file of %d bytes", i, p.f.src.size), Remedy: remedyDamaged}
	}
	return int64(o), n, nil
}

func (t *chunkTable) load(i int64) error {
	p := t.p
	first := i / tablePage * tablePage
	held := min(tablePage, int64(p.offsets.count)-first)
	if p.hasCounts {
		held = min(held, int64(p.counts.count)-first)
	}
	read := func(f field, b []byte) ([]byte, error) {
		sz := typeSize(f.typ)
		if int64(cap(b)) < held*sz {
			b = make([]byte, tablePage*sz)
		}
		b = b[:held*sz]
		if err := p.f.src.read(b, f.off+first*sz); err != nil {
			return nil, &Error{Page: p.Index, Tag: f.tag, Msg: "cannot be read", Err: err, Remedy: remedyDamaged}
		}
		return b, nil
	}
	var err error
	t.held = 0
	if t.offs, err = read(p.offsets, t.offs); err != nil {
		return err
	}
	if p.hasCounts {
		if t.counts, err = read(p.counts, t.counts); err != nil {
			return err
		}
	}
	t.first, t.held = first, held
	return nil
}
