package batch

import (
	"regexp"
	"strconv"
	"strings"
)

// RuleText is Rule for people, to stand beside Kernel: without its name, and with six digits of numbers that have more.
func (s *PageSummary) RuleText() string { return ruleText(s.Rule, s.Kernel) }

// fraction is a number with digits behind the point, without its sign.
var fraction = regexp.MustCompile(`\d+\.\d+(?:e[+-]?\d+)?`)

func ruleText(rule, kernel string) string {
	name, _, _ := strings.Cut(kernel, ":")
	rule = strings.TrimLeft(strings.TrimPrefix(rule, name), ": ")
	return fraction.ReplaceAllStringFunc(rule, func(number string) string {
		v, err := strconv.ParseFloat(number, 64)
		if short := strconv.FormatFloat(v, 'g', 6, 64); err == nil && len(short) < len(number) {
			return short
		}
		return number
	})
}
