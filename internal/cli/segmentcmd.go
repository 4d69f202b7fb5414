package cli

import (
	"errors"
	"runtime"
	"runtime/debug"
	"slices"

	"segscan/internal/batch"
	"segscan/internal/raster"
)

// someFailed says that inputs failed and have been named: exit 3.
type someFailed struct{}

func (e *someFailed) Error() string { return "some inputs failed" }

// segment is the main job.
func (a *app) segment(args []string) (err error) {
	o, err := parseMain(args)
	switch {
	case err != nil:
		return err
	case o.version:
		return a.print(versionText(debug.ReadBuildInfo()))
	case o.longHelp:
		return a.print(longHelp())
	case o.help:
		return a.print(shortHelp())
	}
	a.debug = a.debug || o.verbose
	if a.stdinTerm && slices.Contains(o.Inputs, "-") {
		return &usageError{"stdin is a terminal", "pipe an image into segscan -, or name a file"}
	}
	for _, w := range o.idle() {
		if !o.quiet {
			a.stderr.message("", "warning: "+w, "")
		}
	}
	engines := a.engines(o)
	defer func() { err = errors.Join(err, engines.Close()) }()
	o.Engine, o.Open = a.engineFor(o, engines), raster.Open
	o.Stdin, o.Stdout = a.stdin, a.stdout
	o.Temps = &a.temps

	plan, err := batch.NewPlan(a.ctx, &o.Config)
	if err != nil {
		return a.betterNoInput(o, err)
	}
	if o.dryRun {
		return a.print(planText(o, plan))
	}
	if err := openDevices(a.ctx, engines, o.device); err != nil {
		return err
	}
	defer limitCores(o.Jobs)()
	r := newReporter(a.stderr, o, a.term)
	sum, err := batch.Run(a.ctx, &o.Config, plan, r)
	r.finish(sum)
	if sum != nil && !o.quiet && !a.stdout.broken() {
		a.stderr.write(summaryText(o, sum))
	}
	switch {
	case err != nil:
		return err
	case sum.Interrupted:
		return errInterrupted
	case len(sum.Failed) > 0 || sum.LeftOut > 0:
		return &someFailed{}
	}
	return nil
}

// limitCores keeps the whole program to the cores that --jobs grants, whatever runs side by side inside a file, and
// gives back how to undo it.
func limitCores(jobs int) func() {
	before := runtime.GOMAXPROCS(0)
	if jobs <= 0 || jobs >= before {
		return func() {}
	}
	runtime.GOMAXPROCS(jobs)
	return func() { runtime.GOMAXPROCS(before) }
}

// betterNoInput adds the likely cause where an input does not exist: a mistyped command is taken for an input.
func (a *app) betterNoInput(o *options, err error) error {
	var none *batch.NoInputError
	if !errors.As(err, &none) || none.Hint != "" || len(o.Inputs) == 0 {
		return err
	}
	names := []string{}
	for _, c := range commands() {
		names = append(names, c.name)
	}
	hint := didYouMean(o.Inputs[0], "segscan ", names)
	return &batch.NoInputError{Msg: none.Msg, Hint: hint}
}
