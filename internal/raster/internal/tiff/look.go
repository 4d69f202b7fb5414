package tiff

// What follows is for people who want to know what a page is; reading it needs none of it.

// Has says whether the page has a tag.
func (p *Page) Has(tag Tag) bool {
	_, ok := p.d.fields[tag]
	return ok
}

// Bytes is the size of a tag's values; 0 where the page lacks it.
func (p *Page) Bytes(tag Tag) int64 {
	f, ok := p.d.fields[tag]
	if !ok || f.count > uint64(p.f.src.size) {
		return 0
	}
	return int64(f.count) * typeSize(f.typ)
}

// Text is the text of a tag, up to 64 KiB of it; empty where there is none.
func (p *Page) Text(tag Tag) string {
	f, ok := p.d.fields[tag]
	if !ok {
		return ""
	}
	t, err := p.f.src.text(f, longText)
	if err != nil {
		return ""
	}
	return t
}

// Chunks is the number of strips or tiles, of all planes.
func (p *Page) Chunks() int64 { return p.across * p.down * p.planes() }

// Subsampling is how many luma samples share a chroma sample, across and down; 1, 1 where all have their own.
func (p *Page) Subsampling() (x, y int64) { return max(p.subX, 1), max(p.subY, 1) }

// LowBitFirst says whether the first of several samples in a byte is in its low bits (FillOrder 2).
func (p *Page) LowBitFirst() bool { return p.fillLSB }
