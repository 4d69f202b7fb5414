package kernels

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"segscan/segment"
)

// shareKeys are keys of local kernels, in sample units, that may be shares of the samples' range instead: NUMBER%.
func shareKeys() []string { return []string{"r", "contrast", "offset", "margin"} }

// withShares lets a local kernel take shares of the nominal range, of float samples of max - min.
func withShares(k kernel) kernel {
	parse := k.parse
	k.parse = func(a args) (Spec, error) {
		s := &shares{name: a.kernel, args: a, parse: parse, percent: map[string]float64{}}
		s.args.values = maps.Clone(a.values)
		numbers := map[string]string{}
		for _, key := range shareKeys() {
			number, found := strings.CutSuffix(a.values[key], "%")
			if !found {
				continue
			}
			x, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
			if err != nil || math.IsNaN(x) || math.Abs(x) > 1e6 {
				return nil, usagef("for example "+key+"=5%, of the samples' range", "kernel %s: %s=%s is not a percentage from -1000000 to 1000000", a.kernel, key, a.values[key])
			}
			if x != 0 {
				s.percent[key] = x
			}
			numbers[key] = formatNumber(x)
			s.args.values[key] = numbers[key]
		}
		var err error
		s.Spec, err = parse(s.args) // with the percentages as numbers, which are refused alike
		if err != nil || len(s.percent) == 0 {
			var usage *UsageError
			for key, x := range numbers {
				if errors.As(err, &usage) {
					usage.Msg = strings.Replace(usage.Msg, ": "+key+"="+x, ": "+key+"="+x+"%", 1)
				}
			}
			return s.Spec, err
		}
		if _, ok := s.Spec.(Surveyed); ok {
			return surveyedShares{s}, nil
		}
		return s, nil
	}
	return k
}

// shares is a local kernel with keys that are shares of a page's range. Spec has the percentages in their place.
type shares struct {
	Spec
	name    string
	args    args
	parse   func(args) (Spec, error)
	percent map[string]float64 // by key; none is 0
}

func (s *shares) unfiltered() Spec { return s.Spec }

// String has percentages where Spec has numbers.
func (s *shares) String() string {
	name, keys, _ := strings.Cut(s.Spec.String(), ":")
	pairs := strings.Split(keys, ",")
	for i, p := range pairs {
		if key, _, _ := strings.Cut(p, "="); s.percent[key] != 0 {
			pairs[i] += "%"
		}
	}
	return name + ":" + strings.Join(pairs, ",")
}

// Needs asks for a histogram where some page, one of float samples, would need one; see PageNeeds.
func (s *shares) Needs() Needs {
	n := s.Spec.Needs()
	n.Histogram = true
	return n
}

// PageNeeds implements PageNeeder.
func (s *shares) PageNeeds(p *segment.PageInfo) Needs {
	n := PageNeeds(s.Spec, p)
	n.Histogram = n.Histogram || !hasRange(p)
	return n
}

// Bind implements Spec.
func (s *shares) Bind(p *segment.PageInfo, h []segment.Histogram, o Options) (segment.Classifier, Report, error) {
	width := p.Max - p.Min
	if !hasRange(p) {
		if len(h) != 1 {
			return nil, Report{}, fmt.Errorf("kernel %s: one histogram of the page was expected, %d were given", s.name, len(h))
		}
		width = h[0].Max - h[0].Min
	}
	spec, err := s.of(width)
	if err != nil {
		return nil, Report{}, err
	}
	return spec.Bind(p, h, o)
}

// of is the kernel for a page whose range is so wide. Where all samples are alike, or none is finite, no share is left; r is
// then 0 as it is by default.
func (s *shares) of(width float64) (Spec, error) {
	a := s.args
	a.values = maps.Clone(a.values)
	for key, x := range s.percent {
		switch {
		case width > 0:
			a.values[key] = formatNumber(float64(x*width) / 100)
		case key == "r":
			delete(a.values, key)
		default:
			a.values[key] = "0"
		}
	}
	spec, err := s.parse(a)
	if err != nil {
		return nil, fmt.Errorf("kernel %s: with the shares of a range of %s: %v", s.name, shortNumber(width), err)
	}
	return spec, nil
}

// surveyedShares is shares of a kernel that looks at the page first.
type surveyedShares struct{ *shares }

// PageNeeds implements PageNeeder: the survey finds the range.
func (s surveyedShares) PageNeeds(p *segment.PageInfo) Needs { return PageNeeds(s.Spec, p) }

// Survey implements Surveyed.
func (s surveyedShares) Survey(p *segment.PageInfo) (Survey, error) {
	width := p.Max - p.Min
	known := hasRange(p) || p.Type != segment.F32
	if !known {
		width = 0
	}
	spec, err := s.of(width)
	if err != nil {
		return nil, err
	}
	survey, err := spec.(Surveyed).Survey(p)
	if err != nil || known {
		return survey, err
	}
	return &shareSurvey{survey.(*wolfSurvey), s.percent["margin"], math.Inf(1), math.Inf(-1)}, nil
}

// shareSurvey is a survey that finds the range of a page of float samples too. It is no LocalSurvey: that is told the least
// sample, but not the greatest.
type shareSurvey struct {
	wolf        *wolfSurvey
	margin      float64 // percent of the range
	least, most float64
}

// Add implements Survey.
func (v *shareSurvey) Add(b segment.Band) error {
	if err := v.wolf.Add(b); err != nil {
		return err
	}
	body := b.Body()
	for l := range body.Lines {
		for _, x := range body.F32[l*body.Stride:][:body.Samples] {
			if x-x == 0 {
				v.least, v.most = min(v.least, float64(x)), max(v.most, float64(x))
			}
		}
	}
	return nil
}

// Bind implements Survey.
func (v *shareSurvey) Bind(o Options) (segment.Classifier, Report, error) {
	if v.most > v.least {
		v.wolf.rule.Margin = float64(v.margin*(v.most-v.least)) / 100
	}
	return v.wolf.Bind(o)
}

// sharesToo adds to the texts of local kernels what withShares lets them take.
func sharesToo(list []kernel) []kernel {
	for i := range list {
		params := slices.Clone(list[i].info.Params)
		for k, p := range params {
			if slices.Contains(shareKeys(), p.Name) {
				params[k].Help = strings.Replace(p.Help, "in sample units", "in sample units or as NUMBER% of the range", 1)
			}
		}
		list[i].info.Params = params
		list[i] = withShares(list[i])
	}
	return list
}
