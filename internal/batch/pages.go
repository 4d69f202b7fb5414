package batch

import (
	"fmt"
	"slices"
)

// resolve gives the pages of a file of n pages that l names: 0-based, ascending, each once. A page that the file
// does not have is an error.
func (l PageList) resolve(n int) ([]int, error) {
	var pages []int
	if l == nil {
		for i := range n {
			pages = append(pages, i)
		}
		return pages, nil
	}
	for _, r := range l {
		from, err := pageOf(r.From, n)
		if err != nil {
			return nil, err
		}
		to, err := pageOf(r.To, n)
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

func pageOf(page, n int) (int, error) {
	i := page
	if i < 0 {
		i += n
	}
	if i < 0 || i >= n {
		if n == 1 {
			return 0, fmt.Errorf("there is no page %d: the file has one page, 0; see --page", page)
		}
		return 0, fmt.Errorf("there is no page %d: the file has pages 0 to %d; see --page", page, n-1)
	}
	return i, nil
}
