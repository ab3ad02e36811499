package report

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/steps"
)

// Steps are the repetitions found in the run: its loops, and the prompts and tokens of a language model.
type Steps struct {
	Generation *Generation `json:"generation,omitempty"` // absent if no tokens were found
	Phases     []StepPhase `json:"phases"`               // by their begin; empty if nothing repeats
}

// Generation sums up the prompts and tokens that a language model processed in all phases.
type Generation struct {
	From     string    `json:"from"`      // how tokens were found: "marks" or "command buffers"
	PromptNS Quantiles `json:"prompt_ns"` // from a prompt's first command buffer, or its mark, to its end
	TokenNS  Quantiles `json:"token_ns"`  // from the end of one token to the end of the next
	GPUNS    Quantiles `json:"gpu_ns"`    // GPU time of a token's work
	IdleNS   Quantiles `json:"idle_ns"`   // time within a token in which the GPU ran none of the token's work
	// the distribution of idle_ns up to its 95th percentile, with a last bin for all longer times. Empty without idle
	// times
	IdleBins []StepBin `json:"idle_bins"`
	IdleWhile
}

// IdleWhile divides idle_ns, the GPU's idle time within tokens, by what the program did meanwhile. Each value is a
// share (0 to 1) of the sum over all tokens.
type IdleWhile struct {
	Creation float64 `json:"idle_until_creation_share"` // until the program created the token's first command buffer
	Commit   float64 `json:"idle_until_commit_share"`   // from then until the program committed that command buffer
	Start    float64 `json:"idle_until_start_share"`    // from that commit until the GPU began the command buffer
}

// A StepBin counts the tokens whose GPU idle time lies in a range.
type StepBin struct {
	FromNS int64 `json:"from_ns"`
	ToNS   int64 `json:"to_ns"` // exclusive
	Tokens int   `json:"tokens"`
}

// A StepPhase is a range of the run in which one kind of step repeats.
type StepPhase struct {
	Kind           string    `json:"kind"`  // "prompt", "decode" or "loop"
	From           string    `json:"from"`  // "marks", or "command buffers" if the steps were found by their period
	PID            int       `json:"pid"`   // 0 of marks
	Queue          uint32    `json:"queue"` // 0 of marks
	Label          string    `json:"label"` // label of the queue, or the name of the marks
	BeginNS        int64     `json:"begin_ns"`
	EndNS          int64     `json:"end_ns"`
	Steps          int       `json:"steps"`
	CommandBuffers int       `json:"command_buffers"`
	StepNS         Quantiles `json:"step_ns"` // from the end of one step to the end of the next
	GPUNS          Quantiles `json:"gpu_ns"`  // GPU time of a step's work
	IdleNS         Quantiles `json:"idle_ns"` // time within a step in which the GPU ran none of the step's work
}

// lengths has the durations of steps, in nanoseconds: whole steps, their GPU work, and the GPU's idle time in them.
type lengths struct {
	step, gpu, idle []int64
	wait            steps.Wait // summed over the steps that have an idle time
}

// add adds the steps of a phase. A step lasts from the end of the previous step to its own end. The first step of a
// sequence has no previous step, so only its GPU time is added.
func (l *lengths) add(p *steps.Phase) {
	for _, s := range p.Steps {
		l.gpu = append(l.gpu, int64(s.GPU))
		if !s.First {
			l.step, l.idle = append(l.step, int64(s.Length())), append(l.idle, int64(s.Idle))
			l.wait.Creation += s.Creation
			l.wait.Commit += s.Commit
			l.wait.Start += s.Start
		}
	}
}

// quantilesOf summarizes durations, and sorts them.
func quantilesOf(values []int64) (q Quantiles) {
	n := len(values)
	if n == 0 {
		return q
	}
	slices.Sort(values)
	sum := int64(0)
	for _, v := range values {
		sum += v
	}
	at := func(percent int) int64 { return values[min(n-1, n*percent/100)] }
	return Quantiles{Count: int64(n), MeanNS: sum / int64(n), MinNS: values[0], P50NS: at(50), P95NS: at(95),
		P99NS: at(99), MaxNS: values[n-1]}
}

// buildSteps fills in the phases of repeated steps. Their times count from the begin of the window.
func buildSteps(r *Report, t *analyze.Trace, sequences *steps.Sequences) {
	r.Steps.Phases = []StepPhase{}
	if sequences == nil {
		return
	}
	phases := sequences.Phases()
	var prompts []int64
	var tokens lengths
	for i := range phases {
		p := &phases[i]
		var all lengths
		all.add(p)
		r.Steps.Phases = append(r.Steps.Phases, StepPhase{Kind: p.Kind, From: p.From, PID: p.Queue.PID,
			Queue: p.Queue.Queue,
			Label: p.Label, BeginNS: int64(p.Begin - t.TimeRange.Begin), EndNS: int64(p.End - t.TimeRange.Begin),
			Steps: len(p.Steps), CommandBuffers: p.CommandBuffers, StepNS: quantilesOf(all.step),
			GPUNS: quantilesOf(all.gpu), IdleNS: quantilesOf(all.idle)})
		switch p.Kind {
		case steps.Prompt:
			prompts = append(prompts, int64(p.Length()))
		case steps.Decode:
			tokens.add(p)
		}
	}
	if steps.Generates(phases) {
		r.Steps.Generation = &Generation{From: phases[0].From, PromptNS: quantilesOf(prompts),
			TokenNS: quantilesOf(tokens.step), GPUNS: quantilesOf(tokens.gpu), IdleNS: quantilesOf(tokens.idle),
			IdleBins: binsOf(tokens.idle), IdleWhile: tokens.idleWhile()}
	}
}

// perSecond formats a rate per second, with one decimal if it is below 100.
func perSecond(rate float64) string {
	if rate < 100 {
		return fmt.Sprintf("%.1f", rate)
	}
	return formatCount(int64(rate + 0.5))
}

// Parts returns phrases about a language model's run: prompts, tokens, tokens per second, and the GPU's idle time
// between tokens.
func (g *Generation) Parts() (parts []string) {
	switch n := g.PromptNS.Count; {
	case n == 1:
		parts = append(parts, "prompt "+ns(g.PromptNS.P50NS))
	case n > 1:
		parts = append(parts, fmt.Sprintf("%s, median %s", analyze.Plural(n, "prompt"), ns(g.PromptNS.P50NS)))
	}
	tokens := analyze.Plural(g.GPUNS.Count, "token")
	if g.TokenNS.Count == 0 {
		return append(parts, tokens)
	}
	parts = append(parts, fmt.Sprintf("%s, median %s (p95 %s)", tokens, ns(g.TokenNS.P50NS), ns(g.TokenNS.P95NS)))
	if g.TokenNS.MeanNS > 0 {
		parts = append(parts, perSecond(1e9/float64(g.TokenNS.MeanNS))+" a second")
	}
	parts = append(parts, fmt.Sprintf("GPU idle between tokens: median %s (p95 %s)", ns(g.IdleNS.P50NS),
		ns(g.IdleNS.P95NS)))
	if share, what := g.mostIdle(); share > 0 {
		parts = append(parts, fmt.Sprintf("%s of that %s", analyze.FormatShare(share), what))
	}
	return parts
}

// Cells are the phase's cells in tables.
func (p *StepPhase) Cells() []string {
	length, tail, idle := "", "", ""
	if p.StepNS.Count > 0 {
		length, tail, idle = ns(p.StepNS.P50NS), ns(p.StepNS.P95NS), ns(p.IdleNS.P50NS)
	}
	return []string{p.Kind, p.source(), ns(p.BeginNS), ns(p.EndNS), formatCount(p.Steps), formatCount(p.CommandBuffers),
		length,
		tail,
		ns(p.GPUNS.P50NS), idle}
}

// source returns the name of the phase's queue as in the table of queues; for steps that the program marks, the name
// of the marks.
func (p *StepPhase) source() string {
	if p.From == steps.FromMarks {
		return p.Label
	}
	return strings.TrimSpace(fmt.Sprintf("%d %s", p.Queue, p.Label))
}

// stepHeads are the heads of Cells' columns.
var stepHeads = []string{"phase", "queue", "from", "to", "steps", "command buffers", "step p50", "step p95", "gpu",
	"gpu idle"}

// stepsRemark explains the table.
const stepsRemark = "repeated steps, each from the end of the previous step to its own end"

// Source says how tokens were detected.
func (g *Generation) Source() string {
	if g.From == steps.FromMarks {
		return "Prompts and tokens are ranges that the program marks."
	}
	return "A prompt is recognized as work on the same graph as the steps after it, with several times as many threads. " +
		"One step counts as one token."
}

func writeSteps(w *sheet, r *Report) {
	if len(r.Steps.Phases) == 0 {
		return
	}
	writeHeading(w, "steps", stepsRemark)
	t := &table{heads: stepHeads, left: 2, most: w.rows(mostRows), spare: []int{5, 1}}
	for i := range r.Steps.Phases {
		t.add(r.Steps.Phases[i].Cells()...)
	}
	t.write(w)
	if g := r.Steps.Generation; g != nil {
		wrapParts(w, g.Parts(), "  ", "    ")
		wrapParts(w, g.idleParts(r.GPU.IdleNS), "  ", "    ")
		wrap(w, g.Source(), "  ", "    ")
	}
}

// screenSteps writes prompts and tokens in a line or two; nothing if the run has none.
func screenSteps(r *Report, w *sheet, rows screenRows) {
	g := r.Steps.Generation
	if g == nil {
		return
	}
	var words []string
	parts := g.Parts()
	if share, _ := g.mostIdle(); share > 0 && rows.remarks < 3 {
		parts = parts[:len(parts)-1]
	}
	for i, part := range parts {
		if i < len(parts)-1 {
			part += " ·"
		}
		words = append(words, part)
	}
	labelled(w, "STEPS", words)
}
