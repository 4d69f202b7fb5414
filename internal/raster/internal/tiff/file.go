package tiff

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
)

// Limits bound what a file may ask for. Zero values stand for the defaults.
type Limits struct {
	MaxPages int     // directories in a file: 1,000,000
	MaxRatio float64 // decoded bytes of a page per byte of file, beyond freeBytes: 10,000
	MaxChunk int64   // decoded bytes of a strip or tile that must be held whole: 1 GiB
	Workers  int     // strips and tiles decoded at once: all cores
	Stream   int64   // decoded bytes from which a strip is decoded row by row: 16 MiB
	Keep     int64   // decoded bytes kept because the next rows need them, and of decoding ahead: 192 MiB
}

// freeBytes is the decoded size of a page that no ratio is asked of.
const freeBytes = 256 << 20

func (l Limits) withDefaults() Limits {
	if l.MaxPages <= 0 {
		l.MaxPages = 1_000_000
	}
	if l.MaxRatio <= 0 {
		l.MaxRatio = 10_000
	}
	if l.MaxChunk <= 0 {
		l.MaxChunk = 1 << 30
	}
	if l.Workers <= 0 {
		l.Workers = runtime.GOMAXPROCS(0)
	}
	if l.Stream <= 0 {
		l.Stream = 16 << 20
	}
	if l.Keep <= 0 {
		l.Keep = 192 << 20
	}
	return l
}

// pageRef is where a page comes from. plane counts the images of an ImageJ stack that has one directory only.
type pageRef struct {
	off    int64
	parent int // page it is a SubIFD of; -1 for the main chain
	plane  int64
}

// File is an open TIFF. It is safe for concurrent use.
type File struct {
	src    source
	limits Limits
	refs   []pageRef // main chain first, then SubIFDs
	main   int
	meta   Meta

	mu       sync.Mutex // of what follows, to which decoding adds
	warnings []string
	damage   string
}

// Open reads the header and walks the directories of the size bytes of r. Damage behind the first directory is a
// warning, and the pages before it are there.
func Open(r io.ReaderAt, size int64, l Limits) (f *File, err error) {
	defer guard(-1, &err)
	f = &File{src: source{r: r, size: size}, limits: l.withDefaults()}
	first, err := f.src.header()
	if err != nil {
		return nil, err
	}
	seen := map[int64]bool{}
	subs := f.walk(first, -1, seen)
	if len(f.refs) == 0 {
		off := int64(min(first, math.MaxInt64))
		_, cause := f.src.readIFD(off)
		return nil, &Error{Page: -1, Msg: fmt.Sprintf("first directory at offset %d cannot be read", first),
			Err: cause, Remedy: remedyDamaged}
	}
	f.main = len(f.refs)
	f.readMeta()
	f.expandImageJ()
	for i := 0; i < len(subs); i++ { // grows: SubIFDs may hold SubIFDs
		subs = append(subs, f.walk(subs[i].off, subs[i].parent, seen)...)
	}
	return f, nil
}

// header reads the byte order and the place of the first directory.
func (s *source) header() (uint64, error) {
	var h [16]byte
	short := func(err error) error {
		return &Error{Page: -1, Msg: "TIFF header cannot be read", Err: err, Remedy: remedyDamaged}
	}
	if err := s.read(h[:8], 0); err != nil {
		return 0, short(err)
	}
	switch string(h[:2]) {
	case "II":
		s.order = binary.LittleEndian
	case "MM":
		s.order = binary.BigEndian
	default:
		return 0, &Error{Page: -1, Msg: fmt.Sprintf("TIFF header begins with % x instead of II or MM", h[:2])}
	}
	switch v := s.order.Uint16(h[2:]); v {
	case 42:
		return uint64(s.order.Uint32(h[4:])), nil
	case 43:
		s.big = true
		if err := s.read(h[:16], 0); err != nil {
			return 0, short(err)
		}
		if n := s.order.Uint16(h[4:]); n != 8 {
			return 0, &Error{Page: -1, Msg: fmt.Sprintf("BigTIFF header says offsets of %d bytes instead of 8", n)}
		}
		return s.order.Uint64(h[8:]), nil
	default:
		return 0, &Error{Page: -1, Msg: fmt.Sprintf("TIFF header holds version %d instead of 42 or 43 (BigTIFF)", v)}
	}
}

// subRef is a directory that a page points to as its SubIFD.
type subRef struct {
	off    uint64
	parent int
}

// maxSubIFDs bounds the SubIFDs of one page.
const maxSubIFDs = 4096

// walk follows the chain from off, adds its pages, and gives the SubIFDs they name.
func (f *File) walk(off uint64, parent int, seen map[int64]bool) (subs []subRef) {
	for off != 0 {
		page := len(f.refs)
		what := fmt.Sprintf("the link to page %d", page)
		if parent >= 0 {
			what = fmt.Sprintf("a SubIFD of page %d", parent)
		}
		if page >= f.limits.MaxPages {
			f.warn("more than %d pages; those after are left out", f.limits.MaxPages)
			return subs
		}
		if off > uint64(f.src.size) {
			f.warn("%s points outside the file (offset %d of %d); pages from there on are left out", what, off, f.src.size)
			return subs
		}
		at := int64(off)
		if seen[at] {
			f.warn("%s points back to a page before it (offset %d); the pages before are read", what, off)
			return subs
		}
		seen[at] = true
		d, err := f.src.readIFD(at)
		if err != nil {
			f.warn("%s, at offset %d: directory cannot be read: %v; pages from there on are left out", what, off, err)
			return subs
		}
		f.refs = append(f.refs, pageRef{off: at, parent: parent})
		if s, ok := d.fields[TagSubIFDs]; ok {
			offs, err := f.src.uints(s, maxSubIFDs)
			if err != nil {
				f.warn("page %d: SubIFDs %v; they are left out", page, err)
			}
			for _, o := range offs {
				subs = append(subs, subRef{o, page})
			}
		}
		off = d.next
	}
	return subs
}

// warn is for what is damaged or against the specification, note for what is sound but worth knowing.
func (f *File) warn(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	f.note("%s", w)
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.damage == "" {
		f.damage = w
	}
}

// Damage is the first warning about damage or a breach of the specification so far; empty if there is none.
func (f *File) Damage() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.damage
}

func (f *File) note(format string, args ...any) {
	w := fmt.Sprintf(format, args...)
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.warnings) < 16 && !slices.Contains(f.warnings, w) {
		f.warnings = append(f.warnings, w)
	}
}

// Pages is the number of pages of the main chain; SubIFDs follow as pages Pages() to Pages()+SubIFDs()-1.
func (f *File) Pages() int { return f.main }

// SubIFDs is the number of directories reached only through other pages, such as the levels of a pyramid.
func (f *File) SubIFDs() int { return len(f.refs) - f.main }

// Warnings concern the file as a whole, and what was met while decoding so far.
func (f *File) Warnings() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.warnings)
}

// Meta is what descriptions say of the file as a whole.
func (f *File) Meta() Meta { return f.meta }

// Big says whether the file is a BigTIFF; Order is its byte order.
func (f *File) Big() bool { return f.src.big }

// Order is the byte order of the file.
func (f *File) Order() binary.ByteOrder { return f.src.order }
