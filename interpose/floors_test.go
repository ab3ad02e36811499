package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// floors are the folders of the C half, from the lowest up: docs/architecture.md says what each is.
var floors = []string{"system", "core", "stacks", "waits", "hook", "features", "top"}

// shimSources are the files of the C half that this system has.
func shimSources(t testing.TB) (sources []string) {
	t.Helper()
	for _, floor := range floors {
		found, err := filepath.Glob(floor + "/*.c")
		if err != nil || len(found) == 0 {
			t.Fatalf("no sources in %s: %v", floor, err)
		}
		for _, source := range found {
			if !strings.HasSuffix(source, "_darwin.c") {
				sources = append(sources, source)
			}
		}
	}
	return sources
}
