package cause

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// The names of the verdicts, as docs/terms.md defines them. Users' scripts match them, so they must not change.
const (
	DeviceWideSync     = "device-wide-sync"
	GPUSaturated       = "gpu-saturated"
	LockContention     = "lock-contention"
	InterpreterLock    = "interpreter-lock"
	SingleSubmitter    = "single-submitter"
	QueueDepth         = "queue-depth"
	LaunchBound        = "launch-bound"
	CompileBound       = "compile-bound"
	AllocationBound    = "allocation-bound"
	EventChain         = "event-chain"
	HeadOfLine         = "head-of-line"
	CompletionHandlers = "completion-handlers"
	Starvation         = "starvation"
	Imbalance          = "imbalance"
	Polling            = "polling"
	GPUBound           = "gpu-bound"
	CPUBound           = "cpu-bound"
	None               = "none"
)

// ExternalGPULoad is a cause but never a verdict: that an external process uses the GPU says nothing about this
// program.
const ExternalGPULoad = "foreign-gpu-load"

// A cause is a row of the table of causes. Its rule looks at the evidence alone and returns everything that the
// report states about the cause.
type cause struct {
	name string
	rule func(*evidence.Evidence) Finding
	// the change to the program that removes the cause in a replay (a simulation of the recorded run). The zero value
	// means that the change depends on the finding: Finding.removalChange then returns it, or the reason why nothing
	// removes the cause
	change replay.Change
	at     callGroup // the calls in which threads are when the cause costs them time
	// better is true if the change models a better machine, for example a faster GPU, instead of a better program. If
	// the replay predicts no gain from such a change, the cause may still hold; gainsNothing then tells the user what
	// would help instead.
	better       bool
	gainsNothing string
	// only recorded waits for locks and signals reveal the cause: a trace without these waits cannot rule it out
	shownByWaits bool
	tellsKernels bool // its finding lists the kernels that would shorten the run
}

// A callGroup is a group of calls in which a cause costs time. The verb describes what threads do in these calls.
type callGroup struct {
	part analyze.Part // analyze.PartCount stands for waits
	verb string
}

var (
	waits    = callGroup{analyze.PartCount, "wait"}
	locks    = callGroup{analyze.PartLock, "wait for a lock"}
	nowhere  = callGroup{}
	acquires = callGroup{analyze.PartAcquire, "wait for a command buffer"}
	compiles = callGroup{analyze.PartCompile, "compile"}
	makes    = callGroup{analyze.PartAllocate, "allocate memory"}
)

// causes is the table of all causes. Of two causes that cost the same, the earlier in the table comes first.
var causes = []cause{
	{name: GPUSaturated, rule: gpuSaturated, change: replay.Change{GPU: true}, at: waits, better: true,
		gainsNothing: "a single stream of work gains from a faster GPU, not from one that runs more at once"},
	{name: DeviceWideSync, rule: deviceWideSync, change: replay.Change{CrossThread: true}, at: waits},
	{name: SingleSubmitter, rule: singleSubmitter, at: waits, shownByWaits: true},
	{name: LockContention, rule: lockContention, change: replay.Change{Locks: true}, at: locks, shownByWaits: true},
	{name: InterpreterLock, rule: interpreterLock, change: replay.Change{Locks: true}, at: locks, shownByWaits: true},
	{name: QueueDepth, rule: queueDepth, change: replay.Change{Depth: true}, at: acquires},
	{name: CompileBound, rule: compileBound, change: replay.Change{Compile: true}, at: compiles},
	{name: AllocationBound, rule: allocationBound, change: replay.Change{Allocate: true}, at: makes},
	{name: EventChain, rule: eventChain, change: replay.Change{Events: true}, at: waits},
	{name: HeadOfLine, rule: headOfLine, change: replay.Change{Head: true}, at: waits},
	{name: CompletionHandlers, rule: completionHandlers, change: replay.Change{Handlers: true}, at: waits},
	{name: Polling, rule: pollingRule, change: replay.Change{Polls: true}, at: waits},
	{name: Imbalance, rule: imbalance, shownByWaits: true},
	{name: Starvation, rule: starvation, change: replay.Change{Fed: true}, shownByWaits: true},
	{name: ExternalGPULoad, rule: externalLoad, change: replay.Change{NoExternalUse: true}, at: waits},
	{name: LaunchBound, rule: launchBound, change: replay.Change{Launch: true}, at: waits},
	{name: CPUBound, rule: cpuBound, change: replay.Change{Cores: true}, better: true,
		gainsNothing: "more processors would not help: the computation itself must take less time"},
	{name: GPUBound, rule: gpuBound, at: waits, tellsKernels: true},
}

// lostTo returns what another cause costs, or 0 if it does not hold. Rules subtract it, so that no time counts for
// two causes.
func lostTo(rule func(*evidence.Evidence) Finding, ev *evidence.Evidence) analyze.Nanos {
	if r := rule(ev); r.Present {
		return r.Lost
	}
	return 0
}

// Standing tells whether a cause is the program's fault. It decides which findings come first in the report.
type Standing uint8

const (
	Fault Standing = iota // a fault of the program, which a change of its code can remove
	// a fault that mostly delays threads which hardly ever commit, while the submitting threads keep the GPU supplied
	// with work
	Aside
	Limit   // a limit of the machine: reported after the faults
	Outside // outside of the program: reported, but never a verdict on the program
)

// A Finding is the result of one rule: whether its cause holds, what it costs, and the sentences of the report about
// it.
type Finding struct {
	Cause    string
	Present  bool          // the cause is present
	Lost     analyze.Nanos // thread time that it cost
	Explains analyze.Nanos // thread time that it explains, lost or not; findings are ranked by it; 0 means Lost
	// the time by which Lost is divided to get Share; 0 means the threads' working time
	Of         analyze.Nanos
	Standing   Standing
	Summary    string   // one sentence, to be shown if it is the verdict
	Evidence   []string // sentences with numbers, if the cause holds
	Why        string   // why it is not the cause, if it does not hold
	Advice     string
	Confidence float64         // the rule's confidence in the finding, 0 to 1
	QValue     float64         // q-value of the statistical test that the finding is based on; 0 if there is none
	Speedup    *replay.Speedup // nil if the removal was not, or cannot be, replayed
	// the line of the program that costs most of the time, as "train.py:42 step()"; "" if stacks were not recorded
	Site string
	// for locks: the line in which their holders spent most of the time that others waited; "" if not known. The
	// callers are the lines that called it, innermost first
	HolderSite    string
	HolderCallers []string
	HolderCall    *evidence.HolderCall // a call of a holder there, during a wait for its lock; nil if not known

	Unpredicted string // the reason why there is no prediction

	at    *callGroup         // nil means the place in the registry
	sites []analyze.CallSite // where it costs time; nil means all calls of that place
	// returns the change that removes the cause in the replay, or the reason why there is none. nil means that the table
	// of causes has the change
	removalChange func(replayed) (replay.Change, string)
}

// proven reports whether nothing contradicts the finding: its statistical test is significant, and the predicted gain
// of its removal is larger than the prediction's error. A finding without a test or prediction passes. For a limit of
// the machine (row().better) the prediction does not matter: a better machine may gain nothing.
func (f *Finding) proven() bool {
	return f.QValue <= policy.FalseDiscovery.Value && (f.Speedup == nil || f.row().better || f.Speedup.Proven())
}

// Share returns the share (0 to 1) of the threads' time that the cause costs. `total` is the threads' working time.
func (f *Finding) Share(total analyze.Nanos) float64 {
	return min(1, evidence.Share(f.Lost, cmp.Or(f.Of, total)))
}

// Weight returns the time by which findings are ranked: what the cause costs or explains, whichever is more.
func (f *Finding) Weight() analyze.Nanos { return max(f.Lost, f.Explains) }

// standAside sets the standing Aside if threads with very few commits bear nearly all of the fault's cost (`costs` is
// their part), while the submitting threads have work in flight. Such a fault delays the GPU little, so the report
// lists it after other faults.
func (f *Finding) standAside(ev *evidence.Evidence, costs analyze.Nanos) {
	if policy.NearlyAll(costs, f.Lost) && ev.Submitters.Occupied >= policy.Majority.Value {
		f.Standing = Aside
	}
}

func (f *Finding) explain(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

func (f *Finding) summarize(format string, args ...any) { f.Summary = fmt.Sprintf(format, args...) }

func (f Finding) reject(format string, args ...any) Finding {
	return Finding{Cause: f.Cause, Why: fmt.Sprintf(format, args...), Advice: f.Advice, Confidence: f.Confidence}
}

// replayed is what a finding needs to know about the replay (the simulation of the run) to choose the change that
// removes its cause.
type replayed interface {
	// Paced reports whether threads wait for their GPU work without a recorded call, for example by polling.
	Paced() bool
	// Submits returns how many requests of other threads one thread submitted, and whether it answered most of them
	// in batches.
	Submits() (pieces int, batch bool)
	// Meets reports whether the replay reproduces a barrier that threads pass together.
	Meets() bool
}

// removedBy returns a function for the field Finding.removalChange that always returns the change c. It is for changes
// that do not depend on the replay.
func removedBy(c replay.Change) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return c, "" }
}

// notRemovable returns a function for the field Finding.removalChange that always returns the reason why no change
// removes the cause.
func notRemovable(why string) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return replay.Change{}, why }
}

// row returns the row of the finding's cause in the table of causes, or an empty one.
func (f *Finding) row() *cause {
	for i := range causes {
		if causes[i].name == f.Cause {
			return &causes[i]
		}
	}
	return &cause{}
}

// removal returns the change that removes the finding's cause, or the reason why there is none.
func (f *Finding) removal(p replayed) (replay.Change, string) {
	if f.removalChange != nil {
		return f.removalChange(p)
	}
	if c := f.row().change; c != (replay.Change{}) {
		return c, ""
	}
	return replay.Change{}, "the trace does not show what the program would do without this cause"
}
