package table

import (
	"slices"
	"testing"
)

// TestColumnsAreDescribed fails if a column has no description, so that the published schema would not explain it, or
// if longDocs has a text for a field that does not exist.
func TestColumnsAreDescribed(t *testing.T) {
	var used []string
	for _, d := range descriptions() {
		for _, c := range d.columns {
			if c.doc == "" {
				t.Errorf("the column %s of the table %s has no description: add a tag doc, or a text to longDocs",
					c.name, d.name)
			}
			used = append(used, c.doc)
		}
	}
	for field, text := range longDocs {
		if !slices.Contains(used, text) {
			t.Errorf("longDocs describes %s, which is no field of a row", field)
		}
	}
}
