package cli

import (
	"strings"

	"segscan/kernels"
)

// idle says which flags of the command line have no effect beside the others.
func (o *options) idle() []string {
	var list []string
	say := func(useless bool, why string, names ...string) {
		var given []string
		for _, n := range names {
			if o.set.Changed(n) {
				given = append(given, "--"+n)
			}
		}
		switch {
		case !useless || len(given) == 0:
		case len(given) == 1:
			list = append(list, given[0]+" has no effect: "+why)
		default:
			list = append(list, strings.Join(given, ", ")+" have no effect: "+why)
		}
	}
	none, plots := o.Overlay == "none", len(o.Plots) > 0
	say(none, "--overlay none makes no picture", "style", "legend", "stretch", "max-size")
	say(none && !plots, "--overlay none makes no picture, and there is no --plot", "palette")
	say(o.Overlay != "png", "it is of PNG overlays, and there are none", "png-level")
	say(o.Overlay != "tiff", "it is of TIFF overlays, and there are none", "tiff-compression")
	say(!plots, "there is no --plot", "plot-format")
	units := o.Records != "none" || o.Table != "" || o.JSON || plots || o.Legend && !none
	say(o.Records == "none" && o.Table == "", "there are neither records nor a table", "subsample")
	say(!units, "no output has columns in units or a scale", "pixel-size")
	if o.set.Changed("channel") && kernels.ColoursOnly(o.Kernel) {
		name, _, _ := strings.Cut(o.Kernel.String(), ":")
		list = append(list, "--channel is what records measure; kernel "+name+" looks at the colour whatever it is")
	}
	return list
}
