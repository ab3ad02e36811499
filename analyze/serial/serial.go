// Package serial says how the threads of a trace get in each other's way: how each spent its time, who waited for whom, what the
// GPU did, and which cause explains the time that was lost. docs/vocabulary.md fixes the words.
package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// An Analysis is the answer for one trace.
type Analysis struct {
	Trace        *analyze.Trace
	Threads      []*ThreadTime
	Queues       []*QueueUse
	GPU          GPU
	WaitMatrix   *Matrix // waits for work that another thread committed, or was given to commit, and for locks that it held
	QueuedMatrix *Matrix // waits for own work, while the GPU ran another thread's
	LockMatrix   *Matrix // waits for locks that another thread held
	Exclusion    []Exclusion
	Interference []Interference
	Verdict      Verdict
	Path         Path
	Chains       []Chain
	ReplayError  float64 // how much longer the replay of the unchanged program takes than the recorded run, as a share; 0 when none was made
	Warnings     []string

	devices        map[*analyze.Device]*device
	deviceOrder    []*device
	released       map[*analyze.CommandBuffer]*release
	waitedFor      map[*analyze.CommandBuffer]analyze.Nanos // return of the first wait for it, where its completion is not in the trace
	fullQueue      []acquisition                            // creations of command buffers that blocked on a full queue
	blockedOnQueue map[*analyze.CommandBuffer]bool          // its creation had to wait for a full queue
	spans          map[*analyze.Thread]*spansOf
	lines          map[*analyze.Queue]*line // queues that held up what was ready
	forSignals     []analyze.SignalWait     // those of a thread that waited again at once as one
	handover       *handover                // nil when there is no single submitter
	replayed       *replayable              // nil where the trace has no waits
}

// Options steer what is random in the analysis.
type Options struct {
	Seed         uint64 // the same seed gives the same answer; 0 is as good as any
	Permutations int    // 0 is policy.Permutations
	Unpredicted  bool   // replay nothing, and predict nothing
}

// Analyze answers for one trace.
func Analyze(t *analyze.Trace, opts Options) *Analysis {
	if opts.Permutations == 0 {
		opts.Permutations = policy.Permutations
	}
	a := &Analysis{Trace: t}
	a.divide()
	a.useOfQueues()
	a.matrices()
	a.findSpans()
	a.releases()
	a.gpu()
	a.exclusion(opts)
	a.interference(opts)
	a.adjustTests()
	f := a.facts()
	if a.waitless() {
		a.decideWaitless(f)
		return a
	}
	a.judge(f, opts)
	if s := a.wouldWaitForTheGPU(f); s != nil {
		f = a.facts()
		f.saturated, f.withoutSync = true, s
		a.Verdict, a.replayed = Verdict{}, nil
		a.judge(f, opts)
	}
	return a
}

// judge gives the verdict, and says what removing its causes would bring.
func (a *Analysis) judge(f *facts, opts Options) {
	a.decide(f)
	a.confess(f)
	a.nameSites()
	a.Path = a.criticalPath(f)
	a.Chains = a.chains()
	if !opts.Unpredicted {
		a.whatIf(f, opts)
	}
}

// wouldWaitForTheGPU is what threads would gain that wait for everybody's work on a GPU that is always busy, if they waited for their own
// only, and that is next to nothing: then they would wait for the GPU instead, which is the limit. It is nil when that is not so.
func (a *Analysis) wouldWaitForTheGPU(f *facts) *Speedup {
	v := &a.Verdict
	if v.Cause != DeviceWideSync || f.saturated || f.busy < policy.Saturated.Value || f.backlog < policy.Much.Value || f.steady < 2 {
		return nil
	}
	if s := v.Causes[0].Speedup; s != nil && s.Estimate < policy.OneProcessor.Value {
		return s
	}
	return nil
}

// Divide answers only how each thread spent its time, and can Split waits: what takes little time, for outputs.
func Divide(t *analyze.Trace) *Analysis {
	a := &Analysis{Trace: t}
	a.divide()
	return a
}

// divide finds how each thread spent its time.
func (a *Analysis) divide() {
	a.findDevices()
	a.forSignals = signalWaits(a.Trace.SignalWaits, func(*analyze.Thread) analyze.Nanos { return policy.Wakeup.Nanos() })
	a.handover = a.findHandover()
	a.partition()
}

// ThreadTimeTotal is the working time of all threads that took part in the GPU's work: what shares of lost time are of.
func (a *Analysis) ThreadTimeTotal() (sum analyze.Nanos) {
	for _, t := range a.Threads {
		if t.Submits() {
			sum += t.Working
		}
	}
	return sum
}

// Sum is the working time of all threads that took part in the GPU's work in one part.
func (a *Analysis) Sum(p analyze.Part) (sum analyze.Nanos) {
	for _, t := range a.Threads {
		if t.Submits() {
			sum += t.WorkTime[p]
		}
	}
	return sum
}

// LaunchTime is the thread time that it usually takes to hand over one command buffer and to hear back: encoding, committing,
// scheduling and notify. Those that something held up do not count.
func (a *Analysis) LaunchTime() analyze.Nanos {
	launch, _ := a.typicalLaunch()
	return launch
}

// DispatchTime is the thread time that it takes to encode one dispatch, with what is set for it.
func (a *Analysis) DispatchTime() analyze.Nanos {
	dispatches := 0
	for _, t := range a.Threads {
		dispatches += t.Dispatches
	}
	return a.Sum(analyze.PartEncode) / analyze.Nanos(max(1, dispatches))
}

// HeldUp is the part of the threads' time in scheduling and notify that causes other than launching cost.
func (a *Analysis) HeldUp() (sum analyze.Nanos) {
	for _, c := range a.Verdict.Causes {
		switch c.Cause {
		case EventChain, HeadOfLine, ForeignGPULoad, CompletionHandlers:
			sum += c.Lost
		}
	}
	return sum
}
