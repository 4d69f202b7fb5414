package raster

import (
	"bytes"

	"github.com/klauspost/compress/flate"
)

// writeDefaultLevel is the deflate level that is meant when none is given: as small as zlib's default on what has
// matches, several times as fast. What has none is left to Huffman codes alone.
const writeDefaultLevel = 5

// writeDeflateMode is how bytes are deflated.
type writeDeflateMode int

const (
	writeDeflateMatch   writeDeflateMode = iota // matches at the level asked for
	writeDeflateHuffman                         // Huffman codes only: smaller and several times as fast on noise
)

// writeDeflater deflates runs of bytes, each on its own, and keeps the compressors' memory between them.
type writeDeflater struct {
	level int
	zip   [2]*flate.Writer // by mode
}

// deflate appends b to out. A run that is not final ends with a sync flush, on a byte, so that the runs' bytes one
// after another are one deflate stream.
func (d *writeDeflater) deflate(out *bytes.Buffer, b []byte, mode writeDeflateMode, final bool) error {
	z := d.zip[mode]
	if z == nil {
		level := d.level
		if mode == writeDeflateHuffman {
			level = flate.HuffmanOnly
		}
		var err error
		if z, err = flate.NewWriter(out, level); err != nil {
			return err
		}
		d.zip[mode] = z
	} else {
		z.Reset(out)
	}
	if _, err := z.Write(b); err != nil {
		return err
	}
	if final {
		return z.Close()
	}
	return z.Flush()
}
