package claims

import (
	"os"
	"path/filepath"
	"testing"

	"mtrace/fixtures/schema"
)

// claimsFile is a file of claims as a schema has it; ParseFile reads it by hand, to name lines.
type claimsFile struct {
	Schema string `json:"schema,omitempty"`
	Name   string `json:"name,omitempty"`
	Claims []struct {
		ID        string `json:"id,omitempty"`    // "claim N" without it
		Title     string `json:"title,omitempty"` // the expression without it
		Expr      string `json:"expr"`            // docs/claims.md
		Tolerance string `json:"tolerance,omitempty"`
	} `json:"claims"`
}

// The published schemas match the documents that are written and read.
func TestPublishedSchema(t *testing.T) {
	if err := schema.Compare("../..", Schema, "What `mtrace check --json` says of claims.", Document{},
		*update); err != nil {
		t.Error(err)
	}
	if err := schema.Compare("../..", FileSchema, "A file of claims, for `mtrace check --claims`.", claimsFile{},
		*update); err != nil {
		t.Error(err)
	}
	files, err := filepath.Glob("../../fixtures/claims/*.json")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseFile(path, text, nil); err != nil {
			continue // claims about benchmarks
		}
		checked++
		if err := schema.ValidateAs("../..", FileSchema, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
	if checked == 0 {
		t.Error("no file of claims to check")
	}
}
