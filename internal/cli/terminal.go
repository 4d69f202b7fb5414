package cli

import (
	"io"
	"os"

	"golang.org/x/term"
)

// terminal gives w as a file if it is a terminal that takes control codes, else nil.
func terminal(w io.Writer) *os.File {
	if os.Getenv("TERM") == "dumb" || !isTerminal(w) {
		return nil
	}
	f, _ := w.(*os.File)
	return f
}

// isTerminal tells whether stream is a file that is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
