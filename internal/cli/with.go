package cli

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"segscan/internal/batch"
	"segscan/kernels"
)

// gathered is the value of --with, all of which are kept.
func gathered(to *[]string) *value {
	var given string
	one := text(&given)
	return &value{typ: one.typ, set: func(s string) error {
		err := one.set(s)
		if err == nil {
			*to = append(*to, given)
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
					"give each key one value, or run once for each",
				}
			}
		}
		maps.Copy(before, own)
	}
	return strings.Join(all, ","), nil
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

// globalKernels are those that thresholds looks at, behind the filters that --with gives. Keys of other kinds and values
// that no filter takes are a *usageError.
func globalKernels(given []string) ([]kernels.Spec, error) {
	list := batch.GlobalKernels()
	with, err := mergedKeys(given)
	if err != nil || with == "" {
		return list, err
	}
	if err := filterKeysOnly(with); err != nil {
		return nil, err
	}
	for i, s := range list {
		filtered, err := kernels.Parse(withKeys(s.String(), with))
		var why *kernels.UsageError
		if errors.As(err, &why) {
			name, _, _ := strings.Cut(s.String(), ":")
			return nil, &usageError{fmt.Sprintf("--with %q: %s", shortened(with, mostEchoed), strings.TrimPrefix(why.Msg, "kernel "+name+": ")), why.Hint}
		}
		if err != nil {
			return nil, err
		}
		list[i] = filtered
	}
	return list, nil
}

// filterKeysOnly refuses what is no list of keys of filters, each with a value.
func filterKeysOnly(keys string) error {
	refuse := func(why, hint string) error {
		return &usageError{fmt.Sprintf("--with %q: %s", shortened(keys, mostEchoed), why), hint}
	}
	var filters []string
	for _, p := range kernels.FilterParams() {
		filters = append(filters, p.Name)
	}
	parts, err := kernels.SplitKeys(keys)
	if err != nil {
		return refuse(shortened(err.Error(), 4*mostEchoed), "close every bracket and quote of the value")
	}
	for _, part := range parts {
		key, value, _ := strings.Cut(part, "=")
		key = strings.ToLower(strings.TrimSpace(key))
		switch {
		case !slices.Contains(filters, key):
			hint := didYouMean(key, "", filters)
			if hint == "" {
				hint = "filters are " + strings.Join(filters, ", ") + "; segscan kernels explains them"
			}
			return refuse(fmt.Sprintf("%q filters no samples", shortened(key, mostEchoed)), hint)
		case strings.TrimSpace(value) == "":
			return refuse(key+" has no value", "write "+key+"=VALUE")
		}
	}
	return nil
}
