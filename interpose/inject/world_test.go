package inject

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// world is a folder that represents a machine: the tests put programs into it and describe the host around it. In
// contents, commands and expectations "^" stands for the folder.
type world struct {
	t     testing.TB
	root  string
	host  Host
	facts map[string]func(*FileFacts)
	env   []string
}

func newWorld(t testing.TB, system, arch string) *world {
	// Not t.TempDir: it is named after the test, and a '#' in a #! line means
	// something on macOS.
	root, err := os.MkdirTemp("", "world")
	if err == nil {
		root, err = filepath.EvalSymlinks(root)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	w := &world{t: t, root: root, facts: map[string]func(*FileFacts){}}
	w.host = Host{OS: system, Arch: arch, Directory: root, UID: 501, GID: 20, Facts: func(path string) (FileFacts, error) {
		facts, err := fileFacts(path)
		if err == nil && w.facts[path] != nil {
			w.facts[path](&facts)
		}
		return facts, err
	}}
	w.env = []string{w.at("PATH=^/opt/bin:^/usr/bin:^/bin"), "HOME=/home/user"}
	return w
}

// at replaces ^ by the world's folder.
func (w *world) at(text string) string { return strings.ReplaceAll(text, "^", w.root) }

// put writes an executable file.
func (w *world) put(path string, content []byte) string {
	w.t.Helper()
	path = w.at(path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(path, content, 0o755); err != nil {
		w.t.Fatal(err)
	}
	return path
}

func (w *world) script(path, content string) string { return w.put(path, []byte(w.at(content))) }

func (w *world) link(target, path string) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.at(path)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Symlink(w.at(target), w.at(path)); err != nil {
		w.t.Fatal(err)
	}
}

// mark changes the facts of the file system about a file.
func (w *world) mark(path string, change func(*FileFacts)) { w.facts[w.at(path)] = change }

// mac makes a Mac: protected system programs, a universal library, a Python
// that accepts libraries.
func mac(t testing.TB) *world {
	w := newWorld(t, "darwin", "arm64")
	for _, path := range []string{"^/usr/bin/env", "^/usr/bin/arch", "^/usr/bin/nice", "^/usr/bin/open", "^/bin/sh",
		"^/bin/bash", "^/usr/bin/python3"} {
		apple := arm64e
		apple.signature.platform = 14
		x := x86
		x.signature.platform = 14
		w.put(path, universal(t, false, x, apple))
		w.mark(path, func(f *FileFacts) { f.Restricted = true })
	}
	w.put("^/lib/libmtrace.dylib", universal(t, false, x86.asLibrary(), arm64.asLibrary()))
	w.put("^/opt/bin/python3.12", arm64.bytes(t))
	w.link("python3.12", "^/opt/bin/python3")
	return w
}
