package batch

import (
	"slices"
	"strings"
)

// LeftOutKernels are kernels that are not among the trials, and why.
type LeftOutKernels struct {
	Kernels []string // names, or specs where the name does not tell which
	Why     string
}

func (l LeftOutKernels) String() string {
	word := "kernel "
	if len(l.Kernels) > 1 {
		word = "kernels "
	}
	return word + strings.Join(l.Kernels, " ") + ": " + l.Why
}

// LeftOutList is what is not tried, each reason once.
type LeftOutList []LeftOutKernels

// Add adds a kernel. A reason that begins with its kernel's name, as those of kernels do, is told of that name.
func (l *LeftOutList) Add(kernel, why string) {
	name, _, _ := strings.Cut(kernel, ":")
	if rest, ok := strings.CutPrefix(why, "kernel "+name+": "); ok {
		kernel, why = name, rest
	}
	i := slices.IndexFunc(*l, func(o LeftOutKernels) bool { return o.Why == why })
	switch {
	case i < 0:
		*l = append(*l, LeftOutKernels{[]string{kernel}, why})
	case !slices.Contains((*l)[i].Kernels, kernel):
		(*l)[i].Kernels = append((*l)[i].Kernels, kernel)
	}
}

// texts are the reasons as they are told.
func (l LeftOutList) texts() []string {
	var all []string
	for _, o := range l {
		all = append(all, o.String())
	}
	return all
}
