package kernels

// localKernels are the registry's entries of kernels whose thresholds depend on the surroundings of a sample.
func localKernels() []kernel {
	window := Param{"window", "31", "pixels, odd: N, or WxH along x and y of the page; at most 1023 a side; 31 shrinks to what fits a smaller page, any other size that does not fit is refused"}
	margin := Param{"margin", "0", "activation only above T + margin, in sample units or as NUMBER% of the range; what lies between is other"}
	k := func(d, help string) Param { return Param{"k", d, help} }
	r := Param{"r", "", "the standard deviation that counts as full contrast, in sample units or as NUMBER% of the range; default half the nominal range, of pages stored as float half of max - min, which -v and --json tell. The r=0.5 of papers and programs that scale samples to 0..1 is r=50% here"}
	border := Param{"border", "", "reflected about the border sample; the samples beyond a region (--roi) count as they are"}
	boundary := "; boundary v <= T, activation v > T"
	return []kernel{
		{Info{
			Name: "localmean", Summary: "T is the mean of the window less offset" + boundary,
			When:   "uneven light, marks and gaps at every place; the fastest local kernel",
			Source: "Wellner, Rank Xerox EPC-1993-110, 1993; Bradley and Roth, J. Graph. Tools 12(2), 2007",
			Params: []Param{window, {"offset", "0", "how far T lies below the mean, in sample units or as NUMBER% of the range"}, margin},
			Notes: []Param{{"border", "", "reflected with the border sample repeated; the samples beyond a region (--roi) count as they are"},
				{"parity", "", "means of integers are exact, so a sample that equals its mean is a boundary. threshold_local(method='mean') of scikit-image " +
					"rounds on its way to the mean and calls some of those samples activations; it differs nowhere else"}},
			Example: "localmean:window=51,offset=-5",
		}, localKernel(LocalMean, 0)},
		{Info{
			Name: "localgaussian", Summary: "T is the mean of the window, weighted by a Gaussian, less offset" + boundary,
			When:   "as localmean, where its square window shows beside strong marks; slower the wider the window",
			Source: "Gaussian-weighted adaptive threshold as of OpenCV, after Wellner, Rank Xerox EPC-1993-110, 1993",
			Params: []Param{window, {"offset", "0", "how far T lies below the mean, in sample units or as NUMBER% of the range"}, margin},
			Notes: []Param{{"weights", "", "standard deviation (window-1)/6 along each axis, in steps of 1/16384"},
				{"border", "", "reflected with the border sample repeated; the samples beyond a region (--roi) count as they are"}},
			Example: "localgaussian:window=51,offset=-5",
		}, localKernel(LocalGaussian, 0)},
		{Info{
			Name: "localmedian", Summary: "T is the median of the window less offset" + boundary,
			When:   "as localmean, where strong marks or hot pixels in the window must not pull T along",
			Source: "Huang, Yang and Tang, IEEE Trans. Acoust. Speech Signal Process. 27(1), 1979; Perreault and Hébert, IEEE Trans. Image Process. 16(9), 2007",
			Params: []Param{window, {"offset", "0", "how far T lies below the median, in sample units or as NUMBER% of the range"}, margin},
			Notes: []Param{{"median", "", "exact for every type of samples; of an even number, as NaN may leave, the lower one in the middle"},
				{"border", "", "reflected with the border sample repeated; the samples beyond a region (--roi) count as they are"}},
			Example: "localmedian:window=51,offset=-5",
		}, localKernel(LocalMedian, 0)},
		{Info{
			Name: "niblack", Summary: "T = m - k s, m the mean and s the standard deviation of the window" + boundary,
			When:   "uneven light and contrast; flat places come out as noise unless margin is given",
			Source: "Niblack, An Introduction to Digital Image Processing, Prentice Hall, 1986",
			Params: []Param{window, k("0.2", "weight of the deviation; negative: T above the mean"), margin}, Notes: []Param{border},
			Example: "niblack:window=25,k=-0.2",
		}, localKernel(LocalNiblack, 0.2)},
		{Info{
			Name: "sauvola", Summary: "T = m (1 + k (s/r - 1)), m the mean and s the standard deviation of the window" + boundary,
			When:   "dark marks on an uneven bright ground, such as print on paper",
			Source: "Sauvola and Pietikäinen, Pattern Recognit. 33(2), 2000",
			Params: []Param{window, k("0.2", "weight of the contrast"), r, margin}, Notes: []Param{border},
			Example: "sauvola:window=25,k=0.3,r=128",
		}, localKernel(LocalSauvola, 0.2)},
		{Info{
			Name: "wolf", Summary: "T = m + k (s/S - 1) (m - M), m the mean and s the standard deviation of the window, S the largest s and M the least sample of the page" + boundary,
			When:    "dark marks on an uneven ground of low contrast, where sauvola needs another r on every page",
			Source:  "Wolf, Jolion and Chassaing, Int. Conf. Pattern Recognit. vol. 2, 2002",
			Params:  []Param{window, k("0.5", "weight of the contrast"), margin},
			Notes:   []Param{border, {"passes", "", "looks at the page twice, as S comes from all of it (of a region with --roi)"}},
			Example: "wolf:window=25,k=0.4",
		}, localKernel(LocalWolf, 0.5)},
		{Info{
			Name: "phansalkar", Summary: "T = m (1 + p exp(-q m) + k (s/r - 1)) of samples scaled to 0..1, m the mean and s the standard deviation of the window" + boundary,
			When:   "dark marks on a ground that is dark as well, such as stained tissue",
			Source: "Phansalkar, More, Sabale and Joshi, Int. Conf. Commun. Signal Process., 2011",
			Params: []Param{window, k("0.25", "weight of the contrast"), r,
				{"p", "2", "how much T is raised where the mean is low"}, {"q", "10", "how fast that fades as the mean grows, 0 to 100"}, margin},
			Notes:   []Param{border, {"scale", "", "0..1 is the nominal range, of pages stored as float min..max of the page"}},
			Example: "phansalkar:window=25,k=0.2",
		}, localKernel(LocalPhansalkar, 0.25)},
		{Info{
			Name: "bernsen", Summary: "T = (min + max)/2 of the window; where max - min is below contrast all is activation or boundary, as T lies above or below the centre of the range" + boundary,
			When:    "sharp marks of uneven brightness, and flat ground between them",
			Source:  "Bernsen, Proc. 8th Int. Conf. Pattern Recognit., 1986; flat windows as in Sezgin and Sankur, J. Electron. Imaging 13(1), 2004",
			Params:  []Param{window, {"contrast", "", "least max - min of a window with a threshold of its own, in sample units or as NUMBER% of the range; default 15/255 of the nominal range, of pages stored as float of max - min, which -v and --json tell"}, margin},
			Notes:   []Param{border, {"flat", "", "a window that counts as flat and whose T lies on the very centre of the range is activation"}},
			Example: "bernsen:window=21,contrast=30",
		}, localKernel(LocalBernsen, 0)},
		{Info{
			Name: "contrast", Summary: "activation where the sample is nearer to the greatest than to the least of the window: T = (min + max)/2" + boundary,
			When:   "blurred edges, which it puts where the sample is half way; flat places come out as noise unless margin is given",
			Source: "contrast toggling: Soille, Morphological Image Analysis, Springer, 2004",
			Params: []Param{window, margin}, Notes: []Param{border},
			Example: "contrast:window=11,margin=5",
		}, localKernel(LocalMidrange, 0)},
	}
}
