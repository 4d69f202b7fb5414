package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// release is the version of a released build, set by the linker (-X segscan/internal/cli.release=v1.2.3).
var release string

const versionHelp = `prints the version, the commit it was built from where the build knows it, and the Go version
`

func (a *app) version([]string) error { return a.print(versionText(debug.ReadBuildInfo())) }

// versionText is "segscan v1.2.3 (commit, modified) go1.26 linux/amd64".
func versionText(info *debug.BuildInfo, ok bool) string {
	version, commit := release, ""
	if ok {
		if version == "" && info.Main.Version != "" && info.Main.Version != "(devel)" {
			version = info.Main.Version
		}
		var dirty bool
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				commit = s.Value
			case "vcs.modified":
				dirty = s.Value == "true"
			}
		}
		if commit != "" && dirty {
			commit += ", modified"
		}
	}
	if version == "" {
		version = "devel"
	}
	if commit != "" {
		version += " (" + commit + ")"
	}
	return fmt.Sprintf("segscan %s %s %s/%s\n", version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
