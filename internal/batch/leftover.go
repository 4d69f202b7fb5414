package batch

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// forgottenAfter is how long nothing has been written to a temporary file that is taken to be forgotten.
const forgottenAfter = 24 * time.Hour

// noteLeftovers finds temporary files in folders of outputs, given with what they hold, sorted, that nothing has been
// written to for long: those that a run left when it was killed. None is removed: a run that is still at work, here or on
// another machine, may have one for days without anything to write to it, such as the table of files without segments.
func (p *Plan) noteLeftovers(folders map[string][]string, now time.Time) {
	for dir, names := range folders {
		at, _ := slices.BinarySearch(names, tempPrefix)
		for ; at < len(names) && strings.HasPrefix(names[at], tempPrefix); at++ {
			path := filepath.Join(dir, names[at])
			info, err := os.Lstat(path)
			if err == nil && strings.HasSuffix(path, tempSuffix) && info.Mode().IsRegular() && now.Sub(info.ModTime()) > forgottenAfter {
				p.leftovers = append(p.leftovers, path)
			}
		}
	}
	slices.Sort(p.leftovers)
}

// warnLeftovers names them.
func (p *Plan) warnLeftovers(obs Observer) {
	if len(p.leftovers) == 0 {
		return
	}
	msg, them := recordName(filepath.ToSlash(p.leftovers[0])), "it"
	if n := len(p.leftovers) - 1; n > 0 {
		msg, them = fmt.Sprintf("%s and %d more", msg, n), "them"
	}
	obs.Warn("", "a run that was killed has left "+msg, "remove "+them+", unless a run into that folder has been at work for more than a day")
}
