package kernels

import (
	"slices"
	"strings"
)

// registry lists the kernels. It is built afresh on each call, so that no state is shared.
func registry() []kernel {
	per := Param{"per", "page", "page: thresholds of the whole page; line: of each line on its own"}
	floats := Param{"floats", "", "a page of float samples is counted in bins 1/128 of a value wide, of which the fullest are counted again value by value; a " +
		"line (per=line) is sorted and its threshold exact, so a page of one line may have another, by a bin. Integers have one bin a value in both"}
	single := func(name, summary, when, source string, notes ...Param) kernel {
		return kernel{Info{
			Name: name, Summary: summary, When: when, Source: source,
			Params: []Param{per}, Notes: notes, Example: name,
		}, singleKernel(name)}
	}
	global := []kernel{
		{Info{
			Name:    "multiotsu",
			Summary: "boundary up to the first, activation above the last of the thresholds that best part the histogram into classes",
			When:    "the default: dark gaps, bright marks, and something in between that should end no segment",
			Source:  "Otsu, IEEE Trans. Syst. Man Cybern. 9(1), 1979; Liao, Chen and Chung, J. Inf. Sci. Eng. 17(5), 2001",
			Params: []Param{
				{"classes", "3", "number of classes, 2 to 5"},
				per,
			},
			Notes:   []Param{floats},
			Example: "multiotsu:classes=4",
		}, multiOtsuKernel},
		{Info{
			Name:    "hysteresis",
			Summary: "boundary v <= lo, activation v >= hi, both given",
			When:    "you know the thresholds, or want an automatic one with a margin",
			Source:  "two-threshold tracking after Canny, IEEE Trans. Pattern Anal. Mach. Intell. 8(6), 1986",
			Params: []Param{
				{"lo", "", "threshold value: NUMBER, NUMBER%, or pNUMBER or METHOD with [*NUMBER][(+|-)NUMBER[sd|mad]]"},
				{"hi", "", "threshold value, above lo"},
				per,
			},
			Notes: []Param{
				{"values", "", "40 in the samples' own unit; 47% of the nominal range; p99.5 the smallest sample with that share, in percent, at or " +
					"below it; otsu, otsu*0.9, median+10, mean+3sd, median+3mad, p99*1.1 a METHOD or percentile with arithmetic, sd being the standard " +
					"deviation of the samples and mad their median absolute deviation from the median, scaled by 1.4826 as that of the kernel mad"},
				{"METHOD", "", strings.Join(methodNames(), " ")},
			},
			Example: "hysteresis:lo=otsu*0.8,hi=otsu*1.2",
		}, hysteresisKernel},
		single("otsu", "the threshold that best parts the histogram into two classes by variance",
			"two classes of comparable size and spread",
			"Otsu, IEEE Trans. Syst. Man Cybern. 9(1), 1979", floats),
		single("li", "the threshold of minimum cross entropy, found by iteration from the mean",
			"fluorescence and other images whose bright part is small or dim",
			"Li and Tam, Pattern Recognit. Lett. 19(8), 1998", floats),
		single("yen", "the threshold of maximum correlation",
			"small bright objects on a broad background",
			"Yen, Chang and Chang, IEEE Trans. Image Process. 4(3), 1995", floats),
		single("isodata", "the threshold midway between the means of the two classes it makes",
			"two classes of similar spread, whatever their sizes",
			"Ridler and Calvard, IEEE Trans. Syst. Man Cybern. 8(8), 1978", floats),
		single("triangle", "the bin farthest below the line from the histogram's peak to the end of its longer tail",
			"one dominant peak (the background) with a long tail",
			"Zack, Rogers and Latt, J. Histochem. Cytochem. 25(7), 1977",
			Param{"bins", "", "float samples: 256 of equal width from the least sample to the greatest; integers: one a value"}, floats),
		single("minimum", "the lowest bin between the two peaks left when the histogram is smoothed",
			"clearly bimodal histograms; a page whose histogram is not fails",
			"Prewitt and Mendelsohn, Ann. N. Y. Acad. Sci. 128, 1966",
			Param{"bins", "", "float samples: 256 of equal width from the least sample to the greatest; integers: one a value, but for lines (per=line) over more than 4096 values 256 as well"}, floats),
		single("mean", "the mean of the samples",
			"a quick split where both classes cover about half of the page",
			"Glasbey, CVGIP: Graph. Models Image Process. 55(6), 1993"),
		single("kapur", "the threshold of maximum entropy of the two classes",
			"faint or small objects on a textured background",
			"Kapur, Sahoo and Wong, Comput. Vis. Graph. Image Process. 29(3), 1985", floats),
		single("huang", "the threshold of least fuzziness of the two classes",
			"overlapping classes without a valley between them",
			"Huang and Wang, Pattern Recognit. 28(1), 1995", floats),
		single("moments", "the threshold whose two-valued image keeps the first three moments",
			"documents and other images close to two tones",
			"Tsai, Comput. Vis. Graph. Image Process. 29(3), 1985", floats),
		{Info{
			Name:    "percentile",
			Summary: "boundary up to one percentile of the samples, activation from another on",
			When:    "the share of the bright part is known",
			Source:  "p-tile method: Doyle, J. ACM 9(4), 1962",
			Params: []Param{
				{"low", "50", "percentile, 0 to 100: boundary at most this"},
				{"high", "98", "percentile, 0 to 100: activation at least this"},
				per,
			},
			Example: "percentile:low=25,high=95",
		}, percentileKernel},
		{Info{
			Name:    "mad",
			Summary: "thresholds a number of scaled median absolute deviations away from the median",
			When:    "bursts or marks over noise: robust against how many and how strong they are",
			Source:  "Hampel, J. Am. Stat. Assoc. 69(346), 1974; scale 1.4826",
			Params: []Param{
				{"klow", "1", "boundary at most median + klow deviations; may be negative"},
				{"khigh", "3", "activation at least median + khigh deviations"},
				per,
			},
			Notes: []Param{{"floats", "", "the median is exact; the deviation too, but for pages of float samples where it would take more than 64 bins to be " +
				"counted value by value: there it is within a bin, 1/128 of a value. A line (per=line) is sorted and exact"}},
			Example: "mad:klow=1,khigh=5",
		}, madKernel},
	}
	return slices.Concat(global, localKernels(), colourKernels(), []kernel{{gradientInfo(), gradientKernel}, {exprInfo(), exprKernel}})
}
