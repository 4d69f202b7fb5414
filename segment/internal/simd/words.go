//go:build !noasm && (amd64 || arm64)

package simd

// Assembly does whole words, 64 samples each. The last word of a line that ends inside one is done from the last 64
// samples, which overlap with the word before, and shifted into place, so that nothing is read beyond the line. Less
// than 64 samples are left to the portable form.

// align moves the bits of the last 64 samples of a line, the first short of which belong to the word before.
func align(b, a *uint64, short int) {
	*b >>= short
	*a >>= short
}

func onesIf(c bool) uint64 { return -oneIf(c) }
