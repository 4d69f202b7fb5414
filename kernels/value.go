package kernels

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"

	"segscan/segment"
)

// valueKind says what a threshold value stands for.
type valueKind uint8

const (
	constant   valueKind = iota // NUMBER, sample units
	percent                     // NUMBER%, of the nominal range PageInfo.Min..Max
	percentile                  // pNUMBER with arithmetic, the smallest value whose cumulative share is at least NUMBER %
	automatic                   // METHOD with arithmetic
)

// Units of what is added to a percentile or METHOD. The arithmetic is [*NUMBER][(+|-)NUMBER[sd|mad]].
const (
	standardDeviations = "sd"
	medianDeviations   = "mad" // scaled, see levels.deviation
)

// value is a parsed threshold value.
type value struct {
	kind   valueKind
	num    float64 // of constant, percent and percentile
	method string  // of automatic
	factor float64
	add    float64 // signed
	unit   string  // of add, deviations of the page (or line); empty: sample units
}

const number = `(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`

// valueForms are the regular expressions of threshold values.
type valueForms struct{ plain, ranked, method *regexp.Regexp }

func forms() valueForms {
	arithmetic := `\s*(?:\*\s*([+-]?` + number + `)\s*)?(?:([+-])\s*(` + number + `)\s*(sd|SD|mad|MAD)?)?$`
	return valueForms{
		plain:  regexp.MustCompile(`^([+-]?` + number + `)\s*(%?)$`),
		ranked: regexp.MustCompile(`^[pP](` + number + `)` + arithmetic),
		method: regexp.MustCompile(`^([A-Za-z]+)` + arithmetic),
	}
}

// parseValue reads the threshold value of key. Errors are *UsageError.
func parseValue(kernel, key, s string) (value, error) {
	f := forms()
	bad := func(hint, format string, args ...any) error {
		e := usagef(hint, format, args...)
		e.Msg = "kernel " + kernel + ": " + key + "=" + s + ": " + e.Msg
		return e
	}
	finite := func(text string) (float64, error) {
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || math.IsInf(x, 0) {
			return 0, bad("use a number within ±1.8e308", "%s is out of range", text)
		}
		return x + 0, nil // -0 becomes 0
	}
	if m := f.plain.FindStringSubmatch(s); m != nil {
		x, err := finite(m[1])
		if err != nil {
			return value{}, err
		}
		if m[2] == "" {
			return value{kind: constant, num: x}, nil
		}
		return value{kind: percent, num: x}, nil
	}
	v := value{kind: percentile, factor: 1}
	var err error
	m := f.ranked.FindStringSubmatch(s)
	if m != nil {
		if v.num, err = finite(m[1]); err != nil {
			return value{}, err
		}
		if v.num > 100 {
			return value{}, bad("use p0 to p100", "a percentile is at most 100")
		}
	} else {
		if m = f.method.FindStringSubmatch(s); m == nil {
			return value{}, bad("for example 40, 47%, p99.5, otsu, otsu*0.9, mean+3sd or median+3mad", "not a threshold value")
		}
		v.kind, v.method = automatic, strings.ToLower(m[1])
		if !isMethod(v.method) {
			return value{}, noMethod(v.method, m[1], bad)
		}
	}
	if m[2] != "" {
		if v.factor, err = finite(m[2]); err != nil {
			return value{}, err
		}
	}
	if m[4] != "" {
		if v.add, err = finite(m[4]); err != nil {
			return value{}, err
		}
		if m[3] == "-" && v.add != 0 {
			v.add = -v.add
		}
		if v.add != 0 {
			v.unit = strings.ToLower(m[5])
		}
	}
	return v, nil
}

// noMethod is the error of a name that gives no threshold, with what would.
func noMethod(name, asWritten string, bad func(hint, format string, args ...any) error) error {
	const one = "%s is a kernel that gives no single threshold"
	switch name {
	case "multiotsu":
		return bad("use otsu, which parts two classes, or multiotsu as the kernel itself, -k multiotsu:classes=3", one, name)
	case "percentile":
		return bad("write p and the percentage, such as p2.5", one, name)
	case "mad":
		return bad("write median+3mad, three scaled median absolute deviations above the median", one, name)
	}
	for _, k := range registry() {
		if k.info.Name == name {
			return bad("methods: "+strings.Join(methodNames(), ", "), one, name)
		}
	}
	return bad(didYouMean(name, methodNames()), "no method is named %q", asWritten)
}

// String is canonical: it parses to the same value.
func (v value) String() string {
	switch v.kind {
	case constant:
		return formatNumber(v.num)
	case percent:
		return formatNumber(v.num) + "%"
	}
	s := v.method
	if v.kind == percentile {
		s = "p" + formatNumber(v.num)
	}
	if v.factor != 1 {
		s += "*" + formatNumber(v.factor)
	}
	if v.add != 0 {
		if v.add > 0 {
			s += "+"
		}
		s += formatNumber(v.add) + v.unit
	}
	return s
}

// formatNumber is the shortest text that reads back, without an exponent where that stays short.
func formatNumber(x float64) string {
	if a := math.Abs(x); x == 0 || a >= 1e-4 && a < 1e15 {
		return strconv.FormatFloat(x, 'f', -1, 64)
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// needsHistogram tells whether the value depends on the image.
func (v value) needsHistogram() bool { return v.kind == percentile || v.kind == automatic }

// ranked tells whether the value is a percentile as it is.
func (v value) ranked() bool { return v.kind == percentile && v.factor == 1 && v.add == 0 }

// notBelow tells whether a value is at least another on every page.
func (v value) notBelow(w value) bool {
	switch {
	case v.kind != w.kind:
		return false
	case v.kind == constant, v.kind == percent:
		return v.num >= w.num
	case v.kind == percentile && v.num != w.num && !(v.num > w.num && v.factor >= 0):
		return false
	}
	return v.method == w.method && v.factor == w.factor && (v.unit == w.unit || v.add == 0 || w.add == 0) && v.add >= w.add
}

// eval gives the threshold in sample units, not yet rounded to the sample's type.
func (v value) eval(p *segment.PageInfo, l *levels) (float64, error) {
	switch v.kind {
	case constant:
		return v.num, nil
	case percent:
		if math.IsNaN(p.Min) || math.IsNaN(p.Max) {
			return 0, fmt.Errorf("float samples have no nominal range; use a percentile such as p%s, or a number", formatNumber(min(max(v.num, 0), 100)))
		}
		// The division comes last so that whole percentages of a range that divides stay exact.
		return p.Min + float64(v.num*(p.Max-p.Min))/100, nil
	}
	var t, unit float64 = 0, 1
	var err error
	if v.kind == percentile {
		t = l.percentile(v.num)
	} else if t, err = l.method(v.method); err != nil {
		return 0, err
	}
	switch v.unit {
	case standardDeviations:
		unit = l.sd()
	case medianDeviations:
		if _, unit, err = l.deviation(); err != nil {
			return 0, fmt.Errorf("%w; use sd in place of mad, the standard deviation", err)
		}
	}
	return float64(t*v.factor) + float64(v.add*unit), nil
}

// rankOf is the 1-based rank, among n samples in order, of the smallest value whose cumulative share is at least
// pct %. It is exact for the decimal that pct was written as: p29 of 100 samples is the 29th.
func rankOf(pct float64, n uint64) uint64 {
	r, ok := new(big.Rat).SetString(strconv.FormatFloat(pct, 'g', -1, 64))
	if !ok {
		return 1
	}
	r.Mul(r, new(big.Rat).SetInt(new(big.Int).SetUint64(n)))
	r.Quo(r, big.NewRat(100, 1))
	q, m := new(big.Int).QuoRem(r.Num(), r.Denom(), new(big.Int))
	if m.Sign() != 0 {
		q.Add(q, big.NewInt(1))
	}
	return min(max(q.Uint64(), 1), n)
}
