package main

// entry is a picture: of which kernel, by which command (after the program's name), what can be seen on it.
type entry struct {
	kernel string // empty: of a section as a whole
	part   string // tells several pictures of one kernel apart
	args   string
	alt    string
	says   string
}

// name is that of the picture's file.
func (e *entry) name() string {
	switch {
	case e.part == "":
		return e.kernel
	case e.kernel == "":
		return e.part
	}
	return e.kernel + "-" + e.part
}

// entries are the pictures, those of one kernel in their order.
func entries() []entry {
	const own = pictureDir + "/"
	return []entry{
		{
			part: "page-thresholds", args: "thresholds --plot samples/cells.tif",
			alt:  "a histogram with a row for each kernel above it, a dot for each of its thresholds, and their values",
			says: "What they find on one image: where many agree, there is little to choose.",
		}, {
			kernel: "multiotsu", args: "--style side --roi 0,0,384,168 samples/gel.tif",
			alt:  "lanes of a gel, bright bands with soft edges; every band is found",
			says: "Soft edges lie between the two thresholds: they end no segment, and they make none.",
		}, {
			kernel: "hysteresis", args: "--style side --roi 0,20,210,110 -k hysteresis:lo=8000,hi=30000 samples/spectrogram.png",
			alt:  "bursts and a rising chirp in a spectrogram; the chirp is one piece on every line",
			says: "A burst must reach 30000 somewhere, and lasts until it falls to 8000: the faint rims come along, the noise does not.",
		}, {
			kernel: "otsu", args: "--style side -k otsu " + own + "grain.png",
			alt:  "bright grains on a ground of another gray; every grain is found",
			says: "Grains and ground are both broad, and both are a large share of the picture.",
		}, {
			kernel: "li", args: "--style side --roi 0,60,160,130 -k li samples/cells.tif",
			alt:  "bright and dim nuclei; all are found out to their rims",
			says: "The threshold, 961, lies below that of otsu, 1603: dim nuclei are found out to their rims.",
		}, {
			kernel: "yen", args: "--style side --roi 45,90,190,102 -k yen samples/gel.tif",
			alt:  "bands of a gel of different strength; the weak ones are found as well",
			says: "The threshold stands close to the ground, so that weak bands are as wide as strong ones.",
		}, {
			kernel: "isodata", args: "--style side --roi 160,60,160,130 -k isodata samples/cells.tif",
			alt:  "nuclei on a dark ground; all are found",
			says: "One sample in eight is bright; the threshold is midway between both means all the same.",
		}, {
			kernel: "triangle", args: "--style side -k triangle --min-length 4 " + own + "beads.png",
			alt:  "small lights of all strengths; nearly all are found",
			says: "The lights are a tail of the histogram without a peak of their own: the threshold stands at the foot of the ground's peak. `--min-length 4` drops specks of noise.",
		}, {
			kernel: "minimum", args: "--style side --roi 20,18,396,96 -k minimum samples/text.png",
			alt:  "two lines of bright words; the letters are found",
			says: "Ink and paper are two peaks, and the threshold is the lowest point between them.",
		}, {
			kernel: "mean", args: "--style side --roi 16,0,300,96 -k mean samples/barcode.png",
			alt:  "bars of a code; each bar is a segment",
			says: "Dark and bright are both a large share of a barcode, so that the mean lies between them.",
		}, {
			kernel: "kapur", args: "--style side -k kapur --min-length 4 " + own + "beads.png",
			alt:  "small lights of all strengths on a textured ground; nearly all are found",
			says: "The faint lights are little brighter than the texture around them.",
		}, {
			kernel: "huang", args: "--style side --roi 210,0,210,130 -k huang --merge-gap 3 samples/spectrogram.png",
			alt:  "noisy bursts of a spectrogram; each is found as a whole",
			says: "The noise of the bursts reaches down to the ground; `--merge-gap` closes the gaps that it leaves.",
		}, {
			kernel: "moments", args: "--style side --roi 20,114,420,96 -k moments samples/text.png",
			alt:  "two lines of bright words; the letters are found",
			says: "Grain of the paper and soft edges aside, there are two tones.",
		}, {
			kernel: "percentile", args: "--style side -k percentile:low=94,high=97 " + own + "beads.png",
			alt:  "small lights of all strengths; most are found",
			says: "Three samples in a hundred are to be activations, whatever their values.",
		}, {
			kernel: "mad", args: "--style side --roi 40,20,310,100 -k mad:klow=3,khigh=8,per=line samples/inspection.png",
			alt:  "a scratch and a blister on a striped web; both are found",
			says: "What stands out by eight deviations of its line is found, whatever the line's own brightness.",
		}, {
			part: "page-otsu", args: "--style mask --invert -k otsu " + own + "page.png",
			alt:  "the words in the light only, white on black; those in the shadow are missing",
			says: "One threshold for the page finds the words in the light only (`--style mask`: white is inside a segment; `--invert`, because the words are dark).",
		}, {
			part: "page-background", args: "--style mask --invert --background " + own + "light.png -k otsu " + own + "page.png",
			alt:  "all words of the page, white on black",
			says: "The same threshold, after a flat field: `light.png` is the paper without print, in the same light.",
		}, {
			part: "smoothed", args: "--style side --roi 0,20,210,110 -k otsu:smooth2d=1.2 samples/spectrogram.png",
			alt:  "bursts and a rising chirp in a noisy spectrogram; each is found as a whole, with smooth ends",
			says: "A little blur closes what noise has torn; the records measure the samples as they are.",
		}, {
			kernel: "localmean", args: "--style mask --invert -k localmean:window=25,offset=10 " + own + "page.png",
			alt:  "all words of the page, white on black",
			says: "`offset=10`: print is at least 10 darker than what is around it, and paper is not.",
		}, {
			kernel: "localgaussian", args: "--style mask --invert -k localgaussian:window=35,offset=10 " + own + "page.png",
			alt:  "all words of the page, white on black",
			says: "What is near counts for more, so the window may be wider.",
		}, {
			kernel: "localmedian", args: "--style side -k localmedian:window=31,offset=-14 " + own + "beads.png",
			alt:  "small lights of all strengths; faint ones are found beside strong ones",
			says: "Strong lights do not raise the threshold for the faint ones beside them; `offset=-14` keeps it above the ground's texture.",
		}, {
			kernel: "niblack", args: "--style side -k niblack:window=25,k=0 " + own + "fringes.png",
			alt:  "curved stripes that fade to the right; all are found",
			says: "There is no flat place, so even stripes that have faded are parted where they should be.",
		}, {
			kernel: "sauvola", args: "--style mask --invert -k sauvola:window=25 " + own + "page.png",
			alt:  "all words of the page, white on black",
			says: "Paper without print needs no offset: where there is no contrast, the threshold drops by itself.",
		}, {
			kernel: "wolf", args: "--style mask --invert -k wolf:window=25 " + own + "page.png",
			alt:  "all words of the page, white on black",
			says: "Contrast is judged by the most there is on the page, so that no `r` is to be chosen.",
		}, {
			kernel: "phansalkar", args: "--style side --invert --channel g -k phansalkar:window=41 " + own + "stain.png",
			alt:  "violet and brown nuclei on a pink ground that darkens to the right; all are found",
			says: "The green channel shows both stains dark; those in the dark corner are found as well.",
		}, {
			kernel: "bernsen", args: "--style side -k bernsen:window=15,contrast=25 " + own + "beads.png",
			alt:  "small lights of all strengths; each is found up to half of its own height",
			says: "Each light is cut at half of its own height, and ground of less contrast than 25 is boundary.",
		}, {
			kernel: "contrast", args: "--style side --roi 0,0,384,168 -k contrast:window=21,margin=30 samples/gel.tif",
			alt:  "lanes of a gel; every band is found, weak and strong ones with ends of the same sharpness",
			says: "Strong and weak bands end where they have fallen half way; `margin=30` keeps the ground quiet.",
		}, {
			kernel: "color", args: "--style side --palette viridis -k color:space=hsv,activation=h:10..50+s:40%.. " + own + "stain.png",
			alt:  "violet and brown nuclei on a pink ground; the brown ones are found, the violet ones are not",
			says: "Brown is a range of hues with some saturation; hue does not change with the light, so the dark corner is no other. (`--palette viridis`: teal and yellow, as orange would not show on brown.)",
		}, {
			kernel: "distance", args: "--style side -k distance:to=#6b4599,near=27,far=36 " + own + "stain.png",
			alt:  "violet and brown nuclei on a pink ground; the violet ones are found, the brown ones are not",
			says: "One violet, picked from a nucleus, and what is near to it.",
		}, {
			kernel: "gradient", args: "--style side --roi 50,180,310,80 -k gradient:sigma=1.5,edge=6,hi=otsu samples/inspection.png",
			alt:  "pits and a drip on a striped web; each is bounded where its side is steepest",
			says: "Boundaries stand where the side of a mark is steepest, so that its width does not depend on how bright it is.",
		}, {
			kernel: "expr", args: "--style side -k 'expr:activation=b-r>15,boundary=b-r<5' " + own + "stain.png",
			alt:  "violet and brown nuclei on a pink ground; the violet ones are found, the brown ones are not",
			says: "Bluer than red: violet nuclei, and not the brown ones.",
		},
	}
}
