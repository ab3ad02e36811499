package report

import (
	"sync"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/compile"
	"mtrace/analyze/evidence"
	"mtrace/analyze/hang"
	"mtrace/analyze/insight"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
	"mtrace/analyze/replay"
	"mtrace/analyze/steps"
)

// Options control what a report contains and how it is written.
type Options struct {
	Seed   uint64 // seed of the analysis's random generator
	Limits Limits // how much of a long trace BuildLong analyses; the zero value means UsualLimits

	// Range loads the time range between two times of the same trace, counted from its Origin. With Range, phases of
	// the run and the time before a hang are analysed separately; if it is nil, they are not.
	Range func(from, to analyze.Nanos) (*analyze.Trace, error)

	// Progress, if not nil, is called while BuildLong works: with the number of finished steps and of all steps.
	Progress func(done, of int)
	// Part, if not nil, receives each time range of a long trace, in order of time, and how its threads used their
	// time. Another output, such as a profile, can then use the ranges that BuildLong loads anyway.
	Part func(part *evidence.Division) error

	WhatIf []replay.Wanted // changes (--what-if) whose common gain is predicted; empty means none
	// the threads to list; empty means all. Matrices of waits also show threads that are not listed, if a listed thread
	// waits for them or they wait for a listed thread
	Threads []ThreadPattern
	Queues  []uint32 // queues to list; empty is all
	// the sections that WriteText writes; empty means one screen, or everything if All is set. Analyses are skipped
	// if no requested section needs them
	Sections []string
	All      bool // WriteText writes every section
	Document bool // everything is computed, because the report is also written as JSON or HTML
	Color    bool // WriteText uses colors
	Width    int  // for WriteText, in columns: 0 means UsualWidth, AnyWidth no limit
	Top      int  // rows of each table of WriteText; 0 means the table's default
}

// answers holds the results of all analyses of one trace. The report is built from them.
type answers struct {
	trace    *analyze.Trace
	analysis *cause.Analysis
	kernels  []*kernels.Kernel
	named    []*kernels.Operation
	timing   kernels.Timing
	fusions  []kernels.Fusion
	compile  *compile.Use
	memory   *memory.Use
	scopes   []Scope
	repeats  *steps.Sequences
	insights []insight.Insight
	hang     *hang.Report
	before   *cause.Analysis // analysis of the run before it hangs; nil if it does not hang
	window   *replay.Replay  // the replay of a typical range of a long run; nil if the run is analysed as a whole
}

// ask runs all analyses but those of findInsights. Predictions, which take the most time, are made as `how` says.
func ask(t *analyze.Trace, opts Options, how cause.Options) *answers {
	x := &answers{trace: t}
	// the analysis of causes takes longest and needs none of the others, so they run concurrently
	var others sync.WaitGroup
	others.Go(func() {
		x.compile, x.memory, x.scopes = compile.Summarize(t), memory.Summarize(t), scopesOf(t)
		x.hang, x.repeats = hang.Find(t, hang.Options{}), steps.NewSequences()
		x.repeats.Add(t)
		sum := kernels.NewSum(t)
		x.kernels, x.named, x.timing = sum.Kernels(), sum.Operations(), sum.Timing
	})
	if !opts.wants(causes) {
		x.analysis = &cause.Analysis{Totals: evidence.Measure(t)}
		others.Wait()
		return x
	}
	how.Seed = opts.Seed
	x.analysis = cause.Analyze(t, how)
	others.Wait()
	return x
}

// findInsights finds fusion candidates and insights. `of` is the analysis of the whole trace.
func (x *answers) findInsights(of *cause.Analysis) {
	x.fusions = kernels.Fusions(x.trace, x.kernels, kernels.LaunchCosts{Launch: of.Evidence.Launch.Time,
		Dispatch: of.Evidence.Times.DispatchTime()})
	x.insights = insight.Find(&insight.Input{Trace: x.trace, Analysis: of, Kernels: x.kernels, Fusions: x.fusions,
		Compile: x.compile, Memory: x.memory})
}

// Build runs all analyses on a trace that was loaded as a whole, and returns the report. For longer traces use
// BuildLong.
func Build(t *analyze.Trace, opts Options) *Report {
	x := ask(t, opts, cause.Options{Gains: true})
	if !opts.wants(causes) {
		return x.report(opts)
	}
	whole := x.analysis
	x.untilHang(opts)
	// gains and insights do not need each other
	var h helps
	var predicted sync.WaitGroup
	predicted.Go(func() { h = whatHelps(x.causesIn(), opts.WhatIf) })
	x.findInsights(whole)
	predicted.Wait()
	r := x.report(opts)
	buildWhatIf(r, h)
	buildPhases(r, x.causesIn(), opts)
	return r
}

// report fills the document.
func (x *answers) report(opts Options) *Report {
	t, a := x.trace, x.analysis
	r := &Report{Schema: Schema, Recording: Recording{Events: t.Events}}
	buildSource(r, t)
	buildLosses(r, t)
	buildOverhead(r, t)
	buildCoverage(r, t)
	r.Warnings = append(x.warnings(), a.Totals.Times.Warnings...)
	r.Missing = list(t.Source.Missing, func(m analyze.Missing) Missing { return Missing(m) })
	buildCalls(r, t)
	buildCallSites(r, t)
	buildThreads(r, a, opts)
	buildQueues(r, a, opts)
	buildGPU(r, a, x.timing)
	buildKernels(r, x.kernels, x.fusions)
	buildOperations(r, x.named)
	buildMemory(r, x.memory)
	buildCompile(r, x.compile)
	r.Scopes = x.scopes
	buildSteps(r, t, x.repeats)
	buildSerialization(r, x.causesIn(), opts)
	buildExperiment(r, x)
	if x.hang != nil {
		buildHang(r, x.hang.Document(t))
	}
	r.Insights = list(x.insights, func(i insight.Insight) Insight {
		return Insight{i.ID, i.Severity, i.Title, i.Evidence, i.Advice, int64(i.Cost), list(i.Where, site)}
	})
	return r
}

// list converts each element of a slice. The result is never nil, so that JSON has [] instead of null.
func list[T, U any](in []T, f func(T) U) []U {
	out := make([]U, 0, len(in))
	for _, v := range in {
		out = append(out, f(v))
	}
	return out
}
