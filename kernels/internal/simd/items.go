package simd

// Item is a sample of a block of lines: where it is, and its place in the order of samples.
type Item struct {
	Line, Column uint16
	Key          uint32
}

// CountItems is how many items in columns x to x+w-1 have keys less than key. w is at least 1, and x+w at most 2^16.
func CountItems(items []Item, x, w int, key uint32) uint32 { return best.CountItems(items, x, w, key) }

// CountItems is the function of that name by this level.
func (l Level) CountItems(items []Item, x, w int, key uint32) uint32 {
	n, less := l.items(items, x, w, key)
	return less + itemsGo(items[n:], x, w, key)
}

func itemsGo(items []Item, x, w int, key uint32) (less uint32) {
	for _, it := range items {
		if uint(it.Column)-uint(x) < uint(w) && it.Key < key {
			less++
		}
	}
	return less
}
