// Package cause decides which cause explains the time that threads lost, and predicts what the run would gain without
// it. Each cause is a rule, a function of the evidence in a file of its own, and a row of the registry.
// docs/terms.md defines the terms.
package cause

import (
	"cmp"
	"sync"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/path"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// An Analysis is the result of the analysis of one trace, or of a whole run: the evidence and the verdict.
type Analysis struct {
	Evidence *evidence.Evidence // nil if only totals are known
	Totals   *evidence.Totals
	Tests    evidence.Tests
	Waits    path.Waits
	Verdict  Verdict
	// how much longer a replay (simulation) of the unchanged program takes than the recorded run took, as a share of the
	// recorded time; 0 without a replay
	ReplayError float64

	replay    *replay.Replay // nil if the trace has no waits, or if no predictions were requested
	estimated analyze.Nanos  // the threads' time in a long run; 0 for a run that was analyzed as a whole
}

// Working returns the threads' time, of which the time lost to a cause is a share. If the totals of a long run were
// not requested, it is estimated from the ranges that were analyzed.
func (a *Analysis) Working() analyze.Nanos { return cmp.Or(a.Totals.Times.Working(), a.estimated) }

// Predicted reports whether predictions were requested and the trace has the waits that a replay needs.
func (a *Analysis) Predicted() bool { return a.replay != nil }

// Replay returns the replay from which the predictions come, or nil if none was made.
func (a *Analysis) Replay() *replay.Replay { return a.replay }

// Options control the statistical tests and whether Analyze predicts gains.
type Options struct {
	Seed         uint64 // seed of the random generator: the same seed gives the same result; any value will do
	Permutations int    // 0 is policy.Permutations
	Unpredicted  bool   // makes no replay and no predictions
	Gains        bool   // Analysis.Gains will be called, so the replays that it needs are built early
}

// Analyze gathers the evidence of a trace, decides on the verdict, and predicts what removing each cause would gain.
func Analyze(t *analyze.Trace, opts Options) *Analysis {
	ev := evidence.Gather(t, evidence.Options{Seed: opts.Seed, Permutations: opts.Permutations})
	a := &Analysis{Evidence: ev, Totals: ev.Totals(), Tests: ev.Tests}
	// the verdict does not depend on the critical path, so a second processor finds it meanwhile
	var pathFound sync.WaitGroup
	pathFound.Go(func() { a.Waits = path.Find(ev) })
	defer pathFound.Wait()
	if !a.Evidence.Trace.Source.HasWaits() {
		a.Verdict = waitlessVerdict(a.Evidence)
		return a
	}
	a.judge(opts)
	if s := a.wouldWaitForTheGPU(); s != nil {
		a.Evidence = evidence.AssumeSaturated(*a.Evidence)
		a.judge(opts)
		if v := &a.Verdict; v.Cause == GPUSaturated {
			f := &v.Causes[0]
			f.Confidence, v.Confidence = min(f.Confidence, policy.ConfidenceInferred),
				min(v.Confidence, policy.ConfidenceInferred)
			f.explain("threads also wait for other threads' command buffers; "+
				"if they waited only for their own, the run would be %s: they would wait for the GPU instead",
				s.InWords())
		}
	}
	return a
}

// judge applies all rules, decides on the verdict, and predicts the gain of removing its causes unless
// opts.Unpredicted.
func (a *Analysis) judge(opts Options) {
	// the rules and the replay of the unchanged program need only the evidence, so they run concurrently
	var replayed sync.WaitGroup
	if !opts.Unpredicted {
		replayed.Go(func() {
			build := replay.New
			if opts.Gains {
				build = replay.NewForGains
			}
			a.replay = build(a.Evidence, takenByOther(a.Evidence), opts.Seed)
		})
	}
	a.Verdict = ask(a.Evidence)
	a.Verdict.nameSites(a.Evidence.Trace)
	replayed.Wait()
	if opts.Unpredicted {
		a.Verdict.decide(a.Evidence)
	} else {
		a.predict()
	}
	a.Verdict.sortCauses()
	a.Verdict.confess(a.Evidence)
}

// wouldWaitForTheGPU checks a verdict of device-wide-sync on a GPU that is always busy. If threads that waited only
// for their own work would not finish earlier, they would just wait for the GPU instead, so the GPU is the limit. In
// that case it returns the predicted gain, which is next to nothing; otherwise nil.
func (a *Analysis) wouldWaitForTheGPU() *replay.Speedup {
	v := &a.Verdict
	if v.Cause != DeviceWideSync || !a.Evidence.Occupancy.BusyThroughout(a.Evidence.Submitters.Steady) {
		return nil
	}
	if s := v.Causes[0].Speedup; s != nil && s.Estimate < policy.SerialParallelism.Value {
		return s
	}
	return nil
}

// HeldUp returns the time that threads lost to events, queue order, other programs or completion handlers. The trace
// counts this time as scheduling and notify time, but the report must not show it as launch overhead.
func (a *Analysis) HeldUp() (sum analyze.Nanos) {
	for _, c := range a.Verdict.Causes {
		switch c.Cause {
		case EventChain, HeadOfLine, ExternalGPULoad, CompletionHandlers:
			sum += c.Lost
		}
	}
	return sum
}
