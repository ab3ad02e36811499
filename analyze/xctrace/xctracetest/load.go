// Package xctracetest reads recordings that tests have made.
package xctracetest

import (
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/fixtures/xctrace/export"
)

// Load exports tables of a recording, each to a file, and reads them again.
func Load(t *testing.T, r *export.Recording, tables ...string) *xctrace.Recording {
	t.Helper()
	dir := t.TempDir()
	if err := r.WriteFolder(dir, append(tables, export.TOC)...); err != nil {
		t.Fatal(err)
	}
	inputs, _, err := xctrace.Inputs([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := xctrace.Load(inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	return loaded
}
