package gpu

import "segscan/kernels/cuda"

// Images of a case that has many: the most, and the least samples between two. Each begins as far from a multiple of
// fusedAlign as the first, as images do that are brought to the device one after the other.
const (
	mostSpeedImages = 1 << 12
	imageGap        = 37
)

// imageLines is the lines of one image of the case.
func (r *speedRun) imageLines() uint64 { return r.lines / max(1, r.c.Images) }

// imageAt is the number of the first sample of image i.
func (r *speedRun) imageAt(i uint64) uint64 {
	return r.c.Offset + i*(r.imageLines()*r.c.Pitch+imageGap)
}

// layOut describes the images of a case that has many.
func (r *speedRun) layOut(by *fusedClasses) (images []cuda.FusedImage, runs uint64) {
	size, run := uint64(r.c.Type.Bytes()), r.e.fused.shape(r.e, "many_"+by.name, r.c.Type, r.lines*r.c.Pitch).run
	for i := range r.c.Images {
		im := manyImage(r.samples.at(r.imageAt(i)*size), size, r.imageLines(), r.c.Width, r.c.Pitch, run)
		im.FirstRun = uint32(runs)
		runs += (uint64(im.End) + run - 1) / run
		images = append(images, im)
	}
	return images, runs
}

// manyParams are the launches of a case that has many images.
func (r *speedRun) manyParams() (grid fusedGrid, params []*cuda.FusedParams, err error) {
	by := r.by()
	images, runs := r.layOut(&by)
	by.name = "many_" + by.name
	shape := r.e.fused.shape(r.e, by.name, r.c.Type, r.lines*r.c.Pitch)
	if grid, err = r.e.fused.grid(r.e, by.name, r.c.Type, runs*shape.run); err != nil {
		return grid, nil, err
	}
	for group := range 2 {
		job := r.job(group == 1)
		p := &cuda.FusedParams{Images: r.images.ptr, RunImages: r.runImages.ptr, Runs: uint32(runs), ImageCount: uint32(len(images)), Classes: r.table.ptr,
			Descriptors: job.descriptors, Dropped: job.dropped, Spans: job.spans, Total: job.total,
			Capacity: uint32(min(job.capacity, cuda.NoIndex)), Keep: flag(job.keep), Rejected: flag(job.rejected)}
		manyParams(p, &grid, by)
		params = append(params, p)
		if !r.c.Both {
			break
		}
	}
	return grid, params, nil
}
