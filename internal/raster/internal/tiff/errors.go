package tiff

import (
	"errors"
	"fmt"
	"strings"
)

// ErrUnsupported is wrapped by every error about a file that is sound but of a kind that is not read.
var ErrUnsupported = errors.New("unsupported")

// Error says where in a file something is wrong. Page is 0-based, -1 for the file as a whole; Tag 0 for none.
type Error struct {
	Page   int
	Tag    Tag
	Value  string // as read, may be empty
	Msg    string
	Remedy string // may be empty
	Err    error  // may be nil
}

// Error reads: page 0: Compression 6 (old-style JPEG compression) is not read; remedy.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Page >= 0 {
		fmt.Fprintf(&b, "page %d: ", e.Page)
	}
	if e.Tag != 0 {
		b.WriteString(e.Tag.String())
		b.WriteByte(' ')
		if e.Value != "" {
			b.WriteString(e.Value)
			b.WriteByte(' ')
		}
	}
	b.WriteString(e.Msg)
	if e.Err != nil && e.Err != ErrUnsupported {
		b.WriteString(": ")
		b.WriteString(e.Err.Error())
	}
	if e.Remedy != "" {
		b.WriteString("; ")
		b.WriteString(e.Remedy)
	}
	return b.String()
}

// Unwrap gives the cause.
func (e *Error) Unwrap() error { return e.Err }

const remedyRewrite = "rewrite the file, for example with: tiffcp -c lzw in.tif out.tif"
const remedyConvert = "convert it with the program that wrote it to plain gray or RGB, uncompressed or LZW"
const remedyDamaged = "the file is damaged or incomplete: copy it again from its source"

// guard turns a panic in a codec or in this package into an error about page.
func guard(page int, err *error) {
	if r := recover(); r != nil {
		*err = &Error{Page: page, Msg: fmt.Sprintf("decoding failed: %v", r), Remedy: remedyDamaged}
	}
}
