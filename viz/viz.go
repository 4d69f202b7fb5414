// Package viz draws what segmentation found: pictures of pages with their segments marked, plots of lines,
// histograms and segments, and contact sheets that compare kernels. It depends on segment only; imaging and plotting
// libraries are used only here.
//
// Pictures are drawn by bands of rows from the top, in memory that does not depend on the height of the page, and
// their pixels do not depend on how the page was cut.
package viz

// Look is what a picture shows, the value of --style.
type Look string

// Looks. Tint: the source, the inside of segments tinted, their boundaries in a solid colour. Outline: the source
// with a line around each region of segments. Ticks: the source with the boundaries only. Mask: white strictly
// inside segments (the samples that are measured), black elsewhere, gray inside rejected spans. Classes: the source
// tinted by what the kernel called each sample. Side: the source, and beside it the same tinted.
const (
	Tint    Look = "tint"
	Outline Look = "outline"
	Ticks   Look = "ticks"
	Mask    Look = "mask"
	Classes Look = "classes"
	Side    Look = "side"
)

// Looks names every look, the default first.
func Looks() []string {
	return []string{string(Tint), string(Outline), string(Ticks), string(Mask), string(Classes), string(Side)}
}

// Mark is what a picture shows at one pixel.
type Mark uint8

// Marks, strongest last. Under the look Classes they are classes instead: None other, Inside activation, Edge
// boundary.
const (
	None     Mark = iota
	Rejected      // inside a rejected span (--spans all)
	Inside        // strictly inside a segment, or a clipped end sample
	Edge          // a boundary sample that bounds a segment
)

// Marks is a band of rows of marks in page orientation: pixel (x, y) of the page is at [(y-Y0)*W + x-X0].
//
// Thick is how many pixels long the mark of a boundary is at most: it begins on the boundary sample and grows away
// from the segment, to no more than a quarter of its length, over pixels that are in no segment. 0 and 1 mark the
// sample alone.
type Marks struct {
	X0, Y0, W, H int
	Of           []Mark
	Thick        int
}
