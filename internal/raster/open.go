package raster

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Open reads the head of a file, tells PNG, TIFF and JPEG apart by content (never by name), and opens it. Size is
// the number of bytes of r; name goes into PageInfo.File. Errors do not repeat the name.
func Open(r io.ReaderAt, size int64, name string, o Options) (rd Reader, err error) {
	if err := CheckChannel(o.Channel); err != nil {
		return nil, err
	}
	head, err := readHead(r, size)
	if err != nil {
		return nil, err
	}
	err = guard("opening the file", func() (err error) {
		switch sniff(head) {
		case "png":
			rd, err = openPNG(r, size, name, o)
		case "jpeg":
			rd, err = openJPEG(r, size, name, o)
		case "tiff":
			rd, err = openTIFF(r, size, name, o)
		default:
			err = unknownFormat(head, size)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return rd, nil
}

// CheckHead tells from the first HeadBytes of a file, or from all of a shorter one, whether it is of a kind that Open
// reads; the error is the one Open would give.
func CheckHead(head []byte) error {
	if sniff(head) == "" {
		return unknownFormat(head, int64(len(head)))
	}
	return nil
}

// HeadBytes tell every kind of file that is known by name.
const HeadBytes = sniffLen

// readHead reads what tells the format.
func readHead(r io.ReaderAt, size int64) ([]byte, error) {
	head := make([]byte, min(size, sniffLen))
	if n, err := r.ReadAt(head, 0); n < len(head) {
		if errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("file has shrunk: %d of %d bytes are there", n, size)
		}
		return nil, fmt.Errorf("reading the file's head: %w", err)
	}
	return head, nil
}

// sniffLen bytes tell every format named below.
const sniffLen = 512

const pngSignature = "\x89PNG\r\n\x1a\n"

// sniff gives "png", "tiff" (BigTIFF included), "jpeg" or "".
func sniff(head []byte) string {
	switch h := string(head); {
	case strings.HasPrefix(h, pngSignature):
		return "png"
	case strings.HasPrefix(h, "II*\x00"), strings.HasPrefix(h, "MM\x00*"),
		strings.HasPrefix(h, "II+\x00"), strings.HasPrefix(h, "MM\x00+"):
		return "tiff"
	case strings.HasPrefix(h, "\xff\xd8\xff"):
		return "jpeg"
	}
	return ""
}

// unknownFormat says what a file that cannot be read looks like.
func unknownFormat(head []byte, size int64) error {
	const readable = "PNG, TIFF and JPEG are read"
	if size == 0 {
		return errors.New("file is empty")
	}
	if what := describe(head); what != "" {
		return fmt.Errorf("looks like %s; %s", what, readable)
	}
	return fmt.Errorf("unknown kind of file (begins with % x); %s", head[:min(len(head), 8)], readable)
}

// signatures are bytes at an offset that tell a format this program does not read.
var signatures = []struct {
	at         int
	magic, are string
}{
	{0, "\x89PNG", "a PNG damaged by a transfer in text mode"},
	{0, "GIF8", "GIF"},
	{8, "WEBP", "WebP"},
	{0, "%PDF", "PDF"},
	{0, "%!PS", "PostScript"},
	{0, "\x00\x00\x00\x0cjP  ", "JPEG 2000"},
	{0, "\xff\x4f\xff\x51", "JPEG 2000"},
	{0, "\x00\x00\x00\x0cJXL ", "JPEG XL"},
	{0, "\xff\x0a", "JPEG XL"},
	{4, "ftypavif", "AVIF"},
	{4, "ftypavis", "AVIF"},
	{4, "ftyphei", "HEIC"},
	{4, "ftyphev", "HEIC"},
	{4, "ftypmif1", "HEIF"},
	{4, "ftypcrx", "Canon CR3 raw"},
	{4, "ftyp", "a video or another ISO media file"},
	{0, "8BPS", "Photoshop"},
	{0, "\x76\x2f\x31\x01", "OpenEXR"},
	{0, "#?RADIANCE", "Radiance HDR"},
	{0, "DDS ", "DDS"},
	{0, "qoif", "QOI"},
	{0, "\x8aMNG", "MNG"},
	{0, "\x8bJNG", "JNG"},
	{0, "\x00\x00\x01\x00", "a Windows icon"},
	{0, "SIMPLE  =", "FITS"},
	{128, "DICM", "DICOM"},
	{0, "\x89HDF", "HDF5"},
	{0, "CDF\x01", "NetCDF"},
	{0, "\x93NUMPY", "a NumPy array"},
	{0, "ZISRAWFILE", "Zeiss CZI"},
	{0, "\xda\xce\xbe\x0a", "Nikon ND2"},
	{0, "II\xbc\x01", "JPEG XR"},
	{0, "IIRO", "Olympus ORF raw"},
	{0, "IIU\x00", "Panasonic RW2 raw"},
	{0, "FUJIFILM", "Fujifilm RAF raw"},
	{0, "\x00\x05\x16\x07", "AppleDouble metadata of a Mac"},
	{0, "\x00\x05\x16\x00", "AppleSingle metadata of a Mac"},
	{0, "RIFF", "a RIFF file (audio or video)"},
	{0, "fLaC", "FLAC audio"},
	{0, "OggS", "Ogg audio or video"},
	{0, "ID3", "MP3 audio"},
	{0, "PK\x03\x04", "a ZIP archive"},
	{0, "\x1f\x8b", "gzip data"},
	{0, "\x28\xb5\x2f\xfd", "Zstandard data"},
	{0, "BZh", "bzip2 data"},
	{0, "\xfd7zXZ", "xz data"},
	{0, "7z\xbc\xaf", "a 7-Zip archive"},
	{257, "ustar", "a tar archive"},
	{0, "version https://git-lfs", "a Git LFS pointer (fetch the real file with git lfs pull)"},
}

func describe(head []byte) string {
	for _, s := range signatures {
		if len(head) >= s.at && bytes.HasPrefix(head[s.at:], []byte(s.magic)) {
			return s.are
		}
	}
	if len(head) >= 10 && string(head[:2]) == "BM" && allBytes(head[6:10], 0) { // two reserved fields
		return "BMP"
	}
	if len(head) > 2 && head[0] == 'P' && head[1] >= '1' && head[1] <= '7' && strings.IndexByte(" \t\r\n#", head[2]) >= 0 {
		return "PNM (PBM, PGM, PPM or PAM)"
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	lower := bytes.ToLower(text)
	switch {
	case bytes.HasPrefix(lower, []byte("<svg")), bytes.HasPrefix(lower, []byte("<?xml")) && bytes.Contains(lower, []byte("<svg")):
		return "SVG"
	case bytes.HasPrefix(lower, []byte("<!doctype html")), bytes.HasPrefix(lower, []byte("<html")):
		return "a web page (HTML)"
	case bytes.HasPrefix(lower, []byte("<?xml")):
		return "XML"
	case allBytes(head, 0):
		return "zeros only"
	case !slices.ContainsFunc(head, func(b byte) bool { return b < ' ' && b != '\n' && b != '\r' && b != '\t' || b >= 0x7f }):
		return "text"
	}
	return ""
}

func allBytes(b []byte, v byte) bool {
	return !slices.ContainsFunc(b, func(c byte) bool { return c != v })
}
