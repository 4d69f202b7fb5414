package kernels

// colourKernels are the kernels that look at the colour of a sample.
func colourKernels() []kernel {
	white := Param{"white", "", "sample value of a channel that is full on; without it the top of the stored type (255, 4095 for 12 bits, 65535), and 1 for floats"}
	return []kernel{
		{Info{
			Name:    "color",
			Summary: "ranges of the channels of a colour space, for activations and for boundaries",
			When:    "marks are told apart by colour: stains, inks, ripe fruit, parts on a belt",
			Source: "hsv: Smith, Color Gamut Transform Pairs, SIGGRAPH 1978; lab: CIE 15:2004 from sRGB (IEC 61966-2-1) under D65, " +
				"as B. Lindbloom computes the matrix",
			Params: []Param{
				{"space", "", "rgb, hsv or lab"},
				{"activation", "", "ranges, joined by +, that all must hold: CHANNEL:FROM..TO, both ends included, either may be left out, or CHANNEL:VALUE for that value alone; " +
					"left out as a whole: every sample that is no boundary"},
				{"boundary", "", "likewise; left out as a whole: every sample that is no activation; a sample in both ranges is a boundary"},
				white,
			},
			Notes: []Param{
				{"rgb", "", "r g b in sample units (0..255, 0..65535, floats as stored), or N% of the nominal range"},
				{"hsv", "", "h in degrees from 0 (red) by 120 (green) and 240 (blue) to 360, and goes around: h:350..20; as 360 is 0, h:20.. takes in hue 0, and so gray (h:20..359.999 does not); s and v from 0 to 1, or N%; " +
					"gray has h 0 and s 0, so ask for s:10%.. too"},
				{"lab", "", "l from 0 to 100; a from green (-) to red (+), b from blue (-) to yellow (+), each about -110 to 100, 0 for gray; " +
					"samples are taken for sRGB and cut to 0..white"},
				{"samples", "", "records measure v (gray, or --channel), not the colour; a gray image has r = g = b; alpha is treated as --alpha says; " +
					"a colour with a NaN channel is in no range"},
			},
			Example: "color:space=hsv,activation=h:350..20+s:40%..,boundary=s:..15%",
		}, colourKernel},
		{Info{
			Name:    "distance",
			Summary: "how far a colour is from a given one, in L*a*b*: activation within near, boundary from far on",
			When:    "the marks have one colour that you can name, or pick from a picture",
			Source: "CIE 1976 L*a*b* difference, CIE 15:2004; CIEDE2000: CIE 142:2001, as Sharma, Wu and Dalal write it out, " +
				"Color Res. Appl. 30(1), 2005; sRGB: IEC 61966-2-1, D65",
			Params: []Param{
				{"to", "", "the colour, #rrggbb in sRGB"},
				{"near", "", "activation where the distance is at most this; 2 is just seen, 10 a shade of the same colour, 50 another colour"},
				{"far", "", "boundary where the distance is at least this; left out: wherever it is above near"},
				{"metric", "cie76", "cie76: as the crow flies in L*a*b*, and fastest; ciede2000: nearer to the eye, above all between vivid colours and in blue"},
				white,
			},
			Notes: []Param{
				{"shell", "", "a # inside a word needs no quotes"},
				{"samples", "", "records measure v (gray, or --channel), not the colour; a gray image has r = g = b; alpha is treated as --alpha says; " +
					"a colour with a NaN channel has no distance; samples are taken for sRGB and cut to 0..white"},
			},
			Example: "distance:to=#d62728,near=25,far=40",
		}, distanceKernel},
	}
}
