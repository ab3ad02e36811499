package report

import (
	"strings"
	"testing"
)

// TestTitlesOfChangesThatAreDone: a change that does not shorten something was listed as a thing, with its gain in the
// column "gone", which read as its removal.
func TestTitlesOfChangesThatAreDone(t *testing.T) {
	r := &Report{}
	for _, c := range []struct{ kind, name, title string }{
		{"kernel", "matmul", "kernel matmul"},
		{"in-flight", "2", "keep 2 rounds in flight"},
		{"merge", "4", "merge 4 command buffers into one"},
		{"cause", "lock-contention", "remove cause lock-contention"},
	} {
		changed := Changed{Kind: c.kind, Name: c.name}
		if got := (help{Changed: changed}).Title(); got != c.title {
			t.Errorf("%s %s: %q, want %q", c.kind, c.name, got, c.title)
		}
		r.WhatIf = append(r.WhatIf, WhatIf{What: changed, Speedup: Gain{2, 1, 3}})
	}
	var b strings.Builder
	writeWhatIf(newSheet(&b, Options{Width: 120}), r)
	if !strings.Contains(b.String(), "gone or done\n") || !strings.Contains(b.String(), "keep 2 rounds in flight") {
		t.Errorf("the table:\n%s", b.String())
	}
}
