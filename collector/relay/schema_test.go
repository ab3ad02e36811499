package relay

import (
	"flag"
	"testing"

	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the schemas anew")

// The schema that is published is the one of what is written.
func TestPublishedSchema(t *testing.T) {
	for name, value := range map[string]any{requestSchema: request{}, noteSchema: note{}} {
		if err := schema.Compare("../..", name, "What the ends of a relay say to each other, or keep: docs/relay.md.", value, *update); err != nil {
			t.Error(err)
		}
	}
}
