package report

import (
	"mtrace/analyze"
	"mtrace/analyze/compile"
	"mtrace/analyze/insight"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/serial"
)

// Options steer what a report holds and how it is written.
type Options struct {
	Seed uint64 // of what is random in the analysis

	// Part reads the trace again, from one time after its Origin to another, to judge parts of the run. Nil: that is not done.
	Part func(from, to analyze.Nanos) (*analyze.Trace, error)

	WhatIf   []serial.Wanted    // to be predicted together; empty is nothing
	Threads  []analyze.ThreadID // threads to list; empty is all
	Queues   []uint32           // queues to list; empty is all
	Sections []string           // of WriteText; empty is all
	Color    bool               // of WriteText
}

// Build asks all analyses and fills the document.
func Build(t *analyze.Trace, opts Options) *Report {
	a := serial.Analyze(t, serial.Options{Seed: opts.Seed})
	ks := kernels.Summarize(t)
	fusions := kernels.Fusions(t, ks, kernels.Costs{Launch: a.LaunchTime(), Dispatch: a.DispatchTime()})
	compiled, allocated := compile.Summarize(t), memory.Summarize(t)
	r := &Report{Schema: Schema, Events: t.Events}
	r.source(t)
	r.losses(t)
	r.overhead(t)
	r.coverage(t)
	r.Warnings = append(append([]string{}, t.Warnings...), a.Warnings...)
	r.Missing = list(t.Missing, func(m analyze.Missing) Missing { return Missing(m) })
	r.calls(t)
	r.callSites(t)
	r.threads(a, opts)
	r.queues(a, opts)
	r.gpu(a)
	r.kernels(ks, fusions)
	r.memory(allocated)
	r.compile(compiled)
	r.scopes(t)
	r.serialization(a)
	r.whatIf(a, opts.WhatIf)
	r.phases(a, opts)
	found := insight.Find(&insight.Input{Trace: t, Serial: a, Kernels: ks, Fusions: fusions, Compile: compiled, Memory: allocated})
	r.Insights = list(found, func(i insight.Insight) Insight {
		return Insight{i.ID, i.Severity, i.Title, i.Evidence, i.Advice, int64(i.Cost), list(i.Where, site)}
	})
	return r
}

// list maps a slice; the result is never nil, so that JSON has an empty list.
func list[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}
