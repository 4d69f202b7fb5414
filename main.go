// Command segscan segments images line by line; see internal/cli for what it understands.
package main

import (
	"os"

	"segscan/internal/cli"
)

func main() { os.Exit(cli.Run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
