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
	if line := g.sparkline(); strings.Trim(line, " ") == "" || []rune(line)[0] != '█' ||
		[]rune(line)[len([]rune(line))-1] != '▁' {
		t.Errorf("the distribution is drawn as %q", line)
	}
	if bars := g.GapBars(); len(bars) != len(g.IdleBins) || bars[0].Height != "100.0" ||
		bars[0].Title != "100 µs to 113 µs: 9 tokens" {
		t.Errorf("bars: %+v", bars)
	}
	titles := ""
	for _, f := range g.figures() {
		titles += f.Title + ": " + f.Text + "; "
	}
	if titles != "tokens: 10; time of a token: median 5.00 ms; GPU idle in a token: median 100 µs; "+
		"why idle: 50% of the idle time passes until the program commits the command buffer that it created; " {
		t.Errorf("the first screen has %q", titles)
	}
}

// One very long token once left a single bar of the histogram for all shorter tokens. The parts of the idle time are
// related to the GPU's idle time, and add up.
func TestTokenGapsWithATail(t *testing.T) {
	var idle []int64
	for i := range int64(99) {
		idle = append(idle, 700_000+4000*i)
	}
	idle = append(idle, 41_000_000)
	g := &Generation{IdleNS: quantilesOf(idle), IdleBins: binsOf(idle), IdleWhile: IdleWhile{0.5, 0.25, 0.125}}
	bars, filled := g.GapBars(), 0
	for _, b := range bars {
		if b.Height != "0.0" {
			filled++
		}
	}
	if last := bars[len(bars)-1]; filled < 8 || !last.Tail || last.Title != "longer, up to 41.0 ms: 1 token" {
		t.Errorf("%d of %d bars have tokens, and the last is %+v", filled, len(bars), last)
	}
	said := strings.Join(g.idleParts(150_000_000), "; ")
	for _, want := range []string{"1 token longer, up to 41.0 ms",
		"the GPU idled for 130 ms in 100 tokens, 86% of its 150 ms between"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in %q", want, said)
		}
	}
	share, sum := 0.0, ""
	for _, part := range g.idleShares() {
		share += part.share
	}
	for _, part := range g.IdleMeanwhile() {
		sum += part.More + " "
	}
	if share != 1 || sum != "64.9 ms 32.4 ms 16.2 ms 16.2 ms " {
		t.Errorf("the parts: %v, %s", share, sum)
	}
}
