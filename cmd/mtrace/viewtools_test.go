package main

import (
	"testing"
)

// TestViewToolsReadAnExport: each tool of mtrace view --with reads a format of mtrace export.
func TestViewToolsReadAnExport(t *testing.T) {
	for _, tool := range viewTools {
		if formatNamed(tool.name) == nil {
			t.Errorf("mtrace view --with %s has no format of mtrace export", tool.name)
		}
	}
}
