package batch

import (
	"fmt"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"unicode/utf8"
)

// recordName is rel as records write it: bytes that are not UTF-8 as \xNN.
func recordName(rel string) string {
	if utf8.ValidString(rel) {
		return rel
	}
	var b strings.Builder
	for i := 0; i < len(rel); {
		r, n := utf8.DecodeRuneInString(rel[i:])
		if r == utf8.RuneError && n == 1 {
			fmt.Fprintf(&b, `\x%02x`, rel[i])
		} else {
			b.WriteString(rel[i : i+n])
		}
		i += n
	}
	return b.String()
}

// imageKind tells whether a folder's file is taken, by its extension.
func imageKind(name string) bool {
	switch strings.ToLower(path.Ext(name)) {
	case ".png", ".tif", ".tiff", ".jpg", ".jpeg":
		return true
	}
	return false
}

// hiddenName tells the names that folders hold but people do not mean: dot files (with them ._* and .AppleDouble,
// the second halves that macOS leaves) and the __MACOSX folder of its archives.
func hiddenName(name string) bool {
	return strings.HasPrefix(name, ".") || name == "__MACOSX"
}

// resultName tells the pictures that runs of this program leave: no later run that goes through folders means them.
func resultName(name string) bool { return resultPattern.MatchString(name) }

var resultPattern = regexp.MustCompile(
	`(?i).\.overlay\.(png|tiff?)$|(^stdin|\.(png|tiff?|jpe?g))(\.p[0-9]{4,})?\.(profile-[0-9]+|histogram|lengths|lines|thresholds|try)\.png$`)

const summaryName = "summary.csv"

func (c *Config) summaryPath() string { return filepath.Join(c.Out, summaryName) }

// recordsSuffix and overlaySuffix are what an output's name adds to Rel; empty where that output is not asked for.
func (c *Config) recordsSuffix() string {
	switch c.Records {
	case "csv":
		return ".segments.csv"
	case "json":
		return ".segments.json"
	}
	return ""
}

func (c *Config) overlaySuffix() string {
	switch c.Overlay {
	case "png":
		return ".overlay.png"
	case "tiff":
		return ".overlay.tiff"
	}
	return ""
}

// suffixes are all that an output's name may add to Rel.
func (c *Config) suffixes() []string {
	if s := c.recordsSuffix(); s != "" {
		return append([]string{s}, c.pageSuffixes()...)
	}
	return c.pageSuffixes()
}

// outputPath is OUT/REL plus suffix.
func (c *Config) outputPath(rel, suffix string) string {
	return filepath.Join(c.Out, filepath.FromSlash(rel)+suffix)
}

// pageSuffixes are the suffixes of outputs that each page has one of.
func (c *Config) pageSuffixes() []string {
	var all []string
	if s := c.overlaySuffix(); s != "" {
		all = append(all, s)
	}
	for _, p := range c.Plots {
		all = append(all, p.suffix(c.plotFormat()))
	}
	return all
}

// pageName is the suffix of an output of one page: pages have a number in it when the file has several.
func pageName(suffix string, page, pages int) string {
	if pages <= 1 {
		return suffix
	}
	return fmt.Sprintf(".p%04d%s", page, suffix)
}

// pageNumbered splits the page number off a name: "a.tif.p0007" gives "a.tif".
func pageNumbered(rel string) (stem string, ok bool) {
	m := pageNumberPattern.FindStringSubmatch(rel)
	if m == nil {
		return "", false
	}
	return m[1], true
}

var pageNumberPattern = regexp.MustCompile(`(?s)^(.+)\.p[0-9]{4,}$`)
