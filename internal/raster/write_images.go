package raster

import (
	"image"
	"image/color"
	"math"
)

// RGB is an image of 8-bit red, green, blue samples without alpha, in that order: pixel (x, y) is at
// Pix[(y-Rect.Min.Y)*Stride+(x-Rect.Min.X)*3:]. As the model of a page it makes a Writer write RGB; bands may then
// be *RGB, *image.RGBA or *image.NRGBA, whose alpha is ignored and whose colours are taken as stored.
type RGB struct {
	Pix    []uint8
	Stride int
	Rect   image.Rectangle
}

// NewRGB returns a black image with the bounds r.
func NewRGB(r image.Rectangle) *RGB {
	return &RGB{Pix: make([]uint8, 3*r.Dx()*r.Dy()), Stride: 3 * r.Dx(), Rect: r}
}

// ColorModel implements image.Image.
func (p *RGB) ColorModel() color.Model { return color.RGBAModel }

// Bounds implements image.Image.
func (p *RGB) Bounds() image.Rectangle { return p.Rect }

// Opaque is always true.
func (p *RGB) Opaque() bool { return true }

// PixOffset returns the index in Pix of the red sample of pixel (x, y).
func (p *RGB) PixOffset(x, y int) int { return (y-p.Rect.Min.Y)*p.Stride + (x-p.Rect.Min.X)*3 }

// At implements image.Image; outside the bounds it is transparent.
func (p *RGB) At(x, y int) color.Color {
	if !(image.Point{X: x, Y: y}.In(p.Rect)) {
		return color.RGBA{}
	}
	s := p.Pix[p.PixOffset(x, y):]
	return color.RGBA{R: s[0], G: s[1], B: s[2], A: 255}
}

// RGB48 is an image of 16-bit red, green, blue samples without alpha: pixel (x, y) is at
// Pix[(y-Rect.Min.Y)*Stride+(x-Rect.Min.X)*3:]. As the model of a page it makes a Writer write 16-bit RGB; bands may
// then be *RGB48, *image.RGBA64 or *image.NRGBA64, whose alpha is ignored and whose colours are taken as stored.
type RGB48 struct {
	Pix    []uint16
	Stride int
	Rect   image.Rectangle
}

// NewRGB48 returns a black image with the bounds r.
func NewRGB48(r image.Rectangle) *RGB48 {
	return &RGB48{Pix: make([]uint16, 3*r.Dx()*r.Dy()), Stride: 3 * r.Dx(), Rect: r}
}

// ColorModel implements image.Image.
func (p *RGB48) ColorModel() color.Model { return color.RGBA64Model }

// Bounds implements image.Image.
func (p *RGB48) Bounds() image.Rectangle { return p.Rect }

// Opaque is always true.
func (p *RGB48) Opaque() bool { return true }

// At implements image.Image; outside the bounds it is transparent.
func (p *RGB48) At(x, y int) color.Color {
	if !(image.Point{X: x, Y: y}.In(p.Rect)) {
		return color.RGBA64{}
	}
	s := p.Pix[(y-p.Rect.Min.Y)*p.Stride+(x-p.Rect.Min.X)*3:]
	return color.RGBA64{R: s[0], G: s[1], B: s[2], A: 65535}
}

// Gray32 is an image of unsigned 32-bit samples (labels, counts): pixel (x, y) is at
// Pix[(y-Rect.Min.Y)*Stride+x-Rect.Min.X]. Only TIFF holds it. At shows the high 16 bits.
type Gray32 struct {
	Pix    []uint32
	Stride int
	Rect   image.Rectangle
}

// NewGray32 returns an image of zeros with the bounds r.
func NewGray32(r image.Rectangle) *Gray32 {
	return &Gray32{Pix: make([]uint32, r.Dx()*r.Dy()), Stride: r.Dx(), Rect: r}
}

// ColorModel implements image.Image.
func (p *Gray32) ColorModel() color.Model { return color.Gray16Model }

// Bounds implements image.Image.
func (p *Gray32) Bounds() image.Rectangle { return p.Rect }

// At implements image.Image.
func (p *Gray32) At(x, y int) color.Color {
	if !(image.Point{X: x, Y: y}.In(p.Rect)) {
		return color.Gray16{}
	}
	return color.Gray16{Y: uint16(p.Pix[(y-p.Rect.Min.Y)*p.Stride+x-p.Rect.Min.X] >> 16)}
}

// Float32 is an image of 32-bit floating-point samples, any value, NaN and infinities included: pixel (x, y) is at
// Pix[(y-Rect.Min.Y)*Stride+x-Rect.Min.X]. Only TIFF holds it. At shows 0..1 as black to white.
type Float32 struct {
	Pix    []float32
	Stride int
	Rect   image.Rectangle
}

// NewFloat32 returns an image of zeros with the bounds r.
func NewFloat32(r image.Rectangle) *Float32 {
	return &Float32{Pix: make([]float32, r.Dx()*r.Dy()), Stride: r.Dx(), Rect: r}
}

// ColorModel implements image.Image.
func (p *Float32) ColorModel() color.Model { return color.Gray16Model }

// Bounds implements image.Image.
func (p *Float32) Bounds() image.Rectangle { return p.Rect }

// At implements image.Image.
func (p *Float32) At(x, y int) color.Color {
	if !(image.Point{X: x, Y: y}.In(p.Rect)) {
		return color.Gray16{}
	}
	v := float64(p.Pix[(y-p.Rect.Min.Y)*p.Stride+x-p.Rect.Min.X])
	if !(v > 0) { // NaN too
		return color.Gray16{}
	}
	return color.Gray16{Y: uint16(math.Round(math.Min(v, 1) * 65535))}
}
