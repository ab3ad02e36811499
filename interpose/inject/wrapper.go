package inject

import (
	"bytes"
	"path/filepath"
	"strings"
)

func folderOf(script string) string {
	if real, err := filepath.EvalSymlinks(script); err == nil {
		script = real
	}
	return filepath.Dir(script)
}

// wrapper is what a shell script does that only starts another program with exec.
type wrapper struct {
	settings []string // NAME=VALUE before or around the exec
	command  []string // the words after exec, with "$@" replaced
}

// parseWrapper recognizes shell scripts that only replace themselves by another program:
//
//	#!/bin/sh                                   pip and distlib write this if
//	'''exec' /a/long/path/python "$0" "$@"      the interpreter's path is too
//	' '''                                       long for a #! line
//
//	#!/bin/bash                                 Homebrew writes this to set
//	NAME="value" exec "/a/program" "$@"         variables
//
// script is the script's path, args are its arguments. ok is false if the script does anything else.
func parseWrapper(content []byte, script string, args []string) (w wrapper, ok bool) {
	if !bytes.HasPrefix(content, []byte("#!")) {
		return wrapper{}, false
	}
	for number, line := range strings.Split(string(content), "\n") {
		line = strings.TrimSpace(line)
		if number == 0 || line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		words, ok := shellWords(line, script)
		if !ok {
			return wrapper{}, false
		}
		if words[0] == "export" && allAssignments(words[1:]) {
			w.settings = append(w.settings, words[1:]...)
			continue
		}
		for len(words) > 0 && isAssignment(words[0]) {
			w.settings = append(w.settings, words[0])
			words = words[1:]
		}
		if len(words) < 2 || words[0] != "exec" || strings.HasPrefix(words[1], "-") {
			return wrapper{}, false
		}
		for _, word := range words[1:] {
			switch {
			case word == allArgs:
				w.command = append(w.command, args...)
			case strings.Contains(word, allArgs):
				return wrapper{}, false
			default:
				w.command = append(w.command, word)
			}
		}
		return w, true
	}
	return wrapper{}, false
}

func allAssignments(words []string) bool {
	for _, word := range words {
		if !isAssignment(word) {
			return false
		}
	}
	return len(words) > 0
}

// isAssignment tells NAME=VALUE from any other word.
func isAssignment(word string) bool {
	name, _, found := strings.Cut(word, "=")
	if !found || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	for _, c := range name {
		if c != '_' && (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') {
			return false
		}
	}
	return true
}
