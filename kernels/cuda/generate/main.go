// Command generate compiles the CUDA C++ of kernels/cuda to PTX and writes it there with a manifest of what it was
// made from. It needs a clang with the NVPTX target, no CUDA toolkit. Run by make kernels, in the module's folder.
package main

import (
	"fmt"
	"os"
)

func main() {
	if err := generate("kernels/cuda"); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func generate(dir string) error {
	clang, err := findClang()
	if err != nil {
		return err
	}
	m, ptx, err := build(clang, dir)
	if err != nil {
		return err
	}
	return write(dir, m, ptx)
}
