package batch

import (
	"fmt"
	"image"
	"strings"

	"segscan/internal/raster"
	"segscan/segment"
)

// askedInFull is asked with all else that decides on the samples and segments of a page, as a command line gives it, where
// that is not the default: what the summary has as the kernel, so that --skip-existing notices another one.
func (c *Config) askedInFull() string {
	words := []string{c.asked()}
	add := func(given bool, format string, values ...any) {
		if given {
			words = append(words, fmt.Sprintf(format, values...))
		}
	}
	r, f := &c.Raster, &c.Refine
	add(c.Axis == segment.Cols, "--axis cols")
	add(c.Edges == segment.EdgesKeep, "--edges keep")
	add(c.KernelOptions.NaN == segment.Other, "--nan other")
	add(c.ROI != nil, "--roi %s", roiText(c.ROI))
	add(r.Channel != "" && r.Channel != "luma", "--channel %s", r.Channel)
	add(r.Alpha == raster.AlphaIgnore, "--alpha ignore")
	add(r.AutoOrient, "--auto-orient")
	add(r.RawBits, "--raw-bits")
	add(f.MergeGap >= 0, "--merge-gap %d", f.MergeGap)
	add(f.MinLength > 0, "--min-length %d", f.MinLength)
	add(f.MaxLength > 0, "--max-length %d", f.MaxLength)
	add(f.MinActivations > 0, "--min-activations %d", f.MinActivations)
	return strings.Join(words, " ")
}

// roiText is a rectangle as --roi takes it, "" for none.
func roiText(r *image.Rectangle) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%d,%d,%d,%d", r.Min.X, r.Min.Y, r.Dx(), r.Dy())
}

// asked is what decides on the class of a sample, as a command line has it behind -k: the kernel, --invert, and the
// images of the flat field as given. Summaries, legends and plots name it.
func (c *Config) asked() string {
	s := c.Kernel.String()
	if c.KernelOptions.Invert {
		s += " --invert"
	}
	if c.Background != "" {
		s += " --background " + shellWord(recordName(c.Background))
	}
	if c.Dark != "" {
		s += " --dark " + shellWord(recordName(c.Dark))
	}
	return s
}
