package report

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/steps"
)

// Each duration is in exactly one bin, bins follow each other, and a wide distribution still fits a line.
func TestBinsOf(t *testing.T) {
	for _, sorted := range [][]int64{{5}, {0, 0, 3}, {700, 701, 702}, {1000, 1100, 9_000_000}, {1, 1 << 40}} {
		bins := binsOf(sorted)
		tokens := 0
		for i, b := range bins {
			if tokens += b.Tokens; b.ToNS <= b.FromNS || i > 0 && b.FromNS > bins[i-1].ToNS {
				t.Errorf("%v: bin %d is %+v", sorted, i, b)
			}
		}
		if tokens != len(sorted) || len(bins) > mostStepBins+1 {
			t.Errorf("%v: %d in %d bins", sorted, tokens, len(bins))
		}
	}
	if got := binsOf(nil); got == nil || len(got) != 0 {
		t.Errorf("without durations: %v", got)
	}
}

// The report says where most of the idle time between tokens is, and draws the distribution.
func TestTokenGaps(t *testing.T) {
	var l lengths
	for i := range 10 {
		idle := analyze.Nanos(100_000)
		if i == 9 {
			idle = 1_600_000
		}
		l.add(&steps.Phase{Steps: []steps.Step{{Interval: analyze.Interval{Begin: 0, End: 5_000_000}, GPU: 3_000_000,
			Idle: idle, Wait: steps.Wait{Creation: idle / 4, Commit: idle / 2, Start: idle / 8}}}})
	}
	g := &Generation{From: steps.FromBuffers, TokenNS: quantilesOf(l.step), GPUNS: quantilesOf(l.gpu),
		IdleNS: quantilesOf(l.idle), IdleBins: binsOf(l.idle), IdleWhile: l.idleWhile()}
	if got := g.IdleWhile; got != (IdleWhile{0.25, 0.5, 0.125}) {
		t.Errorf("idle time: %+v", got)
	}
	const most = "50% of that until the program commits the command buffer that it created"
	if parts := g.Parts(); !slices.Contains(parts, most) {
		t.Errorf("%q is not in %q", most, parts)
	}
	if line := g.sparkline(); strings.Trim(line, " ") == "" || []rune(line)[0] != '█' || []rune(line)[len([]rune(line))-1] != '▁' {
		t.Errorf("the distribution is drawn as %q", line)
	}
	if bars := g.GapBars(); len(bars) != len(g.IdleBins) || bars[0].Height != "100.0" ||
		bars[0].Title != "100 µs to 119 µs: 9 tokens" {
		t.Errorf("bars: %+v", bars)
	}
}
