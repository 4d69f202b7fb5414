package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"segscan/internal/batch"
)

// plotWords are what --plot takes, for shells.
var plotWords = []string{"profile=", "histogram", "lengths", "lines"}

// plotValue gathers the plots of all --plot flags, each once.
func plotValue(to *[]batch.Plot) *value {
	return &value{typ: "plot", allowed: plotWords, set: func(s string) error {
		plots, err := parsePlot(s)
		for _, p := range plots {
			same := func(q batch.Plot) bool { return q.Kind == p.Kind && q.Line == p.Line }
			if i := slices.IndexFunc(*to, same); i >= 0 {
				(*to)[i] = p // the last one says how
				continue
			}
			*to = append(*to, p)
		}
		return err
	}}
}

// parsePlot reads one --plot: a profile has a plot for each of its lines.
func parsePlot(s string) ([]batch.Plot, error) {
	name, arg, given := strings.Cut(strings.TrimSpace(s), "=")
	kind := batch.PlotKind(strings.ToLower(name))
	switch kind {
	case batch.PlotProfile:
		return parseProfile(arg, given)
	case batch.PlotHistogram:
		counts := strings.ToLower(arg)
		if given && counts != "linear" && counts != "log" {
			return nil, errors.New("allowed: histogram, histogram=linear or histogram=log")
		}
		return []batch.Plot{{Kind: kind, Counts: counts}}, nil
	case batch.PlotLengths, batch.PlotLines:
		if given {
			return nil, fmt.Errorf("%s takes no value", kind)
		}
		return []batch.Plot{{Kind: kind}}, nil
	}
	names := []string{"profile", "histogram", "lengths", "lines"}
	return nil, &usageError{"allowed: profile=ROW[,ROW], histogram, lengths, lines", didYouMean(name, "", names)}
}

func parseProfile(arg string, given bool) ([]batch.Plot, error) {
	if !given || strings.TrimSpace(arg) == "" {
		return nil, &usageError{"profile needs the lines to show", "profile=0 is the first, profile=0,200 two of them"}
	}
	var plots []batch.Plot
	for _, part := range strings.Split(arg, ",") {
		part = strings.TrimSpace(part)
		line, err := strconv.ParseInt(part, 10, 64)
		if err != nil || !allDigits(part) {
			return nil, fmt.Errorf("%q is no line; allowed: numbers from 0, such as profile=0,200", part)
		}
		plots = append(plots, batch.Plot{Kind: batch.PlotProfile, Line: line})
	}
	return plots, nil
}
