// Package png reads PNG files (ISO/IEC 15948, third edition) row by row: the chunks of a file first, then the image
// data as unfiltered bytes in one pass from the top, or pass by pass for interlaced images. What damage leaves the
// pixels untouched (ancillary chunks, a missing end) is a warning; what touches them is an error.
package png
