package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
)

// besidePattern is what the name of a result adds to that of its input, of any kind that a run makes.
var besidePattern = regexp.MustCompile(
	`^(\.p[0-9]{4,})?(\.segments\.(?:csv|json)|\.overlay\.(?:png|tiff)|\.(?:profile-[0-9]+|histogram|lengths|lines)\.(?:png|svg))$`)

// otherResults gives the names, among sorted ones, of results of one input that are of none of the kinds of this run.
func (c *Config) otherResults(names []string, base string) (others []string) {
	own := c.suffixes()
	at := sort.SearchStrings(names, base+".")
	for ; at < len(names) && strings.HasPrefix(names[at], base+"."); at++ {
		if m := besidePattern.FindStringSubmatch(names[at][len(base):]); m != nil && !slices.Contains(own, m[2]) {
			others = append(others, names[at])
		}
	}
	return others
}

// leftBeside gathers results of earlier runs that now stand beside those of this one, and may tell of other thresholds or
// rules: of kinds that it does not make, and of pages that it does not do. That they are results at all is taken from the
// summary, and that the file is done anew from --overwrite or --skip-existing; without them only another kind is added.
// None is removed: one may be wanted.
func (c *collector) leftBeside(f *PlannedFile, outputs []string) {
	if len(c.plan.old.rows[f.Name()]) == 0 || !c.cfg.Overwrite && !c.cfg.SkipExisting {
		return
	}
	for _, name := range slices.Concat(f.others, f.pictures) {
		if slices.Contains(outputs, name) {
			continue
		}
		if _, err := os.Lstat(name); err != nil {
			continue // of a page that there is no more: it is gone
		}
		if c.beside++; c.beside == 1 {
			c.firstBeside = name
		}
	}
}

// warnBeside says so, once for all files.
func (c *collector) warnBeside() {
	if c.beside == 0 {
		return
	}
	msg := recordName(filepath.ToSlash(c.firstBeside))
	if c.beside > 1 {
		msg = fmt.Sprintf("%s and %d more", msg, c.beside-1)
	}
	c.obs.Warn("", "results of an earlier run stay beside those of this one: "+msg, "remove them, or have them made anew by the --overlay, --records, --plot and --page of that run")
}
