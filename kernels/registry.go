package kernels

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kernel is an entry of the registry: its description, whose parameters are the keys it takes, and its parser.
type kernel struct {
	info  Info
	parse func(args) (Spec, error)
}

// List describes every kernel, in the order they are best shown.
func List() []Info {
	var infos []Info
	for _, k := range registry() {
		infos = append(infos, k.info)
	}
	return infos
}

// Lookup describes one kernel. An unknown name is a *UsageError that suggests the nearest.
func Lookup(name string) (Info, error) {
	k, err := lookup(strings.ToLower(strings.TrimSpace(name)))
	return k.info, err
}

func lookup(name string) (kernel, error) {
	var names []string
	for _, k := range registry() {
		if k.info.Name == name {
			return k, nil
		}
		names = append(names, k.info.Name)
	}
	if isFilterKey(name) {
		return kernel{}, usagef("segscan kernels explains it", "%s is a key that every kernel takes, and no kernel", name)
	}
	return kernel{}, usagef(didYouMean(name, names), "no kernel is named %q", name)
}

// Parse reads a -k value: name[:key=value,...]. Every error is a *UsageError.
func Parse(s string) (Spec, error) {
	spec, err := parse(s)
	var why *UsageError
	if flag := flagIn(s); flag != "" && errors.As(err, &why) { // as the kernels of summary.csv have them behind
		why.Hint = flag + " is a flag and no part of a kernel: end -k before it"
	}
	return spec, err
}

// flagIn is the first flag of the command line behind a spec, or empty.
func flagIn(s string) string {
	words := strings.Fields(s)
	for _, w := range words[min(1, len(words)):] {
		name, _, _ := strings.Cut(w, "=")
		if rest, ok := strings.CutPrefix(name, "--"); ok && len(rest) > 1 && strings.Trim(rest, "abcdefghijklmnopqrstuvwxyz-") == "" {
			return name
		}
	}
	return ""
}

func parse(s string) (Spec, error) {
	name, pairs, err := splitSpec(s)
	if err != nil {
		return nil, err
	}
	k, err := lookup(name)
	if err != nil {
		return nil, err
	}
	a := args{kernel: name, values: make(map[string]string)}
	filters := make(map[string]string)
	var keys []string
	for _, p := range slices.Concat(k.info.Params, FilterParams()) {
		keys = append(keys, p.Name)
	}
	for _, p := range pairs {
		if !slices.Contains(keys, p.key) {
			err := usagef(didYouMean(p.key, keys), "kernel %s: unknown parameter %q", name, p.key)
			err.Unknown = true
			return nil, err
		}
		values := a.values
		if isFilterKey(p.key) {
			values = filters
		}
		if old, twice := values[p.key]; twice {
			return nil, usagef("give "+p.key+" once", "kernel %s: %s is given twice, as %s and %s", name, p.key, old, p.value)
		}
		values[p.key] = p.value
	}
	spec, err := k.parse(a)
	if err != nil {
		return nil, err
	}
	return withFilters(spec, name, filters)
}

// args are the parameters of a spec, each one known to the kernel and given once.
type args struct {
	kernel string
	values map[string]string
}

// automatic starts the spec of a kernel whose thresholds depend on the image.
func (a args) automatic(name string) (*global, error) {
	perLine, err := a.perLine()
	if err != nil {
		return nil, err
	}
	return &global{name: name, image: true, perLine: perLine, text: a.canonical()}, nil
}

// perLine reads per=line or per=page.
func (a args) perLine() (bool, error) {
	switch s, ok := a.values["per"]; {
	case !ok || strings.EqualFold(s, "page"):
		return false, nil
	case strings.EqualFold(s, "line"):
		return true, nil
	default:
		return false, usagef("use per=page or per=line", "kernel %s: per=%s is neither page nor line", a.kernel, s)
	}
}

// number reads a number within lo..hi.
func (a args) number(key string, byDefault, lo, hi float64) (float64, error) {
	s, ok := a.values[key]
	if !ok {
		return byDefault, nil
	}
	x, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || x < lo || x > hi {
		return 0, usagef("for example "+key+"="+formatNumber(byDefault),
			"kernel %s: %s=%s is not a number%s", a.kernel, key, s, fromTo(lo, hi))
	}
	return x + 0, nil
}

// fromTo says between what a number lies; ends that are those of a type say nothing.
func fromTo(lo, hi float64) string {
	switch {
	case hi < math.MaxFloat32:
		return " from " + formatNumber(lo) + " to " + formatNumber(hi)
	case lo <= -math.MaxFloat32:
		return ""
	case lo == math.SmallestNonzeroFloat32:
		return " above 0"
	}
	return " from " + formatNumber(lo) + " up"
}

// unlessDefault lists the keys and values that differ from their defaults, for canonical.
func (a args) unlessDefault(k1 string, v1, d1 float64, k2 string, v2, d2 float64) []string {
	var kv []string
	if v1 != d1 {
		kv = append(kv, k1, formatNumber(v1))
	}
	if v2 != d2 {
		kv = append(kv, k2, formatNumber(v2))
	}
	return kv
}

// canonical is the spec's text: the keys and values given, then per=line where it is asked for.
func (a args) canonical(kv ...string) string {
	if line, err := a.perLine(); err == nil && line {
		kv = append(kv, "per", "line")
	}
	s, sep := a.kernel, ":"
	for i := 0; i < len(kv); i += 2 {
		s += sep + kv[i] + "=" + kv[i+1]
		sep = ","
	}
	return s
}
