package cause

import (
	"cmp"
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// The verdicts of docs/vocabulary.md.
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

// ForeignGPULoad is a cause that is never a verdict: an external process uses the GPU, which says nothing about this
// program.
const ForeignGPULoad = "foreign-gpu-load"

// A cause is a row of the registry. Its rule, in a file of its own, is a function of the evidence alone and returns
// everything that the report states about the cause.
type cause struct {
	name string
	rule func(*evidence.Evidence) Finding
	// removes the cause in a replay; none if the finding selects the change, or says why there is none
	change replay.Change
	at     place // the calls in which threads are when the cause costs them time
	// The change stands for a better machine, not for a better program. If it gains nothing, the cause may still hold;
	// gainsNothing then names the change that would help.
	better       bool
	gainsNothing string
	// only waits for locks and signals show it, so it is not ruled out if the source does not record them
	shownByWaits bool
	tellsKernels bool // its finding lists the kernels that would shorten the run
}

// A place is a kind of calls, with words for what threads do in them.
type place struct {
	part analyze.Part // analyze.PartCount stands for waits
	verb string
}

var (
	waits    = place{analyze.PartCount, "wait"}
	locks    = place{analyze.PartLock, "wait for a lock"}
	nowhere  = place{}
	acquires = place{analyze.PartAcquire, "wait for a command buffer"}
	compiles = place{analyze.PartCompile, "compile"}
	makes    = place{analyze.PartAllocate, "allocate memory"}
)

// causes are all causes. Of causes with equal costs, the earlier one comes first.
var causes = []cause{
	{name: GPUSaturated, rule: gpuSaturated, change: replay.Change{GPU: true}, at: waits, better: true,
		gainsNothing: "a single stream of work gains from a faster GPU, not from one that runs more at once"},
	{name: DeviceWideSync, rule: deviceWideSync, change: replay.Change{Foreign: true}, at: waits},
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
	{name: ForeignGPULoad, rule: foreignLoad, change: replay.Change{Alone: true}, at: waits},
	{name: LaunchBound, rule: launchBound, change: replay.Change{Launch: true}, at: waits},
	{name: CPUBound, rule: cpuBound, change: replay.Change{Cores: true}, better: true,
		gainsNothing: "more processors would not help: the computation itself must take less time"},
	{name: GPUBound, rule: gpuBound, at: waits, tellsKernels: true},
}

// lostTo returns the cost of another cause, for rules that count only the time that no other cause explains.
func lostTo(rule func(*evidence.Evidence) Finding, ev *evidence.Evidence) analyze.Nanos {
	if r := rule(ev); r.Holds {
		return r.Lost
	}
	return 0
}

// Standing is the relation of a cause to the program.
type Standing uint8

const (
	Fault Standing = iota // a fault of the program, which a change of its code can remove
	// a fault that costs time mostly to threads that submit next to nothing, while submitting threads have work in
	// flight
	Aside
	Limit   // a limit of the machine: reported after the faults
	Outside // outside of the program: reported, but never a verdict on the program
)

// A Finding is the result of one rule for its cause.
type Finding struct {
	Cause    string
	Holds    bool          // the cause is present
	Lost     analyze.Nanos // thread time that it cost
	Explains analyze.Nanos // thread time that it explains, lost or not; findings are ranked by it; 0 means Lost
	// the thread time of which Lost is a share, if that is not the threads' working time; otherwise 0
	Of         analyze.Nanos
	Standing   Standing
	Summary    string   // one sentence, to be shown if it is the verdict
	Evidence   []string // sentences with numbers, if the cause holds
	Why        string   // why it is not the cause, if it does not hold
	Advice     string
	Confidence float64         // of the rule, 0…1
	QValue     float64         // of the statistical test that the finding is based on; 0 if there is none
	Speedup    *replay.Speedup // nil if the removal was not, or cannot be, replayed
	// the line of the program that spends the most time in it, as "train.py:42 step()"; "" if stacks were not recorded
	Place string

	Unpredicted string // the reason why there is no prediction

	at *place // nil means the place in the registry
	// the change that removes the cause, or the reason why none does; nil selects the registry's change
	without func(replayed) (replay.Change, string)
}

// proven reports whether the finding is supported: neither its statistical test nor the predicted gain of its removal
// contradicts it. A finding without a prediction is judged by its cost.
func (f *Finding) proven() bool {
	return f.QValue <= policy.FalseDiscovery.Value && (f.Speedup == nil || f.row().better || f.Speedup.Proven())
}

// Share returns the share of the threads' time that the cause costs; total is their working time.
func (f *Finding) Share(total analyze.Nanos) float64 {
	return min(1, evidence.Share(f.Lost, cmp.Or(f.Of, total)))
}

// Weight is what findings are ranked by.
func (f *Finding) Weight() analyze.Nanos { return max(f.Lost, f.Explains) }

// standAside sets the standing Aside for a fault that costs nearly all of its time to threads that submit next to
// nothing, while submitting threads have work in flight.
func (f *Finding) standAside(ev *evidence.Evidence, costs analyze.Nanos) {
	if policy.NearlyAll(costs, f.Lost) && ev.Submitters.Occupied >= policy.Most.Value {
		f.Standing = Aside
	}
}

func (f *Finding) say(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

func (f *Finding) sum(format string, args ...any) { f.Summary = fmt.Sprintf(format, args...) }

func (f Finding) not(format string, args ...any) Finding {
	return Finding{Cause: f.Cause, Why: fmt.Sprintf(format, args...), Advice: f.Advice, Confidence: f.Confidence}
}

// replayed is the information about the replay that causes need.
type replayed interface {
	// Paced reports whether threads wait for their work without a call, which shows only by the time at which they
	// resume.
	Paced() bool
	// Submits returns the number of work items that one thread submitted for others, and whether it answered most of
	// them together with others.
	Submits() (pieces int, batch bool)
	// Meets reports whether the replay knows the threads that take part in a barrier.
	Meets() bool
}

// without returns a change that does not depend on the replay.
func without(c replay.Change) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return c, "" }
}

// cannot returns the reason why no change removes a cause.
func cannot(why string) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return replay.Change{}, why }
}

// row returns the cause's row of the registry.
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
	if f.without != nil {
		return f.without(p)
	}
	if c := f.row().change; c != (replay.Change{}) {
		return c, ""
	}
	return replay.Change{}, "what the program would do without it is not in the trace"
}
