// Package cli is the command line of segscan: flags, subcommands, messages and exit codes. It parses and validates,
// hands the work to the packages that do it, and reports. Run has no state outside its arguments, so tests call it.
package cli
