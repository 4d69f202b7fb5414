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
	percentile                  // pNUMBER, the smallest value whose cumulative share is at least NUMBER %
	automatic                   // METHOD[*NUMBER][(+|-)NUMBER[sd]]
)

// value is a parsed threshold value.
type value struct {
	kind   valueKind
	num    float64 // of constant, percent and percentile
	method string  // of automatic
	factor float64
	add    float64 // signed
	sd     bool    // add is in standard deviations of the page (or line)
}

const number = `(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?`

// valueForms are the regular expressions of threshold values.
type valueForms struct{ plain, ranked, method *regexp.Regexp }

func forms() valueForms {
	return valueForms{
		plain:  regexp.MustCompile(`^([+-]?` + number + `)\s*(%?)$`),
		ranked: regexp.MustCompile(`^[pP](` + number + `)$`),
		method: regexp.MustCompile(`^([A-Za-z]+)\s*(?:\*\s*([+-]?` + number + `)\s*)?(?:([+-])\s*(` + number + `)\s*(sd|SD)?)?$`),
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
	if m := f.ranked.FindStringSubmatch(s); m != nil {
		x, err := finite(m[1])
		if err != nil {
			return value{}, err
		}
		if x > 100 {
			return value{}, bad("use p0 to p100", "a percentile is at most 100")
		}
		return value{kind: percentile, num: x}, nil
	}
	m := f.method.FindStringSubmatch(s)
	if m == nil {
		return value{}, bad("for example 40, 47%, p99.5, otsu, otsu*0.9 or mean+3sd", "not a threshold value")
	}
	v := value{kind: automatic, method: strings.ToLower(m[1]), factor: 1}
	if !isMethod(v.method) {
		for _, k := range registry() {
			if k.info.Name == v.method {
				return value{}, bad("methods: "+strings.Join(methodNames(), ", "), "%s does not give one threshold", v.method)
			}
		}
		return value{}, bad(didYouMean(v.method, methodNames()), "no method is named %q", m[1])
	}
	var err error
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
		v.sd = m[5] != "" && v.add != 0
	}
	return v, nil
}

// String is canonical: it parses to the same value.
func (v value) String() string {
	switch v.kind {
	case constant:
		return formatNumber(v.num)
	case percent:
		return formatNumber(v.num) + "%"
	case percentile:
		return "p" + formatNumber(v.num)
	}
	s := v.method
	if v.factor != 1 {
		s += "*" + formatNumber(v.factor)
	}
	if v.add != 0 {
		if v.add > 0 {
			s += "+"
		}
		s += formatNumber(v.add)
		if v.sd {
			s += "sd"
		}
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

// notBelow tells whether a value is at least another on every page.
func (v value) notBelow(w value) bool {
	switch {
	case v.kind != w.kind:
		return false
	case v.kind != automatic:
		return v.num >= w.num
	}
	return v.method == w.method && v.factor == w.factor && (v.sd == w.sd || v.add == 0 || w.add == 0) && v.add >= w.add
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
	case percentile:
		return l.percentile(v.num), nil
	}
	t, err := l.method(v.method)
	if err != nil {
		return 0, err
	}
	t = float64(t * v.factor)
	if v.sd {
		return t + float64(v.add*l.sd()), nil
	}
	return t + v.add, nil
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
