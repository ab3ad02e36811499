package main

import (
	"runtime"
	"strings"
	"testing"
)

// TestRunNamesWhatLostTheLibrary: a shell empties the environment of a program it starts, as protected programs do on a
// Mac. The run must say which process went without the library, and must not blame forks or programs that have it.
func TestRunNamesWhatLostTheLibrary(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the programs used here are protected on other systems, so the run says something else")
	}
	dir := t.TempDir()
	o := sh(t, dir, nil, tool.mtrace, "run", "-o", "lost.mtrace", "--", "sh", "-c", "sleep 0.01; env -i sleep 0.8; true")
	said := o.stdout + o.stderr
	if o.exit != 0 || !strings.Contains(said, "/sleep: process ") ||
		!strings.Contains(said, "started without the library") {
		t.Errorf("exit status %d\n%s", o.exit, said)
	}
	if o := sh(t, dir, nil, tool.mtrace, "run", "-o", "kept.mtrace", "--", "sh", "-c",
		"(sleep 0.3; true); sleep 0.3"); strings.Contains(o.stdout+o.stderr, "without the library") {
		t.Errorf("processes that have the library are said to lack it\n%s%s", o.stdout, o.stderr)
	}
	// The story: on many machines python3 is a script of pyenv, which runs in a shell for a while and then executes the
	// interpreter in its place. A process that had sent only a hello was forgotten, so each run was reported to have
	// lost the library in the shell.
	if o := sh(t, dir, nil, tool.mtrace, "run", "-o", "shim.mtrace", "--", "sh", "-c",
		"sleep 0.4; exec env true"); strings.Contains(o.stdout+o.stderr, "without the library") {
		t.Errorf("a shell that executed another program in its place is reported to lack the library\n%s%s", o.stdout,
			o.stderr)
	}
}
