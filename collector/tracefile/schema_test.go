package tracefile

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The schema that is published is the one of what is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", TextSchema,
		"One line of a trace as text, in which tests keep traces: each has one of these keys, the first has the schema.",
		textLine{}, *update); err != nil {
		t.Error(err)
	}
}
