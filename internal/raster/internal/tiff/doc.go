// Package tiff reads the structure and the samples of TIFF and BigTIFF files: directories, strips and tiles, codecs,
// predictors and colour. It hands out rows of samples as uint8, uint16 or float32, decoding only the strips and tiles
// that the rows need, and never trusts a number in the file: sizes are checked against the file and against limits
// before memory is taken.
//
// Codecs come from golang.org/x/image (LZW, WebP), the standard library (JPEG, old-style LZW), klauspost/compress
// (Zstandard) and package inflate beside this one (Deflate). The fax codecs are this package's own, because golang.org/x/image/ccitt reads neither
// two-dimensional Group 3 nor the modified Huffman form without end-of-line codes; tests hold the two against each
// other where both can read.
//
// Where a file leaves the specification, the reader does what libtiff does and says so in a warning of the page.
package tiff
