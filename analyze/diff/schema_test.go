package diff

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema, "What `mtrace diff --json` says of two sides, each of one run or several.",
		Document{}, *update); err != nil {
		t.Error(err)
	}
}
