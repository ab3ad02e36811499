package page

import (
	"flag"
	"testing"

	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the schema anew")

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema,
		"What the page of `mtrace report --html` and `mtrace view` draws. Times are nanoseconds after the begin of the "+
			"trace.", Document{}, *update); err != nil {
		t.Error(err)
	}
}
