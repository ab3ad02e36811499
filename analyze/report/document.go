// Package report writes the results of the analyses as text, JSON and HTML. The document is the `mtrace.report/1` of
// docs/vocabulary.md.
package report

import (
	"mtrace/analyze/experiment"
	"mtrace/analyze/hang"
	"mtrace/analyze/kernels"
)

// Schema names the document.
const Schema = "mtrace.report/1"

// A Report is the document. Times are nanoseconds, shares are 0…1; lists are never null.
type Report struct {
	Schema string `json:"schema"`
	Source Source `json:"source"`
	// the ranges that were analysed of a run too long to be analysed as a whole; absent otherwise
	Sampled *Sampled `json:"sampled,omitempty"`
	// what made no progress at the end of the run; absent when all did
	Hang *hang.Document `json:"hang,omitempty"`
	Recording
	Calls     []Call     `json:"calls"`
	CallSites []CallSite `json:"call_sites"`
	Threads   []Thread   `json:"threads"`
	Queues    []Queue    `json:"queues"`
	GPU       GPU        `json:"gpu"`
	// of encoders: "measured" when the GPU's own clock gave the time of each, else "estimated"
	GPUTiming        string            `json:"gpu_timing"`
	Kernels          []Kernel          `json:"kernels"`
	Operations       []Operation       `json:"operations"` // what the kernels ran for; empty when nothing has a name
	FusionCandidates []FusionCandidate `json:"fusion_candidates"`
	Memory           Memory            `json:"memory"`
	Compile          Compile           `json:"compile"`
	Scopes           []Scope           `json:"scopes"`
	Steps            Steps             `json:"steps"`
	Serialization    Serialization     `json:"serialization"`
	WhatIf           []WhatIf          `json:"what_if"` // predicted gains of changes, the largest first
	Insights         []Insight         `json:"insights"`
	// the results of an experiment, in which mtrace added delays to the run; absent if there was none
	Experiment *experiment.Measurement `json:"experiment,omitempty"`

	// the reason why a requested change is not predicted
	WhatIfNotPredicted string `json:"what_if_not_predicted,omitempty"`

	undocumented
}

// undocumented are results that are not in the document.
type undocumented struct {
	unmatched error          // of a name that was asked for and is not in the trace
	costs     *kernels.Costs // of a long trace
}

// KernelCosts returns the costs of the kernels over a long trace, for profiles that are made of its parts; nil if the
// report is of a trace that was loaded as one.
func (r *Report) KernelCosts() *kernels.Costs { return r.costs }

// A Recording is how much of the run the trace has. Its fields are fields of the document.
type Recording struct {
	Events   int64     `json:"events"` // calls that returned
	Lost     Lost      `json:"lost"`
	Overhead Overhead  `json:"overhead"`
	Coverage Coverage  `json:"coverage"`
	Warnings []string  `json:"warnings"`
	Missing  []Missing `json:"missing"` // what the source cannot tell
}
