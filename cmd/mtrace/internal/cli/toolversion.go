package cli

import "runtime/debug"

// ToolRelease is the version of a release, which main sets; it is empty in other builds.
var ToolRelease string

// ToolVersion returns the version of this build: the release's, the module's if it was installed by version, or the
// commit.
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
