package batch

import (
	"fmt"
	"slices"
)

// resolve gives the pages of a file of n pages that l names: 0-based, ascending, each once. A page that the file
// does not have is an error. Behind the n pages, which nil and negative numbers count, there are extra ones that are
// reached by their number only.
func (l PageList) resolve(n, extra int) ([]int, error) {
	var pages []int
	if l == nil {
		for i := range n {
			pages = append(pages, i)
		}
		return pages, nil
	}
	for _, r := range l {
		from, err := pageOf(r.From, n, extra)
		if err != nil {
			return nil, err
		}
		to, err := pageOf(r.To, n, extra)
		if err != nil {
			return nil, err
		}
		if from > to {
			return nil, fmt.Errorf("pages %d to %d of a file of %d run backwards; see --page", from, to, n)
		}
		for i := from; i <= to; i++ {
			pages = append(pages, i)
		}
	}
	slices.Sort(pages)
	return slices.Compact(pages), nil
}

func pageOf(page, n, extra int) (int, error) {
	i := page
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n+extra {
		if n+extra == 1 {
			return 0, fmt.Errorf("there is no page %d: the file has one page, 0; see --page", page)
		}
		return 0, fmt.Errorf("there is no page %d: the file has pages 0 to %d; see --page", page, n+extra-1)
	}
	return i, nil
}
