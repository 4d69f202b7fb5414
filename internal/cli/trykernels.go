package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"segscan/internal/batch"
	"segscan/kernels"
)

// kernelValue is -k of try, which gathers kernels.
func (o *tryOptions) kernelValue() *value {
	return &value{typ: "spec", set: func(s string) error {
		_, err := kernels.Parse(s)
		if err == nil {
			o.kernels = append(o.kernels, s)
		}
		return err
	}}
}

// candidates are the kernels to try: those given, or else each one that looks for its thresholds itself, by its name
// alone, or as its example has it where it needs values; all with the keys of --with. Of the latter, those that do not
// take these are left out. An error is a *usageError.
func (o *tryOptions) candidates() (list batch.TryOptions, err error) {
	list.Chosen = len(o.kernels) > 0
	texts := o.kernels
	if !list.Chosen {
		texts = selfWilled()
	}
	with, err := mergedKeys(o.with)
	if err != nil {
		return list, err
	}
	var first *kernels.UsageError
	for _, text := range texts {
		s, err := kernels.Parse(withKeys(text, with))
		var why *kernels.UsageError
		switch {
		case err == nil:
			list.Kernels = append(list.Kernels, s)
			continue
		case !errors.As(err, &why):
			return list, err
		case list.Chosen:
			return list, &usageError{fmt.Sprintf("-k %q with %q: %s", shortened(text, mostEchoed), shortened(with, mostEchoed), why.Msg), why.Hint}
		}
		if first == nil || first.Unknown && !why.Unknown { // a value that is wrong tells more than a key that others have
			first = why
		}
		name, _, _ := strings.Cut(text, ":")
		list.LeftOut.Add(name, why.Msg)
	}
	if len(list.Kernels) == 0 {
		if apart := keysApart(with); first.Unknown && len(apart) > 1 {
			return list, &usageError{
				fmt.Sprintf("--with %q: no kernel has all of these keys: %s", shortened(with, mostEchoed), strings.Join(apart, ", ")),
				"run try once for each; segscan kernels NAME shows the keys of a kernel",
			}
		}
		return list, &usageError{fmt.Sprintf("--with %q: %s", shortened(with, mostEchoed), first.Msg), first.Hint}
	}
	return list, nil
}

// keysApart are those keys of --with that some kernels have and others do not. Where no kernel has one of them, or it is no
// list of keys, there are none: then it is that what is to be told.
func keysApart(with string) (apart []string) {
	has := func(params []kernels.Param, key string) bool {
		return slices.ContainsFunc(params, func(p kernels.Param) bool { return p.Name == key })
	}
	parts, err := kernels.SplitKeys(with)
	if err != nil {
		return nil
	}
	for _, part := range parts {
		key, _, _ := strings.Cut(part, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		switch {
		case has(kernels.FilterParams(), key), slices.Contains(apart, key):
		case slices.ContainsFunc(kernels.List(), func(k kernels.Info) bool { return has(k.Params, key) }):
			apart = append(apart, key)
		default:
			return nil
		}
	}
	return apart
}

// selfWilled are specs of the kernels whose thresholds come from the image.
func selfWilled() []string {
	var list []string
	for _, k := range kernels.List() {
		text := k.Name
		s, err := kernels.Parse(text)
		if err != nil {
			text = k.Example
			s, err = kernels.Parse(text)
		}
		if err != nil {
			continue
		}
		if n := s.Needs(); !n.Channels && (n.Histogram || n.HaloLines > 0 || n.HaloSamples > 0) {
			list = append(list, text)
		}
	}
	return list
}

// beside are the flags given that the main job needs for the samples and segments that try shows.
func beside(set *pflag.FlagSet) (words []string) {
	own := []string{"kernel", "with", "out", "overwrite", "palette", "stretch", "quiet", "help"}
	set.Visit(func(f *pflag.Flag) {
		switch {
		case slices.Contains(own, f.Name):
		case f.Value.Type() == "bool":
			if f.Value.String() == "true" {
				words = append(words, "--"+f.Name)
			}
		default:
			words = append(words, "--"+f.Name, f.Value.String())
		}
	})
	return words
}
