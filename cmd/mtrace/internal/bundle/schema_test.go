package bundle

import (
	"flag"
	"testing"

	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the schema anew")

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../../../..", Schema,
		"checks.json of `mtrace doctor --bundle`: what was expected of a machine, and what was found.", Document{},
		*update); err != nil {
		t.Error(err)
	}
}
