package page

import (
	"flag"
	"testing"

	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the schema anew")

// The schema that is published is the one of what is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema,
		"What the page of `mtrace report --html` and `mtrace view` draws. Times are nanoseconds after the begin of the "+
			"trace.", Document{}, *update); err != nil {
		t.Error(err)
	}
}
