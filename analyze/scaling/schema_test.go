package scaling

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema, "What `mtrace scaling --json` says of throughputs by number of threads.",
		Document{}, *update); err != nil {
		t.Error(err)
	}
}
