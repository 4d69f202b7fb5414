// Package segmenttest has what tests of segmentation share: lines of classes written as text, random ones, masks
// made from classes, and a comparison of results that says where they first differ.
package segmenttest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"segscan/segment"
)

// Line reads classes from text: '0', '1' and '2' are classes, spaces are skipped. Any other character panics, for
// the text is part of the test.
func Line(text string) []segment.Class {
	var line []segment.Class
	for _, c := range strings.ReplaceAll(text, " ", "") {
		if c < '0' || c > '2' {
			panic(fmt.Sprintf("segmenttest: class %q in %q", c, text))
		}
		line = append(line, segment.Class(c-'0'))
	}
	return line
}

// Random makes n classes, each on its own a boundary or an activation with the given probabilities (their sum at
// most 1).
func Random(rng *rand.Rand, n int, boundary, activation float64) []segment.Class {
	line := make([]segment.Class, n)
	for i := range line {
		switch p := rng.Float64(); {
		case p < boundary:
			line[i] = segment.Boundary
		case p < boundary+activation:
			line[i] = segment.Activation
		}
	}
	return line
}

// Pattern is a way to fill a band that tests go through.
type Pattern struct {
	Name string
	Make func(n int) []segment.Class
}

// Patterns are the fillings every path should be run on: random ones from dense to sparse, constant ones, the
// densest segments, and boundaries without activations. Random ones depend on seed and n only.
func Patterns(seed uint64) []Pattern {
	random := func(boundary, activation float64) func(int) []segment.Class {
		return func(n int) []segment.Class {
			return Random(rand.New(rand.NewPCG(seed, uint64(n))), n, boundary, activation)
		}
	}
	repeat := func(text string) func(int) []segment.Class {
		unit := Line(text)
		return func(n int) []segment.Class { return slices.Repeat(unit, n/len(unit)+1)[:n] }
	}
	return []Pattern{
		{"random 1/3", random(1./3, 1./3)},
		{"random 1/8", random(1./8, 1./8)},
		{"random 1/64", random(1./64, 1./64)},
		{"random few boundaries", random(1./40, 1./2)},
		{"random few activations", random(1./2, 1./40)},
		{"no boundary", random(0, 1./5)},
		{"no activation", random(1./5, 0)},
		{"all other", repeat("0")},
		{"all boundary", repeat("1")},
		{"all activation", repeat("2")},
		{"densest", repeat("12")},
		{"densest shifted", repeat("21")},
		{"kept and rejected", repeat("12010")},
	}
}

// Masks packs a band of lines*width classes.
func Masks(classes []segment.Class, lines, width int) *segment.Masks {
	words := (width + 63) / 64
	m := &segment.Masks{Lines: lines, Samples: width, Words: words,
		B: make([]uint64, lines*words), A: make([]uint64, lines*words)}
	for l := range lines {
		for s, c := range classes[l*width : (l+1)*width] {
			bit := uint64(1) << (s % 64)
			switch c {
			case segment.Boundary:
				m.B[l*words+s/64] |= bit
			case segment.Activation:
				m.A[l*words+s/64] |= bit
			}
		}
	}
	return m
}

// Diff compares two results exactly (masks apart) and describes the first difference; empty if there is none.
func Diff(got, want *segment.Result) string {
	if d := diffSpans("kept", &got.Kept, &want.Kept); d != "" {
		return d
	}
	if d := diffSpans("rejected", &got.Rejected, &want.Rejected); d != "" {
		return d
	}
	if got.DroppedAtEdges != want.DroppedAtEdges {
		return fmt.Sprintf("dropped at edges: got %d, want %d", got.DroppedAtEdges, want.DroppedAtEdges)
	}
	return ""
}

func diffSpans(group string, got, want *segment.Spans) string {
	if len(got.First) != len(want.First) {
		return fmt.Sprintf("%s: got %d line offsets, want %d", group, len(got.First), len(want.First))
	}
	for i, f := range want.First {
		if got.First[i] != f {
			return fmt.Sprintf("%s: First[%d]: got %d, want %d", group, i, got.First[i], f)
		}
	}
	if len(got.Bounds) != len(want.Bounds) {
		return fmt.Sprintf("%s: got %d spans, want %d", group, len(got.Bounds), len(want.Bounds))
	}
	line := 0
	for i, b := range want.Bounds {
		for int64(i) >= want.First[line+1] {
			line++
		}
		if got.Bounds[i] != b {
			return fmt.Sprintf("%s: span %d (line %d): got [%d,%d], want [%d,%d]", group, i, line,
				got.Bounds[i].Start, got.Bounds[i].End, b.Start, b.End)
		}
	}
	if len(got.Edge) != len(want.Edge) {
		return fmt.Sprintf("%s: got edge bits of %d lines, want %d", group, len(got.Edge), len(want.Edge))
	}
	for l, e := range want.Edge {
		if got.Edge[l] != e {
			return fmt.Sprintf("%s: edge bits of line %d: got %02b, want %02b", group, l, got.Edge[l], e)
		}
	}
	return ""
}
