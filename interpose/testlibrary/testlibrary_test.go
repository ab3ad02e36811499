package testlibrary

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// The story: the C half went into folders, and only the files alongside them were looked at. For a day tests of a
// checkout that had been built before were of a library without what had changed since.
func TestEveryFolderCounts(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	state := func() []byte {
		t.Helper()
		now, err := stateOf(filepath.Join(root, "interpose"))
		if err != nil {
			t.Fatal(err)
		}
		return now
	}
	files := map[string]bool{ // whether the library is built from it
		"go.mod": true, "interpose/main.go": true, "interpose/core/ring.h": true, "interpose/features/sampling.c": true,
		"interpose/drainer/drainer.go": true,
		"interpose/ring_test.go":       false, "interpose/testdata/client.m": false,
		"interpose/drainer/drainer_test.go": false,
	}
	for name := range files {
		write(name, "before")
	}
	for name, counts := range files {
		before := state()
		write(name, "after")
		if changed := !bytes.Equal(before, state()); changed != counts {
			t.Errorf("%s: the library is built anew: %v", name, changed)
		}
	}
}
