package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal gives w as a file if it is a terminal that takes control codes, else nil.
func terminal(w io.Writer) *os.File {
	f, ok := w.(*os.File)
	if !ok || os.Getenv("TERM") == "dumb" || !term.IsTerminal(int(f.Fd())) {
		return nil
	}
	return f
}
