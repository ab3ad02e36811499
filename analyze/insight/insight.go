// Package insight is a linter for GPU programs: it looks for habits that cost time, names the places in the program
// that have them, and gives advice for each.
package insight

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/compile"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/policy"
)

// The severities of insights. Users' scripts match them.
const (
	Warning = "warning" // the finding costs time
	Info    = "info"    // worth knowing
	Skipped = "skipped" // there is no data to decide
)

// An Insight is a finding of one rule, or the reason why the rule could not be applied (Skipped).
type Insight struct {
	ID       string
	Severity string
	Title    string
	Evidence string
	Advice   string        // what to do, without a full stop; empty if skipped
	Cost     analyze.Nanos // thread time, or GPU time for findings about the GPU; 0 if unknown
	memory   bool          // the cost is memory, which accumulates
	Where    []Site        // the places with most of the cost
}

// Input is the data that the rules look at.
type Input struct {
	Trace    *analyze.Trace
	Analysis *cause.Analysis
	Kernels  []*kernels.Kernel
	Fusions  []kernels.Fusion
	Compile  *compile.Use
	Memory   *memory.Use

	rounds *rounds
	all    []*series // nil until first used
}

// Find applies all rules and returns what they found, in the order of sortByImportance.
func Find(in *Input) []Insight {
	in.rounds = roundsOf(in.Trace)
	var found []Insight
	for _, r := range rules {
		var i *Insight
		if !in.Trace.Source.HasCalls() && r.needs != "" {
			i = skip(r.needs)
		} else if len(in.Trace.Source.Selected) > 0 { // rules also depend on the absence of calls
			i = skip("only a selection of calls was recorded")
		} else if i = r.find(in); i == nil {
			continue
		}
		if r.name(i); i.Severity == Warning && in.tiny(i.Cost) {
			i.Severity = Info
		}
		found = append(found, *i)
	}
	sortByImportance(found)
	return found
}

// sortByImportance puts warnings first, then remarks, then skipped rules. Insights of one severity come in this order:
// memory that accumulates, because such a program finally fails; then those with the highest cost; then those whose
// cost is not known, in the order of the rules.
func sortByImportance(found []Insight) {
	order := []string{Warning, Info, Skipped}
	place := func(i *Insight) int {
		if i.memory {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(found, func(a, b Insight) int {
		return cmp.Or(cmp.Compare(slices.Index(order, a.Severity), slices.Index(order, b.Severity)),
			cmp.Compare(place(&a), place(&b)), cmp.Compare(b.Cost, a.Cost))
	})
}

// skip returns the result of a rule for which the trace has no data, with the reason.
func skip(why string) *Insight { return &Insight{Severity: Skipped, Evidence: "SKIPPED: " + why} }

// NotOfInstruments is the beginning of the evidence of a rule that was skipped because Instruments does not record
// the data that it needs. Reports recognize such rules by this text, and list them together.
const NotOfInstruments = "SKIPPED: Instruments does not record"

// tooFew is the reason for skipping a rule about loops: the trace has too few iterations.
const tooFew = "too few command buffers to recognize a loop"

// weigh returns Warning if the cost is at least policy.WholeShareOfTime of the time of the threads that submit work,
// else Info.
func (in *Input) weigh(cost analyze.Nanos) string {
	if cost > 0 && float64(cost) >= policy.WholeShareOfTime*float64(in.threadTime()) {
		return Warning
	}
	return Info
}

// tiny reports whether the cost is known and so small that an insight is no warning, only a remark.
func (in *Input) tiny(cost analyze.Nanos) bool {
	return cost > 0 && float64(cost) < policy.NoInsightWarning*float64(in.Analysis.Evidence.Times.Working())
}

// ofThreads formats a time together with its share of the time of the threads that submit work.
func (in *Input) ofThreads(n analyze.Nanos) string {
	total := in.threadTime()
	if total == 0 {
		return n.String()
	}
	return fmt.Sprintf("%s, %s of the threads' time", n, analyze.FormatShare(min(1, float64(n)/float64(total))))
}

// ofRun formats a time together with its share of the run's time.
func (in *Input) ofRun(n analyze.Nanos) string {
	return fmt.Sprintf("%s, %s of the run's time", n,
		analyze.FormatShare(min(1, float64(n)/float64(max(1, in.Trace.TimeRange.Length())))))
}

func of(n, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(n) / float64(whole)
}
