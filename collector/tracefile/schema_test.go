package tracefile

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", TextSchema,
		"One line of a trace as text, in which tests keep traces: each has one of these keys, the first has the schema.",
		textLine{}, *update); err != nil {
		t.Error(err)
	}
}
