package bench

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../../../..", Schema, "What `mtrace bench --json` measures. Times are nanoseconds.",
		document{}, *update); err != nil {
		t.Error(err)
	}
	if err := schema.Compare("../../../..", ClaimsSchema,
		"A file of claims about benchmarks, for `mtrace bench --claims`.", Claims{}, *update); err != nil {
		t.Error(err)
	}
}
