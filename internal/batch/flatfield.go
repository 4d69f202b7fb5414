package batch

import (
	"context"
	"errors"
	"fmt"
	"image"
	"sync"

	"segscan/internal/raster"
	"segscan/segment"
)

// flatField corrects uneven light by an image of it: (v - dark) / (background - dark), times the mean of background -
// dark over the page where it is more than 0. One serves all pages of a run at once: each pass over a page reads the
// images along with it, and no more of them is held than the decoder keeps of any page.
type flatField struct {
	background, dark *fieldFile // dark may be nil

	mu    sync.Mutex
	means map[[2]int]fieldMean // by page of the background and of dark
}

type fieldMean struct {
	mean float64
	err  error
}

// fieldFile is one of the images, open for the run.
type fieldFile struct {
	flag, path string
	src        *source
	rd         raster.Reader
	pages      []raster.Page
}

// name is what messages call it.
func (f *fieldFile) name() string { return f.flag + " " + recordName(f.path) }

// checkField refuses what no images of a flat field could make right.
func (c *Config) checkField() error {
	switch {
	case c.Dark != "" && c.Background == "":
		return &UsageError{Msg: "--dark is given without --background", Hint: "give the image of the evenly lit field as --background"}
	case c.Background == "-" || c.Dark == "-":
		return &UsageError{Msg: "the images of a flat field are read more than once, and standard input is not", Hint: "give --background and --dark a file"}
	case c.Background != "" && c.Kernel != nil && c.Kernel.Needs().Channels:
		return &UsageError{
			Msg:  fmt.Sprintf("--background corrects one sample a pixel, and the kernel %s looks at colours", c.Kernel),
			Hint: "--channel r, g or b takes one, for a kernel such as multiotsu",
		}
	}
	return nil
}

// openField opens the images that the flags name; none gives nil. An error is a *UsageError.
func (c *Config) openField(ctx context.Context) (*flatField, error) {
	if c.Background == "" {
		return nil, nil
	}
	f := &flatField{means: map[[2]int]fieldMean{}}
	var err error
	if f.background, err = c.openFieldFile(ctx, "--background", c.Background); err == nil && c.Dark != "" {
		f.dark, err = c.openFieldFile(ctx, "--dark", c.Dark)
	}
	if err != nil {
		f.close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, err
	}
	return f, nil
}

func (c *Config) openFieldFile(ctx context.Context, flag, path string) (*fieldFile, error) {
	f := &fieldFile{flag: flag, path: path}
	err := f.open(ctx, c)
	if err != nil {
		f.close()
		return nil, &UsageError{Msg: f.name() + ": " + err.Error(), Hint: "give an image of the empty, evenly lit field as it was taken, of the size of the pages"}
	}
	return f, nil
}

func (f *fieldFile) open(ctx context.Context, c *Config) (err error) {
	if f.src, err = openSource(ctx, c, &PlannedFile{Path: f.path, Rel: f.path}); err != nil {
		return err
	}
	o := c.Raster
	o.Channel = "" // an image without colours is right for every channel
	for {
		if f.rd, err = c.Open(f.src, f.src.size, recordName(f.path), o); err != nil {
			return err
		}
		f.pages = make([]raster.Page, f.rd.Pages())
		for i := range f.pages {
			if f.pages[i], err = f.rd.Page(i); err != nil {
				return err
			}
		}
		if len(f.pages) == 0 {
			return errors.New("it holds no page")
		}
		if o.Channel == c.Raster.Channel || f.pages[0].Info().Channels < 3 {
			return nil
		}
		f.rd.Close()
		o.Channel = c.Raster.Channel
	}
}

func (f *fieldFile) close() {
	if f == nil {
		return
	}
	if f.rd != nil {
		f.rd.Close()
	}
	if f.src != nil {
		f.src.close()
	}
}

// page is the number of the one that goes with a page: the first, or the same where both files have as many.
func (f *fieldFile) page(p *segment.PageInfo) int {
	if len(f.pages) == p.Pages && p.Page < len(f.pages) {
		return p.Page
	}
	return 0
}

func (f *flatField) close() {
	if f != nil {
		f.background.close()
		f.dark.close()
	}
}

// pageField is the flat field of one page.
type pageField struct {
	background, dark         raster.Page // dark may be nil
	backgroundName, darkName string
	mean                     float64
}

// of gives the flat field of a page, once the images fit it.
func (f *flatField) of(ctx context.Context, p *segment.PageInfo) (*pageField, error) {
	at := [2]int{f.background.page(p), -1}
	k := &pageField{background: f.background.pages[at[0]], backgroundName: f.background.name()}
	if err := fits(k.backgroundName, k.background.Info(), p); err != nil {
		return nil, err
	}
	if f.dark != nil {
		at[1] = f.dark.page(p)
		k.dark, k.darkName = f.dark.pages[at[1]], f.dark.name()
		if err := fits(k.darkName, k.dark.Info(), p); err != nil {
			return nil, err
		}
		for _, other := range []struct {
			name string
			t    segment.SampleType
		}{{"the page", p.Type}, {k.backgroundName, k.background.Info().Type}} {
			if t := k.dark.Info().Type; t != other.t && t != segment.F32 && other.t != segment.F32 {
				return nil, fmt.Errorf("%s has %s samples and %s %s, which cannot be subtracted; give both as they were taken",
					k.darkName, t, other.name, other.t)
			}
		}
	}
	f.mu.Lock() // others that need the same mean wait for it
	defer f.mu.Unlock()
	m, ok := f.means[at]
	if !ok {
		m.mean, m.err = k.measure(ctx)
		if ctx.Err() == nil {
			f.means[at] = m
		}
	}
	k.mean = m.mean
	return k, m.err
}

// fits compares sizes.
func fits(name string, field, p *segment.PageInfo) error {
	if field.Width != p.Width || field.Height != p.Height {
		return fmt.Errorf("%s is %d x %d pixels and the page %d x %d; give an image of the page's size", name, field.Width, field.Height, p.Width, p.Height)
	}
	return nil
}

// measure is the mean of background less dark. Lines are summed on their own, so that it does not depend on bands.
func (k *pageField) measure(ctx context.Context) (float64, error) {
	info := k.background.Info()
	c := k.open(ctx, segment.Rows, image.Rect(0, 0, int(info.Width), int(info.Height)))
	defer c.close()
	sum, n := 0., 0.
	for y := range info.Height {
		if err := c.fill(y, y+1); err != nil {
			return 0, err
		}
		line := 0.
		for x := range int(info.Width) {
			if _, g, ok := c.at(y, x); ok {
				line += g
				n++
			}
		}
		sum += line
	}
	if n == 0 {
		less := "0"
		if k.dark != nil {
			less = k.darkName
		}
		return 0, fmt.Errorf("no pixel of %s is more than %s; give an image of the evenly lit field", k.backgroundName, less)
	}
	return sum / n, nil
}
