package bundle

import (
	"context"
	"slices"
	"strings"
	"testing"
)

// xctrace sometimes cannot export a table of contents (--toc) although it can export the tables (--xpath). That was the
// end of reading the bundle.
func TestExportWithoutATableOfContents(t *testing.T) {
	for _, kind := range []string{"trap", "half", "status"} {
		tool, said := tool(t)
		r, failed := exportAll(t, tool, makeBundle(t, map[string]any{
			"Faults": []map[string]any{{"Table": "toc", "Kind": kind, "Times": 99}},
		}))
		if len(failed) != 0 || r.Run != nil || len(r.GPU.Intervals) < 80 || len(r.Commands.Submissions) < 80 {
			t.Errorf("%s: failed %v, %d GPU intervals", kind, failed, len(r.GPU.Intervals))
		}
		for _, d := range r.Documents {
			if d.EmptyRoot > 0 {
				t.Errorf("%s: %s belongs to a table that was not recorded", kind, d.Name)
			}
		}
		if !slices.ContainsFunc(*said, func(s string) bool { return strings.Contains(s, "without the table of contents") }) {
			t.Errorf("%s: not told: %q", kind, *said)
		}
	}
}

// Such a bundle that xctrace has just recorded was a failed recording.
func TestRecordWithoutATableOfContents(t *testing.T) {
	for _, kind := range []string{"trap", "half", "status"} {
		output, said, err := record(t, `{"Config": {"CommandBuffers": 60}, "Faults": [{"Table": "toc", "Kind": "`+kind+
			`", "Times": 99}]}`, "true")
		if err != nil || !slices.ContainsFunc(said, func(s string) bool {
			return strings.Contains(s, "whether the recording is complete is not known")
		}) {
			t.Errorf("%s: %v, %q", kind, err, said)
			continue
		}
		tool, _ := tool(t)
		if r, failed := exportAll(t, tool, output); len(failed) != 0 || len(r.GPU.Intervals) < 60 {
			t.Errorf("%s: failed %v, %d GPU intervals", kind, failed, len(r.GPU.Intervals))
		}
	}
}

// If xctrace can export nothing of a bundle, the first failure is the error.
func TestExportOfNothing(t *testing.T) {
	tool, _ := tool(t)
	bundle := t.TempDir() + "/empty.trace"
	if _, err := tool.Export(context.Background(), bundle, 0, ignore); err == nil ||
		!strings.Contains(err.Error(), "does not exist") {
		t.Errorf("no bundle: %v", err)
	}
}
