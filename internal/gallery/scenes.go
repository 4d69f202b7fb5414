package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io/fs"
	"math"
	"math/rand/v2"

	"segscan/samples"
)

// scene is an input that the samples do not hold: uneven light, small lights over a textured ground, colour.
type scene struct {
	name string
	draw func() (image.Image, error)
}

// scenes are the inputs drawn here, beside the pictures made of them.
func scenes() []scene {
	return []scene{{"page.png", page}, {"light.png", light}, {"beads.png", beads}, {"stain.png", stain}, {"grain.png", grain}, {"fringes.png", fringes}}
}

// encodePNG is an image at the best compression.
func encodePNG(img image.Image) ([]byte, error) {
	var b bytes.Buffer
	e := png.Encoder{CompressionLevel: png.BestCompression}
	if err := e.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encode a scene: %w", err)
	}
	return b.Bytes(), nil
}

func source(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6a11e5)) }

func byteOf(v float64) uint8 { return uint8(math.Round(255 * min(max(v, 0), 1))) }

// smooth goes from 0 at a to 1 at b.
func smooth(v, a, b float64) float64 {
	x := min(max((v-a)/(b-a), 0), 1)
	return x * x * (3 - 2*x)
}

// page is print on paper as a camera sees it: the words of the sample text.png, dark on bright, light from the left,
// and a shadow over the right, in which the paper is darker than the print in the light.
func page() (image.Image, error) {
	data, err := fs.ReadFile(samples.Files(), "text.png")
	if err != nil {
		return nil, fmt.Errorf("read the words: %w", err)
	}
	words, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("read the words: %w", err)
	}
	const x0, y0 = 22, 16
	img, rng := image.NewGray(image.Rect(0, 0, pageWidth, pageHeight)), source(1)
	for y := range pageHeight {
		for x := range pageWidth {
			word := color.GrayModel.Convert(words.At(x+x0, y+y0)).(color.Gray).Y
			ink := smooth(float64(word), 45, 190)
			v := lightOf(x, y)*(0.93-0.72*ink) + 0.004*rng.NormFloat64()
			img.SetGray(x, y, color.Gray{Y: byteOf(v)})
		}
	}
	return img, nil
}

const pageWidth, pageHeight = 392, 148

// lightOf is how much light falls on a place of the page.
func lightOf(x, y int) float64 {
	fx, fy := float64(x)/pageWidth, float64(y)/pageHeight
	edge := fx + 0.32*fy + 0.03*math.Sin(9*fy)
	return (0.98 - 0.30*fx - 0.10*fy) * (1 - 0.70*smooth(edge, 0.62, 0.86))
}

// light is the paper of the page without print, for a flat field.
func light() (image.Image, error) {
	img, rng := image.NewGray(image.Rect(0, 0, pageWidth, pageHeight)), source(6)
	for y := range pageHeight {
		for x := range pageWidth {
			img.SetGray(x, y, color.Gray{Y: byteOf(0.93*lightOf(x, y) + 0.002*rng.NormFloat64())})
		}
	}
	return img, nil
}

// beads are small lights of all strengths over a dark, softly textured ground.
func beads() (image.Image, error) {
	const w, h, n = 264, 160, 34
	rng := source(2)
	type bead struct{ x, y, r, v float64 }
	var all []bead
	for range n {
		all = append(all, bead{8 + rng.Float64()*(w-16), 8 + rng.Float64()*(h-16), 2 + 2.2*rng.Float64(), 0.18 + 0.7*rng.Float64()*rng.Float64()})
	}
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			v := 0.10 + 0.012*math.Sin(fx/17+math.Sin(fy/23)) + 0.010*math.Sin(fy/11+fx/31) + 0.008*rng.NormFloat64()
			for _, b := range all {
				d := math.Hypot(fx-b.x, fy-b.y)
				v += b.v * (1 - smooth(d, b.r-1.2, b.r+1.4))
			}
			img.SetGray(x, y, color.Gray{Y: byteOf(v)})
		}
	}
	return img, nil
}

// blob is an ellipse at an angle: inside it is 1, with an edge so soft.
type blob struct{ x, y, a, b, angle, value float64 }

func (b *blob) at(x, y, soft float64) float64 {
	dx, dy := x-b.x, y-b.y
	c, s := math.Cos(b.angle), math.Sin(b.angle)
	u, v := (dx*c+dy*s)/b.a, (dy*c-dx*s)/b.b
	d := (math.Hypot(u, v) - 1) * min(b.a, b.b)
	return 1 - smooth(d, -soft, soft)
}

// scattered are blobs that keep a distance from each other, sizes and values within bounds.
func scattered(rng *rand.Rand, n int, w, h, least, most, apart float64) []blob {
	var all []blob
	for try := 0; len(all) < n && try < 100*n; try++ {
		a := least + (most-least)*rng.Float64()
		b := blob{most + rng.Float64()*(w-2*most), most + rng.Float64()*(h-2*most), a, a * (0.65 + 0.3*rng.Float64()), math.Pi * rng.Float64(), rng.Float64()}
		free := true
		for _, o := range all {
			free = free && math.Hypot(b.x-o.x, b.y-o.y) > b.a+o.a+apart
		}
		if free {
			all = append(all, b)
		}
	}
	return all
}

// stain is stained tissue: violet nuclei and a few brown ones on a pink ground, lit from one corner.
func stain() (image.Image, error) {
	const w, h = 216, 144
	rng := source(3)
	all := scattered(rng, 30, w, h, 6, 11, 3)
	ground, violet, brown := [3]float64{0.90, 0.72, 0.82}, [3]float64{0.42, 0.27, 0.60}, [3]float64{0.55, 0.33, 0.17}
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			light := 1.04 - 0.30*fx/w - 0.16*fy/h
			weave := 0.025 * math.Sin(fx/9+2*math.Sin(fy/14)) * math.Cos(fy/11)
			c := ground
			for i := range c {
				c[i] += weave * []float64{0.4, 1, 0.7}[i]
			}
			for i, b := range all {
				nucleus := violet
				if i%5 == 0 {
					nucleus = brown
				}
				k := b.at(fx, fy, 1.3)
				for j := range c {
					c[j] += k * (nucleus[j] + 0.05*(b.value-0.5) - c[j])
				}
			}
			noise := 0.003 * rng.NormFloat64()
			img.SetRGBA(x, y, color.RGBA{byteOf(c[0]*light + noise), byteOf(c[1]*light + noise), byteOf(c[2]*light + noise), 255})
		}
	}
	return img, nil
}

// grain is two kinds of material of broad, overlapping grays, as in a section under the microscope.
func grain() (image.Image, error) {
	const w, h = 240, 160
	rng := source(4)
	all := scattered(rng, 20, w, h, 11, 22, 4)
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			v := 0.36 + 0.05*math.Sin(fx/13+math.Sin(fy/7))
			for _, b := range all {
				k := b.at(fx, fy, 2.5)
				v += k * (0.56 + 0.20*b.value + 0.05*math.Sin(fx/5)*math.Cos(fy/6) - v)
			}
			img.SetGray(x, y, color.Gray{Y: byteOf(v + 0.025*rng.NormFloat64())})
		}
	}
	return img, nil
}

// fringes are curved stripes without flat ground between them, whose light and contrast fade towards a corner.
func fringes() (image.Image, error) {
	const w, h = 240, 160
	rng := source(5)
	img := image.NewGray(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := float64(x), float64(y)
			r := math.Hypot(fx+40, 1.3*(fy-190))
			fade := 1 - 0.8*smooth(fx/w+0.5*fy/h, 0.1, 1.2)
			wave := math.Sin(2*math.Pi*r/(11+0.01*r) + 0.8*math.Sin(fx/40))
			v := 0.08 + 0.5*fade + 0.24*(0.15+0.85*fade)*wave + 0.006*rng.NormFloat64()
			img.SetGray(x, y, color.Gray{Y: byteOf(v)})
		}
	}
	return img, nil
}
