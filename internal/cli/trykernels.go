package cli

import (
	"errors"
	"fmt"
	"maps"
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

// withValue is --with, which gathers keys.
func (o *tryOptions) withValue() *value {
	var given string
	one := text(&given)
	return &value{typ: one.typ, set: func(s string) error {
		err := one.set(s)
		if err == nil {
			o.with = append(o.with, given)
		}
		return err
	}}
}

// mergedKeys are the keys of every --with, each once. One that two of them give different values is a *usageError;
// what Parse refuses stays, to be refused by it.
func mergedKeys(given []string) (string, error) {
	var all []string
	before := map[string]string{} // values of those before
	for _, text := range given {
		parts, err := kernels.SplitKeys(text)
		if err != nil {
			parts = []string{text}
		}
		own := map[string]string{}
		for _, part := range parts {
			key, value, _ := strings.Cut(part, "=")
			key, value = strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)
			own[key] = value
			switch was, twice := before[key]; {
			case !twice:
				all = append(all, part)
			case was != value:
				return "", &usageError{
					fmt.Sprintf("--with gives %s two values: %s=%s and %s=%s", shortened(key, mostEchoed),
						key, shortened(was, mostEchoed), key, shortened(value, mostEchoed)),
					"give each key one value; several kernels of different keys are -k NAME:KEY=VALUE each",
				}
			}
		}
		maps.Copy(before, own)
	}
	return strings.Join(all, ","), nil
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
		return list, &usageError{fmt.Sprintf("--with %q: %s", shortened(with, mostEchoed), first.Msg), first.Hint}
	}
	return list, nil
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

// withKeys is a spec with more keys.
func withKeys(spec, keys string) string {
	switch {
	case keys == "":
		return spec
	case strings.Contains(spec, ":"):
		return spec + "," + keys
	}
	return spec + ":" + keys
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
