package inject

import (
	"fmt"
	"os"
	"path/filepath"

	"howett.net/plist"
)

// nextInBundle returns the executable of an application bundle, which its Info.plist names. mtrace must start the
// executable itself: with open(1), launchd would start it without mtrace's environment.
func nextInBundle(h Host, s invocation) (*invocation, error) {
	bundle := filepath.Clean(s.path)
	list := filepath.Join(h.absolute(bundle), "Contents", "Info.plist")
	content, err := os.ReadFile(list)
	if err != nil {
		return nil, &NotExecutableError{Path: s.path,
			Reason: "it is a folder without Contents/Info.plist; give a program or an application bundle"}
	}
	var info struct {
		Executable string `plist:"CFBundleExecutable"`
	}
	if _, err := plist.Unmarshal(content, &info); err != nil {
		return nil, &NotExecutableError{Path: s.path, Reason: fmt.Sprintf("its Info.plist cannot be read: %v", err)}
	}
	name := filepath.Base(info.Executable)
	if info.Executable == "" || name != info.Executable {
		return nil, &NotExecutableError{Path: s.path, Reason: "its Info.plist names no executable (CFBundleExecutable)"}
	}
	program := filepath.Join(bundle, "Contents", "MacOS", name)
	refused, err := h.executable(program)
	if err != nil {
		return nil, &NotExecutableError{Path: s.path, Reason: "its executable " + program + " is missing"}
	}
	if refused != "" {
		return nil, &NotExecutableError{Path: program, Reason: refused}
	}
	next := s
	next.path, next.args, next.via = program, append([]string{program}, s.args[1:]...), "Info.plist"
	return &next, nil
}
