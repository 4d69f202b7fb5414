package cli

import (
	"slices"
	"strings"

	"github.com/spf13/pflag"
)

// oneDash finds a long flag written with one dash, which would otherwise be read as letters: -overlay as -o verlay.
func (t *flagTable) oneDash(args []string) error {
	for _, a := range args {
		if a == "--" {
			break
		}
		name, _, _ := strings.Cut(strings.TrimPrefix(a, "-"), "=")
		if len(name) <= 1 || !strings.HasPrefix(a, "-") {
			continue
		}
		if slices.Contains(t.names(), name) {
			return &usageError{"unknown flag -" + name, "did you mean --" + name + "?"}
		}
		if err := t.takesNo("-"+name, name, false); err != nil {
			return err
		}
	}
	return nil
}

// unknownFlag explains a flag that the command line has and this command does not.
func (t *flagTable) unknownFlag(e *pflag.NotExistError) error {
	return t.unknown(e.GetSpecifiedName(), e.GetSpecifiedShortnames() != "")
}

// unknown explains a flag by its name without dashes; short is one written with a single dash.
func (t *flagTable) unknown(name string, short bool) error {
	flag := "--" + name
	if short {
		flag = "-" + name
	}
	if err := t.takesNo(flag, name, short); err != nil {
		return err
	}
	if short {
		return &usageError{"unknown flag " + flag, t.listed() + "; write -- before inputs whose name begins with a dash"}
	}
	if len(name) == 1 && t.set.ShorthandLookup(name) != nil {
		return &usageError{"unknown flag " + flag, "did you mean -" + name + "?"}
	}
	if reservedFlags[name] {
		return &usageError{flag + " is reserved for a later version; this one does not have it", ""}
	}
	if other, ok := otherNames[name]; ok {
		if keys, filter := strings.CutPrefix(other, filterKernel); filter && t.has("with", false) {
			other = "--with " + keys
		}
		word := strings.TrimLeft(strings.Fields(other)[0], "-")
		if t.has(word, len(word) == 1) {
			return &usageError{"unknown flag " + flag, "did you mean " + other + "?"}
		}
		return &usageError{"unknown flag " + flag,
			"without a command it is " + other + ", which " + t.command + " does not take; " + t.listed()}
	}
	if hint := didYouMean(name, "--", t.names()); hint != "" {
		return &usageError{"unknown flag " + flag, hint}
	}
	if owner := ownerOf(name, short); owner != "" {
		return &usageError{"unknown flag " + flag, "it is a flag of segscan " + owner + "; " + t.listed()}
	}
	return &usageError{"unknown flag " + flag, t.listed()}
}

// listed is the hint that says where the flags of this command are listed.
func (t *flagTable) listed() string {
	if t.command == "" {
		return "segscan --help lists the flags"
	}
	return "segscan " + t.command + " --help lists what it takes"
}

// takesNo says where a flag belongs that a subcommand does not take and segscan itself, or another, does; nil for any
// other.
func (t *flagTable) takesNo(flag, name string, short bool) error {
	if t.command == "" {
		return nil
	}
	if t.apart != "" && withoutBearing[name] {
		return &usageError{t.command + " takes no " + flag + ": " + t.apart, "leave it out; " + t.listed()}
	}
	if mainFlags(&options{}).has(name, short) {
		return &usageError{t.command + " takes no " + flag + ": it belongs to segscan itself, without a command", t.listed()}
	}
	if owner := ownerOf(name, short); owner != "" {
		return &usageError{t.command + " takes no " + flag + ": it belongs to segscan " + owner, t.listed()}
	}
	return nil
}

// has tells whether a flag is one of the table.
func (t *flagTable) has(name string, short bool) bool {
	if short {
		return len(name) == 1 && t.set.ShorthandLookup(name) != nil
	}
	return t.set.Lookup(name) != nil
}

// ownerOf is the subcommand that takes a flag, or "".
func ownerOf(name string, short bool) string {
	for _, c := range commands() {
		if t := c.flags(); t != nil && t.has(name, short) {
			return c.name
		}
	}
	return ""
}

// noFlags explains a flag given to a subcommand that has none.
func (c command) noFlags(arg string) error {
	t := newFlagTable(c.name)
	if err := t.oneDash([]string{arg}); err != nil {
		return err
	}
	name, long := strings.CutPrefix(arg, "--")
	if name, _, _ = strings.Cut(name, "="); long {
		return t.unknown(name, false)
	}
	return t.unknown(arg[1:2], true)
}
