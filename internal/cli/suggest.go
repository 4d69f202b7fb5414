package cli

import "strings"

// nearest gives the candidate a mistyped word most likely means, or "". A word that begins a single candidate
// counts; otherwise at most a third of the letters may differ (two at most, and not all).
func nearest(word string, candidates []string) string {
	w := strings.ToLower(word)
	if w == "" {
		return ""
	}
	best, bestDist, begins := "", 3, []string{}
	for _, c := range candidates {
		lc := strings.ToLower(c)
		if lc == w {
			return c
		}
		if strings.HasPrefix(lc, w) && len(w) >= 2 {
			begins = append(begins, c)
		}
		if d := distance(w, lc); d < bestDist && d < max(len([]rune(w)), len([]rune(lc))) && d <= max(1, len([]rune(lc))/3) {
			best, bestDist = c, d
		}
	}
	if len(begins) == 1 {
		return begins[0]
	}
	return best
}

// distance is the number of letters to insert, delete, change or exchange with a neighbour (optimal string
// alignment).
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	d := make([][]int, len(x)+1)
	for i := range d {
		d[i] = make([]int, len(y)+1)
		d[i][0] = i
	}
	for j := range y {
		d[0][j+1] = j + 1
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			change := 1
			if x[i-1] == y[j-1] {
				change = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+change)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(x)][len(y)]
}

// didYouMean is the hint for a mistyped word, or "".
func didYouMean(word, prefix string, candidates []string) string {
	if n := nearest(word, candidates); n != "" {
		return "did you mean " + prefix + n + "?"
	}
	return ""
}
