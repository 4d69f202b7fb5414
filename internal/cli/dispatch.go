package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"segscan/internal/batch"
	"segscan/kernels"
)

// command is a subcommand: its usage line, a short text for its --help, and what it does.
type command struct {
	name, args, summary, help string
	run                       func(a *app, args []string) error
}

// commands are the words that, as first argument, are not an input.
func commands() []command {
	return []command{
		{"inspect", "INPUT...", "what files are, page by page, and what becomes of them", inspectHelp(), (*app).inspect},
		{"try", "[flags] FILE", "compare kernels on one page: a table and a contact sheet", tryHelp, (*app).try},
		{"thresholds", "INPUT...", "the threshold of every global kernel and the share above it; plots", thresholdsHelp, (*app).thresholds},
		{"devices", "", "the devices this build can use, and why not others", devicesHelp, (*app).devices},
		{"kernels", "[NAME]", "the threshold kernels, or one of them in full", kernelsHelp, (*app).kernels},
		{"bench", "[flags]", "how fast this machine segments, and what bounds it", benchHelp, (*app).bench},
		{"examples", "DIR", "write the sample images into a new folder", examplesHelp, (*app).examples},
		{"completion", "SHELL", "completion script for bash, zsh, fish or powershell", completionHelp, (*app).completion},
		{"version", "", "version, commit and Go version", versionHelp, (*app).version},
	}
}

// dispatch runs a subcommand or the main job.
func (a *app) dispatch(args []string) error {
	if len(args) == 0 {
		a.stderr.write(shortHelp())
		return &usageError{"no input given", "segscan --help shows everything"}
	}
	word := args[0]
	for _, c := range commands() {
		if c.name == word {
			return a.runCommand(c, args[1:])
		}
	}
	if word == "help" {
		return a.helpOn(args[1:])
	}
	if reservedWords[word] {
		return &usageError{"the command " + word + " is reserved for a later version; this one does not have it",
			"a file or folder of that name is given as ./" + word}
	}
	return a.segment(args)
}

// helpOn is what `segscan help` and `segscan help COMMAND` print.
func (a *app) helpOn(words []string) error {
	if len(words) == 0 {
		return a.print(shortHelp())
	}
	names := []string{}
	for _, c := range commands() {
		if c.name == words[0] {
			return a.runCommand(c, []string{"--help"})
		}
		names = append(names, c.name)
	}
	return &usageError{fmt.Sprintf("there is no command %q", words[0]), didYouMean(words[0], "segscan help ", names)}
}

func (a *app) runCommand(c command, args []string) error {
	if strings.HasSuffix(c.args, "...") { // has flags and takes any number of inputs, as the main job does
		return c.run(a, args)
	}
	flags := c.flags()
	for _, s := range args {
		if s == "-h" || s == "--help" {
			return a.print(commandHelp(c))
		}
		if len(s) > 1 && s[0] == '-' && flags == nil {
			return c.noFlags(s)
		}
	}
	if flags != nil { // it reads its arguments itself
		return c.run(a, args)
	}
	most := len(strings.Fields(c.args))
	if len(args) > most {
		hint := "segscan " + c.name + " --help"
		if _, err := os.Stat(c.name); err == nil {
			hint = "a file or folder of that name is given as ./" + c.name
		}
		return &usageError{fmt.Sprintf("segscan %s does not take %q", c.name, args[most]), hint}
	}
	return c.run(a, args)
}

// print writes to stdout.
func (a *app) print(s string) error {
	if _, err := a.stdout.Write([]byte(s)); err != nil {
		return fmt.Errorf("writing to standard output: %w", err)
	}
	return nil
}

// exitCode reports err, if any, and gives its exit code.
func (a *app) exitCode(err error) int {
	var (
		usage       *usageError
		batchUsage  *batch.UsageError
		kernelUsage *kernels.UsageError
		noInput     *batch.NoInputError
		device      *deviceError
		file        *batch.FileError
		some        *someFailed
		path        *fs.PathError
		link        *os.LinkError
		errno       syscall.Errno
	)
	say := func(code int, msg, hint string) int {
		a.stderr.message("", msg, hint)
		return code
	}
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &some):
		return exitSomeFailed // each failure has been named already
	case errors.Is(err, errInterrupted), errors.Is(err, context.Canceled):
		return exitInterrupted // said when the signal came
	case errors.As(err, &usage):
		return say(exitUsage, usage.msg, usage.hint)
	case errors.As(err, &batchUsage):
		return say(exitUsage, err.Error(), batchUsage.Hint)
	case errors.As(err, &kernelUsage):
		return say(exitUsage, err.Error(), kernelUsage.Hint)
	case errors.As(err, &noInput):
		return say(exitNoInput, err.Error(), noInput.Hint)
	case errors.As(err, &device):
		return say(exitNoDevice, device.msg, device.hint)
	case errors.As(err, &file), errors.As(err, &path), errors.As(err, &link), errors.As(err, &errno):
		return say(exitSomeFailed, err.Error(), "")
	}
	return a.internal(err.Error(), nil)
}
