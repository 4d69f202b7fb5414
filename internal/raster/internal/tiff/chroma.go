package tiff

import "image"

// chroma gives the chroma of an image row by row at full resolution. Where it is stored at half of it, it is
// interpolated with the triangle filter (weights 3 and 1 to the nearer and the farther sample, each way) that libjpeg
// and libwebp call fancy upsampling; other ratios repeat the nearest sample, as libjpeg does.
type chroma struct {
	m      *image.YCbCr
	halfX  bool
	halfY  bool
	cb, cr []uint8
	sum    []int32
}

func newChroma(m *image.YCbCr) *chroma {
	c := &chroma{m: m, cb: make([]uint8, m.Rect.Dx()), cr: make([]uint8, m.Rect.Dx())}
	switch m.SubsampleRatio {
	case image.YCbCrSubsampleRatio422:
		c.halfX = true
	case image.YCbCrSubsampleRatio420:
		c.halfX, c.halfY = true, true
	}
	return c
}

// row gives both chroma components of row y, valid until the next call.
func (c *chroma) row(y int) (cb, cr []uint8) {
	m := c.m
	if !c.halfX {
		for x := range c.cb {
			at := m.COffset(x, y)
			c.cb[x], c.cr[x] = m.Cb[at], m.Cr[at]
		}
		return c.cb, c.cr
	}
	if m.Rect.Dx() == 0 {
		return nil, nil
	}
	n := (m.Rect.Dx() + 1) / 2
	near, far := y, y
	if c.halfY {
		near = y / 2
		far = min(max(near-1+y%2*2, 0), (m.Rect.Dy()+1)/2-1)
	}
	c.line(c.cb, m.Cb[near*m.CStride:][:n], m.Cb[far*m.CStride:][:n])
	c.line(c.cr, m.Cr[near*m.CStride:][:n], m.Cr[far*m.CStride:][:n])
	return c.cb, c.cr
}

func (c *chroma) line(dst, near, far []uint8) {
	if cap(c.sum) < len(near) {
		c.sum = make([]int32, len(near))
	}
	// Sums count sixteenths with half resolution both ways, quarters otherwise.
	sum, shift, even, odd := c.sum[:len(near)], uint(2), int32(1), int32(2)
	for i := range sum {
		sum[i] = int32(near[i])
	}
	if c.halfY {
		shift, even, odd = 4, 8, 7
		for i := range sum {
			sum[i] = 3*sum[i] + int32(far[i])
		}
	}
	last := len(sum) - 1
	for x := range dst {
		i := x / 2
		if x%2 == 0 {
			dst[x] = uint8((3*sum[i] + sum[max(i-1, 0)] + even) >> shift)
		} else {
			dst[x] = uint8((3*sum[i] + sum[min(i+1, last)] + odd) >> shift)
		}
	}
}
