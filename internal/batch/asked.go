package batch

// asked is what decides on the class of a sample, as a command line has it behind -k: the kernel, --invert, and the
// images of the flat field as given. Summaries, legends and plots name it, and --skip-existing compares it.
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
