package batch

import (
	"segscan/internal/raster"
	"segscan/segment"
)

// pixelSize is the length of a sample of a page along its lines, and where that is from: what --pixel-size gives, or
// else what the file states.
func (c *Config) pixelSize(page raster.Page) (size PixelSize, from string) {
	if c.PixelSize.Size != 0 {
		return c.PixelSize, "flag"
	}
	d, ok := page.(raster.Described)
	if !ok || c.PixelSize.Rule == PixelNone {
		return PixelSize{}, ""
	}
	s := d.Scale()
	if s.From == "" {
		return PixelSize{}, ""
	}
	size = PixelSize{Size: s.X, Unit: s.Unit}
	if c.Axis == segment.Cols {
		size.Size = s.Y
	}
	return size, s.From
}

// tableUnits tells whether the table has columns in units: by the flags alone, since it is begun before files are
// opened.
func (c *Config) tableUnits() bool {
	return c.PixelSize.Size != 0 || c.PixelSize.Rule == PixelColumns
}

// recordUnits tells whether the records of a file whose pages have this pixel size have columns in units.
func (c *Config) recordUnits(size PixelSize) bool { return size.Size != 0 || c.tableUnits() }
