package cli

// Exit codes, a contract with scripts.
const (
	exitOK          = 0
	exitInternal    = 1
	exitUsage       = 2
	exitSomeFailed  = 3 // some or all inputs failed or were not begun, the others are written
	exitNoInput     = 4
	exitNoDevice    = 5
	exitInterrupted = 130
	exitPipe        = 141 // what a shell reports for a program ended by SIGPIPE; nothing is printed
)

// exitTexts is what help and manual say of them.
var exitTexts = []struct {
	code int
	text string
}{
	{exitOK, "all done"},
	{exitInternal, "internal error"},
	{exitUsage, "usage, found before any work"},
	{exitSomeFailed, "some or all inputs failed or were not begun; the others are written"},
	{exitNoInput, "no input matched"},
	{exitNoDevice, "the device asked for is not available"},
	{exitInterrupted, "interrupted"},
	{exitPipe, "nobody reads stdout any more; nothing is printed"},
}

// usageError is a mistake on the command line: exit 2, with an optional remedy.
type usageError struct{ msg, hint string }

func (e *usageError) Error() string { return e.msg }

// deviceError says that the device asked for cannot be had: exit 5.
type deviceError struct{ msg, hint string }

func (e *deviceError) Error() string { return e.msg }
