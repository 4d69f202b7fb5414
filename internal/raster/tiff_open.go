package raster

import (
	"errors"
	"io"
)

func openTIFF(io.ReaderAt, int64, string, Options) (Reader, error) {
	return nil, errors.New("TIFF files are not read by this build")
}
