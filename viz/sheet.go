package viz

import (
	"errors"
	"image"
	"image/color"
	"image/draw"
)

// TileWidth and TileHeight bound the pictures of a sheet, in pixels.
const (
	TileWidth  = 340
	TileHeight = 256
)

// Tile is one picture of a contact sheet with what stands below it: a heading, a line of text, the command that
// makes the picture, and a remark; each may be empty.
type Tile struct {
	Picture                        *image.RGBA
	Heading, Text, Command, Remark string
}

// Sheet is a contact sheet: title and notes above, tiles of one width below, from left to right.
type Sheet struct {
	Title   string
	Notes   []string
	Columns int
	Tiles   []Tile
}

const (
	sheetMargin = 20
	sheetGap    = 18
)

// sheetText is the letters of a sheet.
type sheetText struct{ title, plain, mono *lettering }

// caption is the broken lines below a tile.
type caption struct {
	lines []captionLine
	h     int
}

type captionLine struct {
	text string
	t    *lettering
	c    color.RGBA
}

var faint = color.RGBA{110, 110, 110, 255}

// Draw draws the sheet, whose size follows from what is on it.
func (s *Sheet) Draw() (*image.RGBA, error) {
	if len(s.Tiles) == 0 || s.Columns < 1 {
		return nil, errors.New("the sheet has no tiles")
	}
	var t sheetText
	var errs [3]error
	t.title, errs[0] = newLettering(20, false)
	t.plain, errs[1] = newLettering(13, false)
	t.mono, errs[2] = newLettering(12, true)
	if err := errors.Join(errs[:]...); err != nil {
		return nil, err
	}
	columns := min(s.Columns, len(s.Tiles))
	width := max(2*sheetMargin+columns*TileWidth+(columns-1)*sheetGap, 2*sheetMargin+2*TileWidth)
	head := t.heading(s, width-2*sheetMargin)
	height := sheetMargin + head.h + sheetGap
	var captions []caption
	var tops []int
	for i := 0; i < len(s.Tiles); i += columns {
		picture, text := 0, 0
		for _, tile := range s.Tiles[i:min(i+columns, len(s.Tiles))] {
			c := t.caption(tile)
			captions = append(captions, c)
			picture, text = max(picture, tile.Picture.Rect.Dy()), max(text, c.h)
		}
		tops = append(tops, height)
		height += picture + text + sheetGap
	}
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	fillRect(img, img.Rect, paper)
	head.draw(img, sheetMargin, sheetMargin)
	for i, tile := range s.Tiles {
		x, y := sheetMargin+i%columns*(TileWidth+sheetGap), tops[i/columns]
		r := tile.Picture.Rect.Sub(tile.Picture.Rect.Min).Add(image.Pt(x, y))
		fillRect(img, r.Inset(-1), frameGray)
		draw.Draw(img, r, tile.Picture, tile.Picture.Rect.Min, draw.Src)
		captions[i].draw(img, x, r.Max.Y+4)
	}
	return img, nil
}

func (c *caption) add(t *lettering, colour color.RGBA, text string, width int) {
	for _, l := range t.wrap(text, width) {
		c.lines = append(c.lines, captionLine{l, t, colour})
		c.h += t.height
	}
}

func (c *caption) draw(img *image.RGBA, x, y int) {
	for _, l := range c.lines {
		l.t.draw(img, x, y, l.c, l.text)
		y += l.t.height
	}
}

func (t *sheetText) heading(s *Sheet, width int) caption {
	var c caption
	c.add(t.title, letter, s.Title, width)
	for _, n := range s.Notes {
		c.add(t.plain, faint, n, width)
	}
	return c
}

func (t *sheetText) caption(tile Tile) caption {
	var c caption
	c.add(t.plain, letter, tile.Heading, TileWidth)
	c.add(t.plain, faint, tile.Text, TileWidth)
	c.add(t.mono, color.RGBA{0, 70, 140, 255}, tile.Command, TileWidth)
	c.add(t.plain, faint, tile.Remark, TileWidth)
	c.h += 4
	return c
}

// Canvas gathers the bands of a Picture in memory, as RGBA.
type Canvas struct{ Image *image.RGBA }

// NewCanvas is for the whole of p.
func NewCanvas(p *Picture) *Canvas {
	w, h := p.Size()
	return &Canvas{image.NewRGBA(image.Rect(0, 0, int(w), int(h)))}
}

// Add takes rows that Draw or Finish gave; nil is none.
func (c *Canvas) Add(img image.Image) error {
	if img != nil {
		draw.Draw(c.Image, img.Bounds(), img, img.Bounds().Min, draw.Src)
	}
	return nil
}

const (
	mostEnlarged = 16
	leastSide    = 48 // pixels of a picture that fills its tile one way
)

// Enlargement is how many pixels of a tile each pixel of a picture of w by h becomes: a square as large as fits, up to 16
// pixels. Of a picture that is long and narrow they are longer across, so that something can be seen of it.
func Enlargement(w, h int) (x, y int) {
	w, h = max(w, 1), max(h, 1)
	k := max(min(TileWidth/w, TileHeight/h, mostEnlarged), 1)
	if k == mostEnlarged {
		return k, k
	}
	return max(k, min((leastSide+w-1)/w, TileWidth/w)), max(k, min((leastSide+h-1)/h, TileHeight/h))
}

// Enlarged gives the picture with its pixels as large as Enlargement has them.
func (c *Canvas) Enlarged() *image.RGBA {
	b := c.Image.Rect
	kx, ky := Enlargement(b.Dx(), b.Dy())
	if kx == 1 && ky == 1 {
		return c.Image
	}
	img := image.NewRGBA(image.Rect(0, 0, kx*b.Dx(), ky*b.Dy()))
	for y := range b.Dy() {
		for x := range b.Dx() {
			fillRect(img, image.Rect(kx*x, ky*y, kx*x+kx, ky*y+ky), c.Image.RGBAAt(x, y))
		}
	}
	return img
}
