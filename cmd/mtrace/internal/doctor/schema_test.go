package doctor

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../../../..", Schema, "What `mtrace doctor --json` finds out about a machine or a command.",
		Report{}, *update); err != nil {
		t.Error(err)
	}
	if err := schema.Compare("../../../..", "mtrace.selftest/1",
		"What mtrace-selftest prints: a C program that counts its own calls of Metal.", selfTestOutput{},
		*update); err != nil {
		t.Error(err)
	}
}
