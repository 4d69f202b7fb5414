// Package batch runs the main job on many files: it finds inputs, plans output names before any work, runs pages
// through decoding, thresholds, scan, refinement, measurement, records and overlay on a pool of workers, and writes
// every output to a temporary file that is renamed when whole. It never prints: what a user should hear goes to an
// Observer, and what failed is in the Summary.
package batch

import (
	"fmt"
	"image"
	"io"

	"segscan/internal/raster"
	"segscan/kernels"
	"segscan/segment"
	"segscan/viz"
)

// Config is one run, as parsed from the command line.
type Config struct {
	Inputs           []string // files, folders, globs (with **), "-" for Stdin
	Out              string
	Recursive        bool
	Include, Exclude []string // globs on the slash-separated path below the input

	Overwrite, SkipExisting bool

	Kernel        kernels.Spec
	KernelOptions kernels.Options
	NaNError      bool // --nan error: a page that holds NaN fails

	Axis       segment.Axis
	Edges      segment.Edges
	Compaction segment.Compaction
	AllSpans   bool
	Refine     segment.Refine

	Raster raster.Options
	// Background and Dark name the images of a flat field, Dark only with Background; "" for none. What is compared is
	// corrected by them; records measure the samples as stored.
	Background, Dark string

	ROI   *image.Rectangle
	Pages PageList

	Overlay string // "png", "tiff", "none"
	Style   viz.Look
	Palette string
	Legend  bool
	Stretch viz.StretchRule
	MaxSize int64 // of the picture's longer side; 0: the page's own

	Plots      []Plot
	PlotFormat string // png (default) or svg
	PNGLevel   int    // as in raster.PNGOptions
	// TIFFCompression is that of TIFF overlays; 0: Deflate.
	TIFFCompression raster.TIFFCompression

	Records   string // "csv", "json", "none"
	Subsample bool   // columns of where between samples boundaries lie, by the samples that the kernel sees
	Table     string // "", a path, or "-" for Stdout
	JSON      bool   // one object a page on Stdout
	PixelSize PixelSize

	Jobs     int   // files at once; 0: one a core
	MaxBytes int64 // bound on the samples of one band, in bytes; 0: the decoder's default
	FailFast bool

	Stdin  io.Reader
	Stdout io.Writer
	Open   raster.Opener
	Engine EngineFor
	Temps  *Temps // where temporary files are noted, nil for nowhere

	noSummary bool // this work has none
}

// PixelSize is --pixel-size: Size units a pixel; where Size is 0, Rule says what counts.
type PixelSize struct {
	Size float64
	Unit string
	Rule PixelRule
}

// PixelRule says which files' records have columns in units where no size is given.
type PixelRule uint8

// PixelStated: the records of files that state their pixel size (raster.Described) have the columns, those of others
// and the table have not. PixelColumns: all have them, empty where a file states none. PixelNone: none have.
const (
	PixelStated PixelRule = iota
	PixelColumns
	PixelNone
)

// EngineFor gives the engine a page runs on. reason is why a better one was not taken, or empty.
type EngineFor func(p *segment.PageInfo) (eng segment.Engine, reason string, err error)

// UsageError is found before any work (exit 2); Hint is the remedy, if there is one.
type UsageError struct{ Msg, Hint string }

func (e *UsageError) Error() string { return e.Msg }

// NoInputError says that nothing matched (exit 4).
type NoInputError struct{ Msg, Hint string }

func (e *NoInputError) Error() string { return e.Msg }

// FileError is one input that failed. Err names the thing and the remedy, without the file's name.
type FileError struct {
	File string
	Page int // -1: the file as a whole
	Err  error
}

func (e *FileError) Error() string { return e.File + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// PanicError is a bug met in one file. The others are done all the same.
type PanicError struct {
	Value any
	Stack []byte
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("internal error: %v; please report it with this file", e.Value)
}

// PlannedFile is one input with its outputs, as paths under Config.Out (pictures of pages beyond those the name of
// a one-page file has are named when the file is opened).
type PlannedFile struct {
	Path    string // to open; "-" for stdin
	Rel     string // slash-separated, bytes as the file system gives them; see Name
	Outputs []string
	Skip    bool // --skip-existing found it done

	pictures []string // outputs of its pages that exist, of the kinds of this run
	others   []string // results that exist, of other kinds
}

// Name is what records and messages call the file: Rel, with bytes that are not UTF-8 as \xNN.
func (f *PlannedFile) Name() string { return recordName(f.Rel) }

// Plan is the work, sorted by the bytes of Rel. The counts are of what folders and globs held that is not taken:
// OtherKinds by its extension or because it is no regular file, Hidden by its name, Excluded by --include and
// --exclude, LinkedFolders because symbolic links to folders are not followed there, Results because they are pictures
// that an earlier run made.
type Plan struct {
	Files                                       []PlannedFile
	OtherKinds, Hidden, Excluded, LinkedFolders int
	Results                                     int
	Existing                                    int          // files skipped by --skip-existing
	Lacking                                     int          // files it does anew because their records lack columns asked for
	LackingColumns                              []string     // those, of any
	Unmatched                                   []string     // inputs that gave no file while others did
	Failed                                      []*FileError // folders that could not be read; Run reports them too

	old       oldSummary // of earlier runs into the same folder
	leftovers []string   // paths of temporary files of runs that were killed, sorted
	results   []string   // paths of Results: not inputs, and not to be written to by way of a folder that is one
}

// Observer hears of progress: one call at a time, files in order of Rel whatever the number of jobs.
type Observer interface {
	// Start is called once, with the number of files and their bytes in all.
	Start(files int, bytes int64)
	// FileDone ends a file: bytes is its size, err nil or a *FileError.
	FileDone(f PlannedFile, bytes int64, err error)
	// Warn is a message about one file (file may be empty), with a remedy or "".
	Warn(file, msg, hint string)
}

// Summary is what a run did. Rows are those of summary.csv in order.
type Summary struct {
	Plan        *Plan
	Done        int // files
	Skipped     int // files that --skip-existing left as they are
	Failed      []*FileError
	LeftOut     int // files that were not begun because nothing more can be written; see the function LeftOut
	Pages       int
	Segments    int64
	Dropped     int64 // activated runs left out at line ends
	Rows        []PageSummary
	Outputs     []string // written, in order of Rel; then the table and summary.csv
	Interrupted bool
	Pixels      int64
	Seconds     float64
}

// PageSummary is a row of summary.csv. Lengths are of the segments that are left after all filters; samples that two
// segments share count once in Coverage. Min, Max and Mean are NaN where there is no sample.
type PageSummary struct {
	File                   string
	Page                   int
	Width, Height          int64
	Sample, Kernel         string
	Asked                  string    // the kernel with the other flags that decide on samples and segments, which summary.csv has
	Thresholds, Lo, Hi     []float64 // as in kernels.Report
	Rule                   string    // what was compared, with all that the kernel took from the page: Report.Text
	RuleText               string    // the same for people, to stand beside Kernel: Report.Short
	Filtered               bool      // they are for samples after flat field and filters, which are f32
	Background, Dark       string    // files of the flat field, as given
	Count                  int64
	TotalLength            int64
	MeanLength, Coverage   float64 // coverage in percent of the samples segmented
	Min, Max, Mean         float64 // over the samples inside all segments
	Warnings               []string
	CountBeforeFilters     int64
	DroppedAtEdges         int64
	Device, FallbackReason string
	// PixelSize is that of lines' samples, and From where it is from: "flag", "ImageJ" or "OME"; zero for none.
	PixelSize     PixelSize
	PixelSizeFrom string
}

// PageList is --page: ranges of 0-based pages, negative ones counted from the end; nil: all.
type PageList []PageRange

// PageRange is From..To, both inclusive.
type PageRange struct{ From, To int }
