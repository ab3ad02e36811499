package report

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
)

// mostStepBins is the maximum number of bins of the distribution of gaps between tokens; more do not fit a line.
const mostStepBins = 24

// binsOf returns the distribution of sorted durations in bins of equal width on a logarithmic scale, from the shortest
// to the longest duration. A bin is at least a quarter of an octave wide, about 20%.
func binsOf(sorted []int64) []StepBin {
	bins := []StepBin{}
	if len(sorted) == 0 {
		return bins
	}
	low := float64(max(1, sorted[0]))
	octaves := math.Log2(float64(max(1, sorted[len(sorted)-1])) / low)
	width := max(0.25, octaves/(mostStepBins-1))
	edge := func(i int) int64 { return int64(math.Round(low * math.Exp2(float64(i)*width))) }
	for i := 0; len(sorted) > 0; i++ {
		b := StepBin{FromNS: edge(i), ToNS: max(edge(i)+1, edge(i+1))}
		n, _ := slices.BinarySearch(sorted, b.ToNS)
		b.Tokens, sorted = n, sorted[n:]
		bins = append(bins, b)
	}
	bins[0].FromNS = min(bins[0].FromNS, int64(low))
	return bins
}

// idleWhile divides the GPU's idle time between tokens by what the program did meanwhile, as shares of that time.
func (l *lengths) idleWhile() (w IdleWhile) {
	sum := int64(0)
	for _, n := range l.idle {
		sum += n
	}
	if sum == 0 {
		return w
	}
	share := func(n analyze.Nanos) float64 { return min(1, float64(n)/float64(sum)) }
	return IdleWhile{share(l.wait.Creation), share(l.wait.Commit), share(l.wait.Start)}
}

// idleParts returns phrases about the gaps between tokens: their distribution, and what the program did meanwhile.
func (g *Generation) idleParts() (parts []string) {
	if len(g.IdleBins) > 1 {
		parts = append(parts, fmt.Sprintf("idle time of each token, %s to %s: %s", ns(g.IdleNS.MinNS), ns(g.IdleNS.MaxNS),
			g.sparkline()))
	}
	if g.IdleNS.MeanNS == 0 {
		return parts
	}
	for i, part := range g.IdleMeanwhile() {
		text := part.Title + " " + part.Text
		if i == 0 {
			text = "idle " + text
		}
		parts = append(parts, text)
	}
	return parts
}

// IdleMeanwhile returns the parts of the GPU's idle time between tokens with their shares.
func (g *Generation) IdleMeanwhile() (parts []answer) {
	for _, part := range g.idleShares() {
		parts = append(parts, answer{part.what, analyze.FormatShare(part.share)})
	}
	return parts
}

// An idleShare is a part of the GPU's idle time between tokens.
type idleShare struct {
	what  string
	share float64
}

func (g *Generation) idleShares() []idleShare {
	return []idleShare{{"until the program creates the next command buffer", g.Creation},
		{"from there until it commits it", g.Commit}, {"from its commit until the GPU begins it", g.Start},
		{"later in the token", max(0, 1-g.Creation-g.Commit-g.Start)}}
}

// mostIdle returns the largest part of the GPU's idle time between tokens; 0 if there is none.
func (g *Generation) mostIdle() (share float64, what string) {
	if g.IdleNS.MeanNS == 0 {
		return 0, ""
	}
	most := slices.MaxFunc([]idleShare{{"until the program creates the next command buffer", g.Creation},
		{"until the program commits the command buffer that it created", g.Commit},
		{"from commit until the GPU begins", g.Start}},
		func(x, y idleShare) int { return cmp.Compare(x.share, y.share) })
	return most.share, most.what
}

// levels are the heights of a bar in text.
var levels = []rune("▁▂▃▄▅▆▇█")

// sparkline returns the distribution of the gaps as bars; a space is an empty bin.
func (g *Generation) sparkline() string {
	var text strings.Builder
	most := g.mostTokens()
	for _, b := range g.IdleBins {
		if b.Tokens == 0 {
			text.WriteByte(' ')
			continue
		}
		text.WriteRune(levels[(b.Tokens*len(levels)-1)/most])
	}
	return text.String()
}

func (g *Generation) mostTokens() (most int) {
	for _, b := range g.IdleBins {
		most = max(most, b.Tokens)
	}
	return max(1, most)
}

// A gapBar is a bar of the page's histogram of the gaps between tokens.
type gapBar struct {
	Title  string
	Height template.CSS // in percent
}

// GapBars returns the bars of the page's histogram of the gaps between tokens.
func (g *Generation) GapBars() (bars []gapBar) {
	most := g.mostTokens()
	for _, b := range g.IdleBins {
		bars = append(bars, gapBar{fmt.Sprintf("%s to %s: %s", ns(b.FromNS), ns(b.ToNS), analyze.Plural(b.Tokens, "token")),
			template.CSS(fmt.Sprintf("%.1f", 100*float64(b.Tokens)/float64(most)))})
	}
	return bars
}
