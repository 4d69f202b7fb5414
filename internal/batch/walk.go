package batch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// walker goes through a folder, or through what the variable part of a glob can reach. Rel paths are
// slash-separated and relative to where the walk began.
type walker struct {
	*finder
	depth   int      // levels entered: 1 is the folder alone, negative is no limit
	pattern string   // "" takes every file
	parts   []string // of pattern, where each level of folders can be matched with its part
	hidden  bool     // the pattern asks for hidden names itself
}

// glob walks the fixed part of a pattern. Its matches are files; a folder it matches is not entered.
func (f *finder) glob(ctx context.Context, in string) error {
	pattern := filepath.ToSlash(in)
	if !doublestar.ValidatePattern(pattern) {
		return &UsageError{
			Msg:  fmt.Sprintf("%s is neither a file nor a valid glob", recordName(in)),
			Hint: `a bracket or brace is open, or a \ stands last`,
		}
	}
	base, rest := doublestar.SplitPattern(pattern)
	w := walker{finder: f, depth: -1, pattern: rest}
	// Without ** and without braces that hold a slash, level n of the tree is matched by part n of the pattern:
	// folders that cannot lead to a match are not entered, and the depth is known.
	if parts := strings.Split(rest, "/"); !strings.Contains(rest, "**") && !slashInBraces(rest) {
		w.parts, w.depth = parts, len(parts)
	}
	w.hidden = strings.HasPrefix(rest, ".") || strings.Contains(rest, "/.")
	return w.folder(ctx, filepath.FromSlash(base), "", 1)
}

func slashInBraces(pattern string) bool {
	open := strings.IndexByte(pattern, '{')
	return open >= 0 && strings.Contains(pattern[open:], "/")
}

// folder takes what dir holds; rel is dir's own path below the start ("" there) and level that of its entries.
func (w *walker) folder(ctx context.Context, dir, rel string, level int) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil && !(rel == "" && w.pattern != "" && errors.Is(err, fs.ErrNotExist)) {
		name := dir
		if rel != "" {
			name = rel
		}
		w.plan.Failed = append(w.plan.Failed, &FileError{
			File: recordName(name), Page: -1, Err: fmt.Errorf("the folder cannot be read: %w", bare(err)),
		})
	}
	for _, e := range entries {
		child, childRel := filepath.Join(dir, e.Name()), e.Name()
		if rel != "" {
			childRel = rel + "/" + e.Name()
		}
		if err := w.entry(ctx, e, child, childRel, level); err != nil {
			return err
		}
	}
	return nil
}

func (w *walker) entry(ctx context.Context, e fs.DirEntry, name, rel string, level int) error {
	kind, linked := e.Type(), e.Type()&fs.ModeSymlink != 0
	if linked {
		switch info, err := os.Stat(name); {
		case err == nil:
			kind = info.Mode().Type()
		default:
			kind = 0 // a dangling link with an image's name fails as that file, so that somebody hears of it
		}
	}
	if kind.IsDir() {
		return w.subfolder(ctx, name, rel, level, linked)
	}
	if w.pattern != "" && !doublestar.MatchUnvalidated(w.pattern, rel) {
		return nil
	}
	switch {
	case hiddenName(e.Name()) && !w.hidden:
		w.plan.Hidden++
	case !kind.IsRegular() || !imageKind(e.Name()):
		w.plan.OtherKinds++
	case w.leaveResults && resultName(e.Name()) && !namesResults(w.pattern):
		w.plan.Results++
		w.plan.results = append(w.plan.results, name)
	case w.isField(name):
		w.plan.Excluded++
	default:
		w.choose(name, rel)
	}
	return nil
}

// namesResults tells a glob that asks for pictures of earlier runs by their kind.
func namesResults(pattern string) bool { return strings.Contains(path.Base(pattern), ".overlay.") }

func (w *walker) subfolder(ctx context.Context, path, rel string, level int, linked bool) error {
	name := filepath.Base(path)
	switch {
	case w.depth >= 0 && level >= w.depth:
		w.subfolders = w.subfolders || w.pattern == "" && !hiddenName(name)
		return nil
	case w.parts != nil && !doublestar.MatchUnvalidated(w.parts[level-1], name):
		return nil
	case w.isOut(path):
		return nil
	case hiddenName(name) && !w.hidden:
		w.plan.Hidden++
		return nil
	case linked && w.parts == nil:
		w.plan.LinkedFolders++
		return nil
	}
	return w.folder(ctx, path, rel, level+1)
}

// isOut tells the output folder, by whatever path it is reached.
func (w *walker) isOut(path string) bool {
	if w.out == nil {
		return false
	}
	info, err := os.Stat(path)
	return err == nil && os.SameFile(info, w.out)
}

// bare drops operation and path from a file system error: messages name the file once, in front.
func bare(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	var l *os.LinkError
	if errors.As(err, &l) {
		return l.Err
	}
	return err
}
