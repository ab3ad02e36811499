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

// binsOf returns the distribution of sorted durations. From the shortest duration to the 95th percentile, bins have
// equal width on a logarithmic scale, at least a sixteenth of an octave (about 4%). One last bin has all longer
// durations: a few tokens are often much longer, and an axis up to the longest would put all usual tokens into one
// bar.
func binsOf(sorted []int64) []StepBin {
	bins := []StepBin{}
	if len(sorted) == 0 {
		return bins
	}
	longest, usual := sorted[len(sorted)-1], sorted[min(len(sorted)-1, len(sorted)*95/100)]
	low := float64(max(1, sorted[0]))
	octaves := math.Log2(float64(max(1, usual)) / low)
	width := max(1.0/16, octaves/(mostStepBins-2))
	edge := func(i int) int64 { return int64(math.Round(low * math.Exp2(float64(i)*width))) }
	for i := 0; len(sorted) > 0 && (len(bins) == 0 || edge(i) <= usual); i++ {
		b := StepBin{FromNS: edge(i), ToNS: max(edge(i)+1, edge(i+1))}
		n, _ := slices.BinarySearch(sorted, b.ToNS)
		b.Tokens, sorted = n, sorted[n:]
		bins = append(bins, b)
	}
	bins[0].FromNS = min(bins[0].FromNS, int64(low))
	if len(sorted) > 0 {
		bins = append(bins, StepBin{FromNS: bins[len(bins)-1].ToNS, ToNS: longest + 1, Tokens: len(sorted)})
	}
	return bins
}

// tail returns the number of the last bin if it holds the durations beyond the end of the axis; -1 if there are none.
func (g *Generation) tail() int {
	last := len(g.IdleBins) - 1
	if last > 0 && g.IdleBins[last].FromNS > g.IdleNS.P95NS {
		return last
	}
	return -1
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

// idleParts returns phrases about the GPU's idle time in tokens: its distribution, its sum, and what the program did
// meanwhile. `of` is the GPU's idle time between all command buffers; 0 if it is not known.
func (g *Generation) idleParts(of int64) (parts []string) {
	if len(g.IdleBins) > 1 {
		end, longer := ns(g.IdleNS.MaxNS), ""
		if i := g.tail(); i >= 0 {
			end = ns(g.IdleBins[i].FromNS)
			longer = fmt.Sprintf(" and %s longer, up to %s", analyze.Plural(g.IdleBins[i].Tokens, "token"),
				ns(g.IdleNS.MaxNS))
		}
		parts = append(parts, fmt.Sprintf("idle time of each token, %s to %s: %s%s", ns(g.IdleNS.MinNS), end,
			g.sparkline(), longer))
	}
	if g.IdleNS.MeanNS == 0 {
		return parts
	}
	parts = append(parts, g.idleSum(of))
	for _, part := range g.IdleMeanwhile() {
		parts = append(parts, part.Title+" "+part.Text)
	}
	return parts
}

// idleTotal returns the GPU's idle time in all tokens together.
func (g *Generation) idleTotal() int64 { return g.IdleNS.MeanNS * g.IdleNS.Count }

// idleSum returns the GPU's idle time in tokens, with its share of `of`, the GPU's idle time between all command
// buffers.
func (g *Generation) idleSum(of int64) string {
	text := fmt.Sprintf("the GPU idled for %s in %s", ns(g.idleTotal()), analyze.Plural(g.IdleNS.Count, "token"))
	if total := g.idleTotal(); of > 0 && total <= of {
		text += fmt.Sprintf(", %s of its %s between command buffers", analyze.FormatShare(float64(total)/float64(of)),
			ns(of))
	}
	return text
}

// IdleSum is the sentence above the page's table of what the program did while the GPU was idle in tokens.
func (d pageData) IdleSum() string {
	g := d.Steps.Generation
	text := g.idleSum(d.GPU.IdleNS)
	text = strings.ToUpper(text[:1]) + text[1:]
	if rest := d.GPU.IdleNS - g.idleTotal(); rest > 0 && d.GPU.IdleNS > 0 {
		text += fmt.Sprintf("; the other %s passed before and in prompts, or at the begin of a sequence", ns(rest))
	}
	return text + ". The parts below add up to it: " +
		"each says how far the program was with the token's first command buffer. " +
		"The table under GPU splits the same time by what the submitting thread was doing."
}

// IdleMeanwhile returns the rows of the page's table of what the program did while the GPU was idle in tokens: one
// row for each stage, with its time and share.
func (g *Generation) IdleMeanwhile() (parts []answer) {
	for _, part := range g.idleShares() {
		parts = append(parts, answer{Title: part.what, Text: analyze.FormatShare(part.share),
			More: ns(int64(part.share * float64(g.idleTotal())))})
	}
	return parts
}

// IdleAll is the sum of the times in the rows of IdleMeanwhile.
func (g *Generation) IdleAll() string { return ns(g.idleTotal()) }

// An idleShare is a part of the GPU's idle time between tokens.
type idleShare struct {
	what  string
	share float64
}

func (g *Generation) idleShares() []idleShare {
	return []idleShare{{"until the program creates the token's first command buffer", g.Creation},
		{"from then until the program commits that command buffer", g.Commit},
		{"from that commit until the GPU begins the command buffer", g.Start},
		{"between the token's command buffers", max(0, 1-g.Creation-g.Commit-g.Start)}}
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

// figures returns the times of prompts and tokens, and the GPU's idle time in a token, for the page's first screen.
func (g *Generation) figures() (list []answer) {
	list = append(list, answer{Title: "tokens", Text: formatCount(g.GPUNS.Count)})
	if n := g.PromptNS.Count; n > 0 {
		list[0].More = fmt.Sprintf("after %s, median %s", analyze.Plural(n, "prompt"), ns(g.PromptNS.P50NS))
	}
	if g.TokenNS.Count == 0 {
		return list
	}
	list = append(list, answer{Title: "time of a token", Text: "median " + ns(g.TokenNS.P50NS),
		More: "p95 " + ns(g.TokenNS.P95NS)})
	if g.TokenNS.MeanNS > 0 {
		list[1].More += fmt.Sprintf(", %s a second", perSecond(1e9/float64(g.TokenNS.MeanNS)))
	}
	idle := answer{Title: "GPU idle in a token", Text: "median " + ns(g.IdleNS.P50NS), More: "p95 " + ns(g.IdleNS.P95NS)}
	list = append(list, idle)
	if share, what := g.mostIdle(); share > 0 {
		list = append(list, answer{Title: "why idle",
			Text: analyze.FormatShare(share) + " of the idle time passes " + what})
	}
	return list
}

// levels are the heights of a bar in text.
var levels = []rune("▁▂▃▄▅▆▇█")

// sparkline returns the distribution of the gaps as a row of bars in text, without the bin for durations beyond the
// axis. A space is an empty bin.
func (g *Generation) sparkline() string {
	var text strings.Builder
	most, tail := g.mostTokens(), g.tail()
	for i, b := range g.IdleBins {
		if i == tail {
			break
		}
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

// A gapBar is a bar of the page's histogram of the gaps between tokens. Label is written below it.
type gapBar struct {
	Title, Label string
	Height       template.CSS // in percent
	Tail         bool         // the bar of all longer gaps
}

// labelledBars says which bars of the histogram have a label: every sixth.
const labelledBars = 6

// GapBars returns the bars of the page's histogram of the gaps between tokens.
func (g *Generation) GapBars() (bars []gapBar) {
	most, tail := g.mostTokens(), g.tail()
	for i, b := range g.IdleBins {
		bar := gapBar{Title: fmt.Sprintf("%s to %s: %s", ns(b.FromNS), ns(b.ToNS), analyze.Plural(b.Tokens, "token")),
			Height: template.CSS(fmt.Sprintf("%.1f", 100*float64(b.Tokens)/float64(most))), Tail: i == tail}
		switch {
		case i == tail:
			bar.Title = fmt.Sprintf("longer, up to %s: %s", ns(g.IdleNS.MaxNS), analyze.Plural(b.Tokens, "token"))
		case i%labelledBars == 0:
			bar.Label = ns(b.FromNS)
		}
		bars = append(bars, bar)
	}
	return bars
}

// GapsTail describes the last bar of the histogram, which has all gaps beyond the end of the axis; "" if there are
// none.
func (g *Generation) GapsTail() string {
	i := g.tail()
	if i < 0 {
		return ""
	}
	return fmt.Sprintf("%s with longer gaps, up to %s (last bar)", analyze.Plural(g.IdleBins[i].Tokens, "token"),
		ns(g.IdleNS.MaxNS))
}
