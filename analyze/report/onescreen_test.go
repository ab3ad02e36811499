package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
)

// TestOneScreen: the default text of every scenario has at most 40 lines on a sheet of the usual width, names the
// verdict of the document, reports no hang, and ends with the way to everything else. The story: the report of 8
// threads had 223 lines, and its verdict was lost among them.
func TestOneScreen(t *testing.T) {
	for i, s := range tracesim.Scenarios {
		r := scenarioReports(t)[i]
		if r.Hang != nil {
			t.Errorf("%s ended by itself, and the report says that it hangs: %s", s.Name, r.Hang.Title())
		}
		var b bytes.Buffer
		if err := r.WriteText(&b, Options{}); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		if n := strings.Count(text, "\n"); n > mostScreenLines {
			t.Errorf("%s: %d lines:\n%s", s.Name, n, text)
		}
		if !strings.Contains(text, "\nVERDICT  "+r.Serialization.Verdict) || !strings.Contains(text, "mtrace report --all") {
			t.Errorf("%s: no verdict %s, or no way to everything:\n%s", s.Name, r.Serialization.Verdict, text)
		}
	}
}

// TestOneScreenOfTokens: a run with everything that may be said still fits: a busy machine, tokens, several phases, a
// verdict without a predicted gain. The story: the report of a decode loop had 44 lines.
func TestOneScreenOfTokens(t *testing.T) {
	for i, s := range tracesim.Scenarios {
		r := *scenarioReports(t)[i]
		r.Serialization.Causes = slices.Clone(r.Serialization.Causes)
		r.Steps.Generation = &Generation{PromptNS: Quantiles{Count: 2, P50NS: 63_500_000}, TokenNS: Quantiles{Count: 120,
			MeanNS: 6e6, P50NS: 4_850_000, P95NS: 16_000_000}, GPUNS: Quantiles{Count: 120}, IdleNS: Quantiles{Count: 120,
			MeanNS: 1e6, P50NS: 847_000, P95NS: 12_000_000}, IdleWhile: IdleWhile{Creation: 0.6}}
		r.Warnings = []string{strings.Repeat("a warning ", 16), strings.Repeat("a warning ", 16)}
		if v := &r.Serialization; v.Share > 0 && len(v.Causes) > 0 {
			v.Causes[0].SpeedupInterval = nil
			v.Causes[0].NotPredicted = "a run without it would be another program; the table of what would help shows the rest"
		}
		var b bytes.Buffer
		if err := r.WriteText(&b, Options{}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), "\n"); n > mostScreenLines || !strings.Contains(b.String(), "120 tokens") {
			t.Errorf("%s: %d lines:\n%s", s.Name, n, b.String())
		}
	}
}

// TestTighterRows: rows are removed one at a time until every part has its minimum, so that the loop ends.
func TestTighterRows(t *testing.T) {
	rows, steps := usualScreenRows, 0
	for possible := true; possible; steps++ {
		before := rows
		if rows, possible = rows.tighter(); possible == (rows == before) {
			t.Fatalf("%+v became %+v, and it was possible: %v", before, rows, possible)
		}
	}
	if rows != leastScreenRows || steps < 10 {
		t.Errorf("%+v after %d steps, want %+v", rows, steps, leastScreenRows)
	}
}

// TestHeadline: the verdict line has the name, the cost, the gain with its interval, and a word for the confidence. If
// the intervals of two causes' gains overlap, both are named.
func TestHeadline(t *testing.T) {
	gain := func(cause string, share, estimate, low, high float64) Cause {
		return Cause{Cause: cause, Share: share, SpeedupIfRemoved: &estimate, SpeedupInterval: &Speedup{low, high}}
	}
	for _, c := range []struct {
		s    Serialization
		want string
	}{
		{Serialization{Verdict: "none"}, "none · not enough data"},
		{Serialization{Verdict: "none", Confidence: 0.7}, "none · likely"},
		{Serialization{Verdict: "a", Share: 0.6, Confidence: 0.9, Causes: []Cause{gain("a", 0.6, 2, 1.5, 2.5),
			gain("b", 0.2, 1.2, 1.1, 1.3)}},
			"a · costs 60% of thread time · removing it: 2.00x faster (1.50-2.50) · clear"},
		{Serialization{Verdict: "a", Share: 0.6, Confidence: 0.9, Causes: []Cause{gain("a", 0.6, 2, 0.9, 2.5),
			gain("b", 0.01, 2, 1.5, 2.5)}},
			"a · costs 60% of thread time · removing it: perhaps 2.00x faster (0.90-2.50) · likely"},
		{Serialization{Verdict: "a", CloseCalls: []string{"b"}, Share: 0.4, Confidence: 0.7,
			Causes: []Cause{gain("a", 0.4, 1.6, 1.3, 1.9),
				gain("b", 0.3, 1.5, 1.2, 1.8)}},
			"a or b · costs 40% of thread time · removing it: 1.60x faster (1.30-1.90) · close call"},
		{Serialization{Verdict: "a", Share: 0.4, Confidence: 0.3, Causes: []Cause{{Cause: "a", Share: 0.4}}},
			"a · costs 40% of thread time · close call"},
	} {
		if got := strings.Join(c.s.headline(), " · "); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
