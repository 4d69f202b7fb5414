// Package viz draws segmentation results: overlays by band of rows and, later, plots. It depends on segment only;
// imaging and plotting libraries are used only here.
package viz

import (
	"image"

	"segscan/segment"
)

// Mark is what an overlay shows at one pixel.
type Mark uint8

// Marks, strongest last.
const (
	None     Mark = iota
	Rejected      // inside a rejected span (--spans all)
	Inside        // strictly inside a segment, or a clipped end sample
	Edge          // a boundary sample that bounds a segment
)

// Marks is a band of rows of marks in page orientation: pixel (x, y) of the page is at [(y-Y0)*W + x-X0].
type Marks struct {
	X0, Y0, W, H int
	Of           []Mark
}

// Style draws one band of page rows. b is a row band (Axis Rows) of the page whatever axis was segmented; the image
// covers its body rows only, and has the type of Model.
type Style interface {
	Model() image.Image
	Draw(b segment.Band, m *Marks) (image.Image, error)
}
