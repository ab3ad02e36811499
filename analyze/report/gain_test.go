package report

import (
	"bytes"
	"strings"
	"testing"
)

// TestGainIsNotSure: a predicted gain whose interval includes 1 read as sure, and the page did not say what its
// confidence is of.
func TestGainIsNotSure(t *testing.T) {
	for want, g := range map[string]Gain{"perhaps 1.19x faster (0.90-1.57)": {1.19, 0.9, 1.57},
		"1.42x faster (1.21-1.58)": {1.42, 1.21, 1.58}} {
		if got := g.faster(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var b bytes.Buffer
	r := &Report{Serialization: Serialization{Verdict: "none", Confidence: 0.9}}
	if err := r.WriteHTML(&b, Pictures{}); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), `title="Confidence is how sure the verdict is`) {
		t.Error("the page does not explain its confidence")
	}
}
