package claims

import (
	"slices"
	"strings"
	"testing"
)

// TestFiguresOfAFailure: each FAIL shows the values behind it, also in a claim of several comparisons, which once
// showed none.
func TestFiguresOfAFailure(t *testing.T) {
	text := `{"claims": [{"title": "both", "expr": "gpu.overlap > 2 and max(calls[selector=\"commit\"].p95_ns) < 100us"},
		{"title": "fine", "expr": "events > 1"}]}`
	f, err := ParseFile("claims.json", []byte(text), reportKeys)
	if err != nil {
		t.Fatal(err)
	}
	d, err := f.Check([]byte(document), "report.json")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"gpu.overlap = 1.25", `calls[selector="commit"].p95_ns = 90.0 µs (commit)`,
		`calls[selector="commit"].p95_ns = 110 µs (commit)`}
	if got := d.Results[0].Figures; !slices.Equal(got, want) || d.Results[1].Figures != nil {
		t.Errorf("the figures are %q, want %q, and of a PASS %q", got, want, d.Results[1].Figures)
	}
	var b strings.Builder
	if err := d.WriteText(&b); err != nil || !strings.Contains(b.String(), "FAIL both: gpu.overlap > 2") ||
		!strings.Contains(b.String(), "  gpu.overlap = 1.25\n") {
		t.Errorf("%v: %s", err, b.String())
	}
}
