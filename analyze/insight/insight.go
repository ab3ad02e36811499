// Package insight is a linter for GPU programs: it looks for the habits that cost time, and says what to do about each.
package insight

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/serial"
)

// The severities.
const (
	Warning = "warning" // it costs time
	Info    = "info"    // worth knowing
	Skipped = "skipped" // there is no data to tell
)

// An Insight is one thing found, or one that could not be looked for.
type Insight struct {
	ID       string
	Severity string
	Title    string
	Evidence string
	Advice   string
}

// Input is what the rules look at.
type Input struct {
	Trace   *analyze.Trace
	Serial  *serial.Analysis
	Kernels []*kernels.Kernel
	Fusions []kernels.Fusion
	Compile *compile.Use
	Memory  *memory.Use
}

// rules are asked in this order; each returns nil when there is nothing to say.
var rules = []func(*Input) *Insight{compileInLoop, repeatedCompile, noWarmUp, variance, allocationInLoop, growth, waitAfterCommit, tinyBuffers,
	fusion, copies, idleGaps, unlabelled}

// Find asks all rules: warnings first, then what is worth knowing, then what could not be told.
func Find(in *Input) []Insight {
	var found []Insight
	for _, severity := range []string{Warning, Info, Skipped} {
		for _, r := range rules {
			if i := r(in); i != nil && i.Severity == severity {
				found = append(found, *i)
			}
		}
	}
	return found
}

func warning(id, title, advice, evidence string, args ...any) *Insight {
	return &Insight{id, Warning, title, fmt.Sprintf(evidence, args...), advice}
}

func info(id, title, advice, evidence string, args ...any) *Insight {
	return &Insight{id, Info, title, fmt.Sprintf(evidence, args...), advice}
}

func skipped(id, title, why string) *Insight {
	return &Insight{id, Skipped, title, "SKIPPED: " + why, ""}
}

func of(n, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(n) / float64(whole)
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// committed are the command buffers that were committed.
func committed(t *analyze.Trace) []*analyze.CommandBuffer {
	var list []*analyze.CommandBuffer
	for _, b := range t.CommandBuffers {
		if b.Committed.Known() {
			list = append(list, b)
		}
	}
	return list
}
