package cli

import "strings"

// value is a pflag.Value made of functions; allowed lists the words a shell can complete.
type value struct {
	text    string
	typ     string
	set     func(string) error
	allowed []string
}

func (v *value) String() string { return v.text }
func (v *value) Type() string   { return v.typ }
func (v *value) Set(s string) error {
	if err := v.set(s); err != nil {
		return err
	}
	v.text = s
	return nil
}

// of makes a value that parse turns into *to.
func of[T any](to *T, typ string, parse func(string) (T, error), allowed ...string) *value {
	return &value{typ: typ, allowed: allowed, set: func(s string) error {
		x, err := parse(s)
		if err == nil {
			*to = x
		}
		return err
	}}
}

// word is one allowed value of a choice.
type word[T any] struct {
	name string
	val  T
}

// choice makes a value that is one of a few words; the first is the default.
func choice[T any](to *T, words ...word[T]) *value {
	names := make([]string, len(words))
	for i, w := range words {
		names[i] = w.name
	}
	*to = words[0].val
	v := of(to, strings.Join(names, "|"), func(s string) (T, error) {
		for _, w := range words {
			if strings.EqualFold(w.name, s) {
				return w.val, nil
			}
		}
		return *to, &usageError{msg: "not one of " + strings.Join(names, ", "), hint: didYouMean(s, "", names)}
	}, names...)
	v.text = names[0]
	return v
}

// words makes a choice among words that stand for themselves.
func words(to *string, names ...string) *value {
	list := make([]word[string], len(names))
	for i, n := range names {
		list[i] = word[string]{n, n}
	}
	return choice(to, list...)
}
