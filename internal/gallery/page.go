package main

import (
	"fmt"
	"strings"

	"segscan/kernels"
)

// section is a heading of the page with what is to be said of its kernels together: text, pictures by their part, and
// more.
type section struct {
	title, text string
	pictures    []string
	more        string
	kernels     []string
}

// pageText is docs/gallery.md for the kernels listed. One that is in no section or has no entry is an error, and so is
// an entry or a name of a section that is no kernel.
func pageText(list []kernels.Info) (string, error) {
	infos := map[string]kernels.Info{}
	for _, k := range list {
		infos[k.Name] = k
	}
	of, parts := map[string][]entry{}, map[string]entry{}
	for _, e := range entries() {
		if _, ok := infos[e.kernel]; !ok && e.kernel != "" {
			return "", fmt.Errorf("the gallery has a picture of %s, which is no kernel", e.kernel)
		}
		if e.kernel == "" {
			parts[e.part] = e
			continue
		}
		of[e.kernel] = append(of[e.kernel], e)
	}
	var b strings.Builder
	b.WriteString(introduction)
	for _, s := range sections() {
		b.WriteString("\n## " + s.title + "\n\n" + s.text + "\n")
		for _, part := range s.pictures {
			e, ok := parts[part]
			if !ok {
				return "", fmt.Errorf("the section %q shows the picture %s, which has no entry", s.title, part)
			}
			delete(parts, part)
			writePicture(&b, &e)
		}
		if s.more != "" {
			b.WriteString("\n" + s.more + "\n")
		}
		for _, name := range s.kernels {
			k, ok := infos[name]
			if !ok {
				return "", fmt.Errorf("the section %q names %s, which is no kernel, or is named twice", s.title, name)
			}
			if len(of[name]) == 0 {
				return "", fmt.Errorf("the kernel %s has no picture: add an entry to entries.go", name)
			}
			delete(infos, name)
			fmt.Fprintf(&b, "\n### %s\n\n**When:** %s.\n", k.Name, k.When)
			for _, e := range of[name] {
				writePicture(&b, &e)
			}
		}
	}
	for part := range parts {
		return "", fmt.Errorf("the picture %s is in no section of the gallery: add it to sections.go", part)
	}
	for _, k := range list {
		if _, left := infos[k.Name]; left {
			return "", fmt.Errorf("the kernel %s is in no section of the gallery: add it to sections.go, and a picture of it to entries.go", k.Name)
		}
	}
	return b.String(), nil
}

func writePicture(b *strings.Builder, e *entry) {
	fmt.Fprintf(b, "\n![%s](%s)\n\n```sh\nsegscan %s\n```\n\n%s\n", e.alt, strings.TrimPrefix(e.file(), "docs/"), e.args, e.says)
}
