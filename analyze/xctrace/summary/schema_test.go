package summary

import (
	"testing"

	"mtrace/fixtures/schema"
)

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../../..", "mtrace.xctrace/1",
		"What `mtrace xctrace --json` says of an export of Instruments. Times are nanoseconds since the "+
			"recording began, shares are 0…1.", Summary{}, *update); err != nil {
		t.Error(err)
	}
}
