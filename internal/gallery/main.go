// Gallery makes docs/gallery.md and its pictures: for every kernel what it is for, and a picture by the command that
// stands below it. It is run in the root of the source, as `make gallery` does.
package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"segscan/internal/cli"
	"segscan/kernels"
)

// Where the page and its pictures are, below the root.
const (
	pageFile   = "docs/gallery.md"
	pictureDir = "docs/images/gallery"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "gallery: "+err.Error())
		os.Exit(1)
	}
}

// run makes all anew: nothing that was made before stays.
func run() error {
	if _, err := os.Stat("samples"); err != nil {
		return errors.New("it is run in the root of the source, as make gallery does")
	}
	text, err := pageText(kernels.List())
	if err != nil {
		return err
	}
	if err := os.RemoveAll(pictureDir); err != nil {
		return fmt.Errorf("remove the pictures that were: %w", err)
	}
	if err := os.MkdirAll(pictureDir, 0o777); err != nil {
		return fmt.Errorf("make the folder of pictures: %w", err)
	}
	if err := writeScenes(); err != nil {
		return err
	}
	for _, e := range entries() {
		data, err := e.picture()
		if err != nil {
			return err
		}
		if err := os.WriteFile(e.file(), data, 0o666); err != nil {
			return fmt.Errorf("write a picture: %w", err)
		}
	}
	if err := os.WriteFile(pageFile, []byte(text), 0o666); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}

func writeScenes() error {
	for _, s := range scenes() {
		img, err := s.draw()
		if err != nil {
			return err
		}
		data, err := encodePNG(img)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(pictureDir, s.name), data, 0o666); err != nil {
			return fmt.Errorf("write a scene: %w", err)
		}
	}
	return nil
}

// file is where the picture of an entry is, below the root.
func (e *entry) file() string { return pictureDir + "/" + e.name() + ".png" }

// picture runs the entry's command into a folder of its own and gives the picture that it makes.
func (e *entry) picture() ([]byte, error) {
	out, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return nil, fmt.Errorf("make a folder for %s: %w", e.name(), err)
	}
	defer os.RemoveAll(out)
	args, err := words(e.args)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", e.args, err)
	}
	var said strings.Builder
	// None of these changes a pixel.
	args = append(args, "-q", "-o", out)
	if args[0] != "thresholds" {
		args = append(args, "--device", "cpu", "--records", "none", "--png-level", "9")
	}
	if code := cli.Run(args, strings.NewReader(""), io.Discard, &said); code != 0 {
		return nil, fmt.Errorf("segscan %s: exit code %d\n%s", e.args, code, said.String())
	}
	made, err := filepath.Glob(filepath.Join(out, "*.png"))
	if err == nil && len(made) != 1 {
		err = fmt.Errorf("%d pictures are made, not one", len(made))
	}
	if err != nil {
		return nil, fmt.Errorf("segscan %s: %w", e.args, err)
	}
	data, err := os.ReadFile(made[0])
	if err != nil {
		return nil, fmt.Errorf("read a picture: %w", err)
	}
	return data, nil
}

// words takes a command apart as a shell does: at blanks, single quotes around what has them in it.
func words(command string) (list []string, err error) {
	word, open, any := "", false, false
	for _, r := range command {
		switch {
		case r == '\'':
			open, any = !open, true
		case r == ' ' && !open:
			if any {
				list = append(list, word)
			}
			word, any = "", false
		case !open && (strings.ContainsRune("\"\\$`&|<>;()*?", r) || !any && (r == '#' || r == '~')):
			return nil, fmt.Errorf("a shell would take the %c for itself: put the word in single quotes", r)
		default:
			word, any = word+string(r), true
		}
	}
	if open {
		return nil, errors.New("a single quote is open")
	}
	if any {
		list = append(list, word)
	}
	return list, nil
}
