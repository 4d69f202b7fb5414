package viz

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
)

// niceTicks marks an axis at multiples of 1, 2 or 5 times a power of ten, at most so many times, and where there is room for
// so many letters of labels, and two between them, only as often as they fit; 0: there is always.
type niceTicks struct{ most, room int }

// Ticks implements plot.Ticker.
func (t niceTicks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	var ticks []plot.Tick
	for most := t.most; most > 0; most-- {
		ticks = t.upTo(most, lo, hi)
		letters := 0
		for _, k := range ticks {
			letters += len(k.Label) + 2
		}
		if t.room == 0 || letters <= t.room {
			break
		}
	}
	return ticks
}

// upTo marks an axis at most so many times.
func (t niceTicks) upTo(most int, lo, hi float64) (ticks []plot.Tick) {
	step := roundStep((hi - lo) / float64(most))
	for k := math.Ceil(lo/step - 1e-9); k*step <= hi+step*1e-9; k++ {
		v := k * step
		if math.Abs(v) < step/2 {
			v = 0
		}
		ticks = append(ticks, plot.Tick{Value: v, Label: tickText(v, max(math.Abs(lo), math.Abs(hi)), step)})
	}
	return ticks
}

// tickText writes a number for an axis whose largest is most and whose ticks are a step apart: all with k, M or G where that
// is large, unless the step is too small for that.
func tickText(v, most, step float64) string {
	switch {
	case v == 0:
		return "0"
	case most >= 1e5 && step < 2e-5*most: // six digits do not tell ticks apart, and with a letter none would be saved
		if decimals := max(0, -int(math.Floor(math.Log10(step)*(1+1e-12)))); most < 1e9 {
			return strconv.FormatFloat(v, 'f', decimals, 64)
		}
		return strconv.FormatFloat(v, 'e', int(math.Ceil(math.Log10(most/step))), 64)
	case most >= 1e12:
		return fmt.Sprintf("%.4g", v)
	case most >= 1e9:
		return fmt.Sprintf("%.6gG", v/1e9)
	case most >= 1e6:
		return fmt.Sprintf("%.6gM", v/1e6)
	case most >= 1e5:
		return fmt.Sprintf("%.6gk", v/1e3)
	case step < 1e-5*most:
		return fmt.Sprintf("%.9g", v)
	}
	return fmt.Sprintf("%.6g", v)
}

// powerTicks marks a logarithmic axis at powers of ten.
type powerTicks struct{}

// Ticks implements plot.Ticker.
func (powerTicks) Ticks(lo, hi float64) []plot.Tick {
	var ticks []plot.Tick
	for e := math.Floor(math.Log10(lo)); e <= math.Ceil(math.Log10(hi)); e++ {
		for m := 1.0; m < 10; m++ {
			v := m * math.Pow(10, e)
			if v < lo || v > hi {
				continue
			}
			t := plot.Tick{Value: v}
			if m == 1 {
				t.Label = tickText(v, v, v)
			}
			ticks = append(ticks, t)
		}
	}
	return ticks
}
