package gpu

import (
	"bytes"
	"unsafe"
)

// cString copies text of the driver's that ends with a zero byte, at most 4 KiB of it.
func cString(s *byte) string {
	n := 0
	for n < 4096 && *(*byte)(unsafe.Add(unsafe.Pointer(s), n)) != 0 {
		n++
	}
	return string(unsafe.Slice(s, n))
}

// cText is the text in a buffer up to its first zero byte.
func cText(b []byte) string {
	if i := bytes.IndexByte(b, 0); i >= 0 {
		b = b[:i]
	}
	return string(bytes.TrimSpace(b))
}
