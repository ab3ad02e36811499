// Package report writes the results of the analyses as text, JSON and HTML. The document is the `mtrace.report/1` of
// docs/terms.md.
package report

import (
	"mtrace/analyze/experiment"
	"mtrace/analyze/hang"
	"mtrace/analyze/kernels"
)

// Schema names the document.
const Schema = "mtrace.report/1"

// A Report is the document mtrace.report/1. Times are in nanoseconds, shares are 0 to 1, lists are never null.
type Report struct {
	Schema string `json:"schema"`
	Source Source `json:"source"`
	// the ranges that were analysed for causes, if the run was too long to analyse all of it; absent otherwise
	Sampled *Sampled `json:"sampled,omitempty"`
	// the threads and processes that made no progress at the end of the run; absent when all did
	Hang *hang.Document `json:"hang,omitempty"`
	Recording
	Calls     []Call     `json:"calls"`
	CallSites []CallSite `json:"call_sites"`
	Threads   []Thread   `json:"threads"`
	Queues    []Queue    `json:"queues"`
	GPU       GPU        `json:"gpu"`
	// "measured" if the GPU's own clock gave the time of every encoder, else "estimated"
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
	// the results of an experiment, for which mtrace added delays to the run; absent if there was none
	Experiment *experiment.Measurement `json:"experiment,omitempty"`

	// why a change that was requested with --what-if is not predicted; absent if all are
	WhatIfNotPredicted string `json:"what_if_not_predicted,omitempty"`

	undocumented
}

// undocumented holds results that callers of this package need, but that are not part of the JSON document.
type undocumented struct {
	unmatched error          // for a requested name (--what-if) that is not in the trace
	costs     *kernels.Costs // the kernels' costs over all of a long trace; see KernelCosts
}

// KernelCosts returns the estimated GPU cost of each kernel, computed over all of a long trace, for profiles that
// load the trace range by range. It is nil if the report's trace was loaded as a whole.
func (r *Report) KernelCosts() *kernels.Costs { return r.costs }

// A Recording states how much of the run was recorded. Its fields are top-level fields of the document.
type Recording struct {
	Events   int64     `json:"events"` // calls that returned
	Lost     Lost      `json:"lost"`
	Overhead Overhead  `json:"overhead"`
	Coverage Coverage  `json:"coverage"`
	Warnings []string  `json:"warnings"`
	Missing  []Missing `json:"missing"` // what the source cannot tell
}
