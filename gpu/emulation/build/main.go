// Command build builds the emulated driver and prints where it lies. Run by make emulation.
package main

import (
	"fmt"
	"os"

	"segscan/gpu/emulation"
)

func main() {
	path, err := emulation.Build()
	if err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}
