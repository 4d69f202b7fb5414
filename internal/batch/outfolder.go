package batch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// checkFolder refuses a folder to write to that cannot be made, because a file stands where it or one above it would
// be, or a link to nothing. It makes nothing.
func checkFolder(dir, what, hint string) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		info, err := os.Stat(at)
		switch {
		case err == nil && !info.IsDir():
			return &UsageError{Msg: fmt.Sprintf("%s is a file, not a folder for %s", recordName(at), what), Hint: hint}
		case err == nil, at == filepath.Dir(at):
			return nil
		}
		if to, e := os.Readlink(at); e == nil && errors.Is(err, fs.ErrNotExist) {
			return &UsageError{
				Msg:  fmt.Sprintf("%s is a link to %s, which does not exist, so it is no folder for %s", recordName(at), recordName(to), what),
				Hint: hint,
			}
		}
	}
}

// folders are those that a run made before its work.
type folders []string

// prepare makes dir with all above it and tries to write there, so that a folder that takes nothing is found before
// work and not once a file.
func (made *folders) prepare(dir, what, hint string, temps *Temps) error {
	for at := filepath.Clean(dir); ; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		*made = append(*made, at)
	}
	err := os.MkdirAll(dir, 0o777)
	if err == nil {
		var remove func()
		if _, remove, err = temps.anonymous(dir); err == nil {
			remove()
			return nil
		}
	}
	made.leave()
	return &UsageError{Msg: fmt.Sprintf("nothing can be written to %s for %s: %v", recordName(dir), what, bare(err)), Hint: hint}
}

// leave removes those that are still empty.
func (made *folders) leave() {
	for _, dir := range *made { // the deepest comes first
		_ = os.Remove(dir) // a folder that holds something stays
	}
}

const outHint = "give another folder with -o"

// prepareFolders makes the folders of results and table.
func (r *runner) prepareFolders() error {
	if err := r.made.prepare(r.cfg.Out, "results", outHint, r.cfg.Temps); err != nil {
		return err
	}
	if t := r.cfg.Table; t != "" && t != "-" {
		return r.made.prepare(filepath.Dir(t), "the table", "give --table another name", r.cfg.Temps)
	}
	return nil
}

// stopAfter is how many files may fail because the file system takes no more; then no further one is begun.
const stopAfter = 3

// LeftOut says how many files were not begun because out takes no more.
func LeftOut(out string, files int) string {
	return fmt.Sprintf("files left out, for nothing more can be written to %s: %d", recordName(out), files)
}

// takesNoMore tells errors of outputs that will meet every file that follows.
func takesNoMore(err error) bool {
	var out *OutputError
	if !errors.As(err, &out) {
		return false
	}
	for _, e := range []error{syscall.ENOSPC, syscall.EROFS, fs.ErrPermission, syscall.EIO} {
		if errors.Is(out.Err, e) {
			return true
		}
	}
	return false
}
