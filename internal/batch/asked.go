package batch

import "segscan/segment"

// askedAlong is asked with the axis of lines, where that is not rows: what the summary has as the kernel, so that
// --skip-existing notices another one.
func (c *Config) askedAlong() string {
	if c.Axis == segment.Cols {
		return c.asked() + " --axis cols"
	}
	return c.asked()
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
