package cli

import (
	"errors"
	"fmt"
	"image"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"segscan/internal/batch"
	"segscan/internal/raster"
	"segscan/viz"
)

// parseCount reads a whole number with an optional k, M or G (thousands, millions, billions); 1.5M is allowed where
// it comes out whole.
func parseCount(s string) (int64, error) {
	digits, unit := s, int64(1)
	if n := len(s); n > 0 {
		switch s[n-1] {
		case 'k', 'K':
			digits, unit = s[:n-1], 1e3
		case 'm', 'M':
			digits, unit = s[:n-1], 1e6
		case 'g', 'G':
			digits, unit = s[:n-1], 1e9
		}
	}
	whole, frac, dotted := strings.Cut(digits, ".")
	bad := errors.New("allowed: a whole number, with k, M or G for thousands, millions, billions, such as 20k")
	if _, err := strconv.ParseFloat(digits, 64); err == nil { // then it is the sign or the fraction that is amiss
		switch {
		case strings.HasPrefix(digits, "-"):
			bad = errors.New("allowed: a whole number, not below 0")
		case dotted:
			bad = errors.New("allowed: a whole number, without a fraction")
		}
	}
	if !allDigits(whole) || (dotted && !allDigits(frac)) {
		return 0, bad
	}
	frac = strings.TrimRight(frac, "0")
	for i := 0; i < len(frac); i++ {
		if unit == 1 {
			return 0, bad
		}
		unit /= 10
	}
	v, err := strconv.ParseInt(whole+frac, 10, 64)
	if err != nil || v > math.MaxInt64/unit {
		return 0, fmt.Errorf("the number is too large; allowed: up to %d", int64(math.MaxInt64))
	}
	return v * unit, nil
}

// parseJobs reads how many files are worked on at once; 0 is as many as cores.
func parseJobs(s string) (int, error) {
	n, err := parseCount(s)
	switch {
	case err != nil:
		return 0, errors.New("allowed: 0 (as many as cores) to 65536")
	case n > 1<<16:
		return 0, errors.New("allowed: up to 65536")
	}
	return int(n), nil
}

func allDigits(s string) bool {
	return s != "" && strings.Trim(s, "0123456789") == ""
}

// parsePages reads --page: all, or a list of 0-based pages and ranges; negative pages count from the end.
func parsePages(s string) (batch.PageList, error) {
	if strings.EqualFold(strings.TrimSpace(s), "all") {
		return nil, nil
	}
	list := batch.PageList{}
	for _, part := range strings.Split(s, ",") {
		r, err := parsePageRange(strings.TrimSpace(part))
		if err != nil {
			return nil, err
		}
		list = append(list, r)
	}
	return list, nil
}

var pageRange = regexp.MustCompile(`^(-?[0-9]{1,9})(?:(-)(-?[0-9]{1,9})?)?$`)

func parsePageRange(s string) (batch.PageRange, error) {
	m := pageRange.FindStringSubmatch(s)
	if m == nil {
		return batch.PageRange{}, fmt.Errorf("%q is no page; allowed: all, or pages counted from 0 such as 0,2-5 or -1 (the last)", s)
	}
	from, _ := strconv.Atoi(m[1])
	to := from
	switch {
	case m[3] != "":
		to, _ = strconv.Atoi(m[3])
	case m[2] != "":
		to = -1 // "3-" is from page 3 on
	}
	if (from < 0) == (to < 0) && from > to {
		return batch.PageRange{}, fmt.Errorf("%q ends before it begins; give the smaller page first", s)
	}
	return batch.PageRange{From: from, To: to}, nil
}

// parseROI reads X,Y,W,H in pixels of the stored page.
func parseROI(s string) (*image.Rectangle, error) {
	bad := fmt.Errorf("allowed: X,Y,W,H in pixels, X and Y from 0, W and H from 1, such as 0,100,512,64")
	parts := strings.Split(s, ",")
	if len(parts) != 4 {
		return nil, bad
	}
	var n [4]int
	for i, p := range parts {
		p = strings.TrimSpace(p)
		v, err := strconv.ParseInt(p, 10, 32)
		if err != nil || !allDigits(p) || (i >= 2 && v == 0) {
			return nil, bad
		}
		n[i] = int(v)
	}
	r := image.Rect(n[0], n[1], n[0]+n[2], n[1]+n[3])
	return &r, nil
}

const sizeNumber = `([0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?)`

var sizeUnit = regexp.MustCompile(`^` + sizeNumber + `(?:\s*/\s*` + sizeNumber + `)?\s*(.*)$`)

var decimalComma = regexp.MustCompile(`^\s*[0-9]+,[0-9]`)

// parsePixelSize reads a number and a unit: nm, um, mm, cm, m, in, or the user's own word (10ms for a spectrogram).
// Both spellings of the micro sign are um, so that records do not depend on the keyboard.
//
// auto and none are words for where it is from. A fraction (1/3um) is computed, and px or pixel below a stroke (2um/px) says
// nothing more than the flag.
func parsePixelSize(s string) (batch.PixelSize, error) {
	switch strings.ToLower(strings.TrimSpace(s)) {
	case "auto":
		return batch.PixelSize{Rule: batch.PixelColumns}, nil
	case "none":
		return batch.PixelSize{Rule: batch.PixelNone}, nil
	}
	if decimalComma.MatchString(s) {
		return batch.PixelSize{}, fmt.Errorf("decimals are written with a point, such as 0.65um")
	}
	m := sizeUnit.FindStringSubmatch(strings.TrimSpace(s))
	if m == nil {
		return batch.PixelSize{}, fmt.Errorf("allowed: a number and a unit, such as 0.65um, 25nm, 0.1mm or 10ms; or auto, none")
	}
	v, err := strconv.ParseFloat(m[1], 64)
	if m[2] != "" && err == nil {
		var below float64
		below, err = strconv.ParseFloat(m[2], 64)
		v /= below
	}
	if err != nil || !(v > 0) || math.IsInf(v, 0) {
		return batch.PixelSize{}, fmt.Errorf("the size must be more than 0 and finite")
	}
	unit := perPixel.ReplaceAllString(m[3], "")
	if unit == "" {
		return batch.PixelSize{}, fmt.Errorf("the unit is missing; write it behind the number, such as 0.65um")
	}
	if unit == "µm" || unit == "μm" {
		unit = "um"
	}
	plain := func(r rune) bool {
		return unicode.In(r, unicode.L, unicode.M) || strings.ContainsRune("%‰°′″", r)
	}
	if strings.ContainsFunc(unit, func(r rune) bool { return !plain(r) }) || len([]rune(unit)) > 16 {
		return batch.PixelSize{}, &usageError{
			fmt.Sprintf("the unit %q cannot be used; allowed: nm, um, mm, cm, m, in, or a word of up to 16 letters", unit),
			"give the length of one pixel, such as 0.65um or 1/3um",
		}
	}
	return batch.PixelSize{Size: v, Unit: unit}, nil
}

var perPixel = regexp.MustCompile(`(?i)\s*(?:/|\bper\b)\s*(?:px|pixels?)$`)

// parsePNGLevel reads 0 to 9 as raster.PNGOptions has them.
func parsePNGLevel(s string) (int, error) {
	n, err := strconv.Atoi(s)
	switch {
	case err != nil || n < 0 || n > 9:
		return 0, errors.New("allowed: 0 (no compression) to 9 (smallest)")
	case n == 0:
		return raster.PNGStored, nil
	}
	return n, nil
}

// parseChannel checks --channel: a name, or a channel number from 0.
func parseChannel(s string) (string, error) {
	v := strings.ToLower(s)
	for _, name := range channelNames {
		if v == name {
			return v, nil
		}
	}
	if n, err := strconv.Atoi(v); err == nil && allDigits(v) && n <= math.MaxUint16 {
		return strconv.Itoa(n), nil
	}
	return "", &usageError{
		msg:  "allowed: " + strings.Join(channelNames, ", ") + ", or a channel number from 0",
		hint: didYouMean(s, "", channelNames),
	}
}

var channelNames = []string{"luma", "r", "g", "b", "a", "hue", "sat", "val"}

// parseDevice checks --device: auto, cpu, cuda, cuda:N or cuda:all.
func parseDevice(s string) (string, error) {
	v := strings.ToLower(s)
	if v == "auto" || v == "cpu" || v == "cuda" || v == "cuda:all" {
		return v, nil
	}
	if n, ok := strings.CutPrefix(v, "cuda:"); ok && allDigits(n) && len(n) <= 4 {
		i, _ := strconv.Atoi(n)
		return "cuda:" + strconv.Itoa(i), nil
	}
	return "", &usageError{
		msg:  "allowed: auto, cpu, cuda, cuda:N (N from 0), cuda:all",
		hint: deviceHint(v),
	}
}

// deviceHint knows what else a GPU is called, which letters alone would take for cpu.
func deviceHint(v string) string {
	name, n, numbered := strings.Cut(v, ":")
	switch name {
	case "gpu", "gpus", "nvidia", "rtx":
		if numbered && (allDigits(n) || n == "all") {
			return "did you mean cuda:" + n + "?"
		}
		return "did you mean cuda?"
	}
	return didYouMean(v, "", []string{"auto", "cpu", "cuda"})
}

// parseStretch reads LO,HI in sample units, P% for what is left out at each end, or none.
func parseStretch(s string) (viz.StretchRule, error) {
	bad := errors.New("allowed: LO,HI such as 100,4000, P% such as 0.5%, or none")
	v := strings.TrimSpace(s)
	if strings.EqualFold(v, "none") {
		return viz.StretchRule{Kind: viz.StretchNone}, nil
	}
	if p, ok := strings.CutSuffix(v, "%"); ok {
		x, err := strconv.ParseFloat(p, 64)
		if err != nil || !(x >= 0 && x < 50) {
			return viz.StretchRule{}, errors.New("allowed: 0% to less than 50%")
		}
		return viz.StretchRule{Kind: viz.StretchTails, Tail: x / 100}, nil
	}
	a, b, ok := strings.Cut(v, ",")
	if !ok {
		return viz.StretchRule{}, bad
	}
	lo, err1 := strconv.ParseFloat(strings.TrimSpace(a), 64)
	hi, err2 := strconv.ParseFloat(strings.TrimSpace(b), 64)
	switch {
	case err1 != nil || err2 != nil || math.IsInf(hi-lo, 0) || math.IsNaN(hi-lo):
		return viz.StretchRule{}, bad
	case lo >= hi:
		return viz.StretchRule{}, errors.New("LO must be less than HI")
	}
	return viz.StretchRule{Kind: viz.StretchFixed, Fix: viz.Stretch{Lo: lo, Hi: hi}}, nil
}
