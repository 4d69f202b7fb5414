package main

const introduction = `# What the kernels find

A picture for each kernel, on images that suit it: on the left the image, on the right what was found. Orange is inside a
segment, blue are the boundary samples that bound it. The command below a picture makes it, in the root of the source; it
writes into ` + "`segscan-out/`" + ` (` + "`--overwrite`" + ` replaces what another command left there of the same image). The images are the
samples that come with segscan, which ` + "`segscan examples demo`" + ` writes, and a few that lie beside the pictures.

Not sure where to begin? ` + "`segscan try FILE`" + ` shows all kernels on your own image, ` + "`segscan thresholds --plot FILE`" + ` what
the global ones find in its histogram, ` + "`segscan kernels NAME`" + ` the keys of one with their defaults, and its source.

This page and its pictures are made by ` + "`make gallery`" + `.
`

// sections are the headings of the page in order. Every kernel is in one.
func sections() []section {
	return []section{
		{
			title: "One threshold, or two, for the page",
			text: "These look at the histogram: which values there are, and how many of each. With `per=line` they look at each line on\n" +
				"its own. They want light that is even; then they are the fastest, and they do not depend on the size of what is looked for.",
			pictures: []string{"page-thresholds"},
			kernels:  []string{"multiotsu", "hysteresis", "otsu", "li", "yen", "isodata", "triangle", "minimum", "mean", "kapur", "huang", "moments", "percentile", "mad"},
		}, {
			title: "A threshold from the surroundings",
			text: "Where light is uneven, the darkest paper may be darker than the palest print. This page has a shadow in which that is so:\n\n" +
				"![three lines of dark print on paper, the right half in a shadow](images/gallery/page.png)",
			pictures: []string{"page-otsu"},
			more: "The kernels of this section compare each sample with the window around it. The window should be wider than what is looked\n" +
				"for, and narrower than the changes of light.",
			kernels: []string{"localmean", "localgaussian", "localmedian", "niblack", "sauvola", "wolf", "phansalkar", "bernsen", "contrast"},
		}, {
			title:   "Colour",
			text:    "These look at the colour of each sample, where all others look at its gray or at one channel.",
			kernels: []string{"color", "distance"},
		}, {
			title:   "Edges",
			text:    "Boundaries between levels, whatever the levels are.",
			kernels: []string{"gradient"},
		}, {
			title: "Other samples first",
			text: "Where a picture of the empty field in the same light can be had, `--background` takes the light out of the image before the\n" +
				"kernel looks at it. Every kernel of gray takes `smooth=`, `smooth2d=` and `baseline=` beside its own keys, against noise and\n" +
				"drift (`segscan kernels`).",
			pictures: []string{"page-background", "smoothed"},
		}, {
			title:   "Conditions of your own",
			text:    "A formula of the sample, its colour and its place.",
			kernels: []string{"expr"},
		},
	}
}
