package report

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema,
		"What `mtrace report --json` says of a trace. Times are nanoseconds, shares are 0…1; lists are never null.",
		Report{}, *update); err != nil {
		t.Error(err)
	}
}
