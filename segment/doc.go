// Package segment is the domain of segscan: it finds activated segments in lines of classified samples.
//
// Each sample of a line is a boundary (1), an activation (2) or other (0). A segment is the span between two
// consecutive boundaries of one line that holds at least one activation strictly between them; both ends are
// inclusive and are the boundary samples themselves. FlagAndIndex and Combine are the definition, an associative
// scan of pairs; the engine computes the same thing on bits, 64 samples an addition.
//
// The package imports nothing of the project and touches no files.
package segment
