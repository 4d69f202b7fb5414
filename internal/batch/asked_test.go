package batch

import "testing"

// What summaries, legends and plots call a run's kernel is what a command line has behind -k.
func TestAskedAsGiven(t *testing.T) {
	for want, set := range map[string]func(*Config){
		"otsu":                     func(*Config) {},
		"otsu --invert":            func(c *Config) { c.KernelOptions.Invert = true },
		"otsu --background bg.png": func(c *Config) { c.Background = "bg.png" },
		"otsu --background 'a b.png' --dark d/0.tif": func(c *Config) { c.Background, c.Dark = "a b.png", "d/0.tif" },
		`otsu --invert --background 'it'\''s.png'`: func(c *Config) {
			c.KernelOptions.Invert, c.Background = true, "it's.png"
		},
	} {
		cfg := config(t, "a.png")
		cfg.Kernel, cfg.Legend = kernel(t, "otsu"), true
		set(cfg)
		wantText(t, "asked", cfg.asked(), want)
		wantText(t, "legend", (&pageJob{cfg: cfg}).legend().Kernel, want)
	}
}
