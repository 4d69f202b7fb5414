package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"segscan/samples"
)

const examplesHelp = `writes the sample images into the folder DIR, which is made; files that exist are never
replaced. Then: segscan DIR
`

// examples writes the samples; nothing is written if one of them exists.
func (a *app) examples(args []string) error {
	if len(args) == 0 {
		return &usageError{"examples needs a folder to write into", "segscan examples demo"}
	}
	dir := args[0]
	files := samples.Files()
	entries, err := fs.ReadDir(files, ".")
	if err != nil {
		return fmt.Errorf("read the samples: %w", err)
	}
	var names []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			names = append(names, e.Name())
		}
	}
	for _, n := range names {
		path := filepath.Join(dir, n)
		if _, err := os.Lstat(path); err == nil {
			return &usageError{clean(path) + " exists already", "name a new folder"}
		}
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("make the folder of the samples: %w", err)
	}
	for _, n := range names {
		if err := writeNew(files, n, filepath.Join(dir, n)); err != nil {
			return err
		}
	}
	return a.print(fmt.Sprintf("%s in %s; next: segscan %s\n", plural(len(names), "sample", "samples"), clean(dir), quoted(dir)))
}

// writeNew copies one sample into a file that must not exist, and leaves no half of it behind.
func writeNew(files fs.FS, name, path string) (err error) {
	data, err := fs.ReadFile(files, name)
	if err != nil {
		return fmt.Errorf("read sample %s: %w", name, err)
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return fmt.Errorf("write sample %s: %w", name, err)
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, os.Remove(path))
		return fmt.Errorf("write sample %s: %w", name, err)
	}
	return nil
}

// quoted is a path as a shell takes it, and as the first argument of segscan.
func quoted(path string) string {
	for _, c := range commands() {
		if path == c.name {
			path = "./" + path
		}
	}
	if reservedWords[path] {
		path = "./" + path
	}
	for _, r := range path {
		if r > 127 || !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '/' || r == '\\' || r == '.' || r == '_' || r == '-' || r == ':') {
			return fmt.Sprintf("%q", path)
		}
	}
	return path
}
