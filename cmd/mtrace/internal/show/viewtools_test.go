package show

import (
	"testing"

	"mtrace/cmd/mtrace/internal/convert"
)

// TestViewToolsReadAnExport: each tool of mtrace view --with reads a format of mtrace export.
func TestViewToolsReadAnExport(t *testing.T) {
	for _, tool := range viewTools {
		if convert.FormatNamed(tool.name) == nil {
			t.Errorf("mtrace view --with %s has no format of mtrace export", tool.name)
		}
	}
}
