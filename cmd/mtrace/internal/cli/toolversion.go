package cli

import "runtime/debug"

// ToolRelease is the version of a release, set by main; empty in other builds.
var ToolRelease string

// ToolVersion returns mtrace's version: the release's, otherwise the Go module's, otherwise the first 12 digits of
// the commit.
func ToolVersion() string {
	if ToolRelease != "" {
		return ToolRelease
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return s.Value[:12]
		}
	}
	return "devel"
}
