package kernels

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// amount is a value of a local kernel: a number in sample units, or a share of how wide the samples' range is.
type amount struct {
	num float64
	per float64 // what the whole range counts as, percent of NUMBER%; 0: num is in sample units
}

// maxPercentage is how much NUMBER% may be, up or down.
const maxPercentage = 1e6

// The defaults that depend on the range are what is customary for samples of eight bits.
func defaultR() amount        { return amount{128, 256} }
func defaultContrast() amount { return amount{15, 255} }

// amount reads NUMBER, which is lo or more, or NUMBER%, of which the same holds.
func (a args) amount(key string, byDefault amount, lo float64) (amount, error) {
	text, given := a.values[key]
	number, share := strings.CutSuffix(text, "%")
	if !given {
		return byDefault, nil
	}
	hint := fmt.Sprintf("for example %s=%s, or %s=%s%% of the samples' range", key, formatNumber(byDefault.num), key, exampleShare(byDefault))
	refuse := func(format string, args ...any) (amount, error) {
		return amount{}, usagef(hint, "kernel %s: %s=%s is "+format, append([]any{a.kernel, key, text}, args...)...)
	}
	if !share {
		x, err := strconv.ParseFloat(text, 64)
		switch tooLarge := errors.Is(err, strconv.ErrRange) || math.Abs(x) > math.MaxFloat32 && !math.IsInf(x, 0); {
		case lo >= 0 && x < 0 || err == nil && lo > 0 && x == 0:
			return refuse("not a number%s", fromTo(lo, math.MaxFloat32))
		case tooLarge, err == nil && 0 < x && x < lo:
			return refuse("out of range; allowed: numbers %s", sampleNumbers(lo))
		case err != nil || math.IsNaN(x) || math.IsInf(x, 0):
			return refuse("not a number%s", fromTo(lo, math.MaxFloat32))
		}
		return amount{num: x + 0}, nil
	}
	x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	switch {
	case err != nil || !(math.Abs(x) <= maxPercentage):
		return refuse("not a percentage%s", fromTo(-maxPercentage, maxPercentage))
	case x < lo:
		return refuse("not a number%s", fromTo(lo, math.MaxFloat32))
	case x == 0:
		return amount{}, nil
	}
	return amount{x, 100}, nil
}

// exampleShare is a percentage to show for a value: that of its default, in round numbers, or a small one.
func exampleShare(byDefault amount) string {
	if byDefault.per == 0 {
		return "5"
	}
	return formatNumber(math.Round(100 * byDefault.num / byDefault.per))
}

// sampleNumbers says in which range float samples lie, from lo on; its ends are rounded inwards.
func sampleNumbers(lo float64) string {
	switch {
	case lo < 0:
		return "from -3.4e38 to 3.4e38"
	case lo == 0:
		return "from 0 to 3.4e38"
	}
	return "from 1.5e-45 to 3.4e38"
}

// String is the value as a user gives it, which a default need not have.
func (a amount) String() string {
	if a.per == 0 {
		return formatNumber(a.num)
	}
	return formatNumber(a.num) + "%"
}

// of is the amount in sample units where the range is so wide. Where all samples are alike, or none is finite, no share is
// left. The division comes last so that whole shares of a range that divides stay exact.
func (a amount) of(width float64) float64 {
	switch {
	case a.per == 0:
		return a.num
	case width > 0:
		return float64(a.num*width) / a.per
	}
	return 0
}

// amounts are those of a local kernel, each 0 where its rule has no such value.
type amounts struct{ r, contrast, offset, margin amount }

// share tells whether any is a share of the range.
func (a *amounts) share() bool {
	return a.r.per != 0 || a.contrast.per != 0 || a.offset.per != 0 || a.margin.per != 0
}

// set sets those of a rule where the range is so wide. A share that comes to more than any sample is an error.
func (a *amounts) set(c *Local, width float64) error {
	for _, v := range []struct {
		key string
		amount
		to *float64
	}{{"r", a.r, &c.R}, {"contrast", a.contrast, &c.Contrast}, {"offset", a.offset, &c.Offset}, {"margin", a.margin, &c.Margin}} {
		if *v.to = v.of(width); math.Abs(*v.to) > math.MaxFloat32 {
			return fmt.Errorf("%s=%s of a range %s wide comes to %s, which is beyond any sample; use a smaller share",
				v.key, v.amount, shortNumber(width), shortNumber(*v.to))
		}
	}
	return nil
}
