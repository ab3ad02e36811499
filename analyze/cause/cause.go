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

// ForeignGPULoad is a cause that is no verdict: another program has the GPU, which says nothing about this one.
const ForeignGPULoad = "foreign-gpu-load"

// A cause is a row of the registry. Its rule, in a file of its own, is a function of the evidence alone and returns
// everything that the report states about the cause.
type cause struct {
	name   string
	rule   func(*evidence.Evidence) Finding
	change replay.Change // what takes it out of a replay; no change where the finding says which, or why there is none
	at     place         // where threads are when it costs them time
	// The change is a better machine, not a program without the cause: that it brings nothing says nothing against the
	// cause. If it brings nothing, gainsNothing says what the run would need instead.
	better       bool
	gainsNothing string
	shownByWaits bool // only waits for locks and signals show it: where those are not recorded it is not ruled out
	tellsKernels bool // its finding lists the kernels that would shorten the run
}

// A place is a kind of calls, and what threads do in them.
type place struct {
	part analyze.Part // analyze.PartCount is waits
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

// causes are all causes, in the order in which ties are broken.
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

// lostTo is what another cause costs, for a rule that asks for what is left over.
func lostTo(rule func(*evidence.Evidence) Finding, ev *evidence.Evidence) analyze.Nanos {
	if r := rule(ev); r.Holds {
		return r.Lost
	}
	return 0
}

// Standing is what a cause is to the program.
type Standing uint8

const (
	Fault Standing = iota // of the program: what its code can mend
	// a fault, which costs time to those only who submit next to nothing, while those who submit have work in flight
	Aside
	Limit   // of the machine: it is reported after the faults
	Outside // not of the program's own doing: it is reported, and is no verdict on the program
)

// A Finding is what one rule says of its cause.
type Finding struct {
	Cause    string
	Holds    bool          // the rule found the cause at work
	Lost     analyze.Nanos // thread time that it cost
	Explains analyze.Nanos // thread time that it explains, lost or not: what findings are ranked by; 0 is Lost
	// the thread time that Lost is a share of, unless that is the threads' working time; otherwise 0
	Of         analyze.Nanos
	Standing   Standing
	Summary    string   // one sentence, as the verdict
	Evidence   []string // sentences, with numbers; for a cause that holds
	Why        string   // why it is not the cause; for one that does not hold
	Advice     string
	Confidence float64         // of the rule, 0…1
	QValue     float64         // of the statistical test that the finding rests on; 0 where it rests on none
	Speedup    *replay.Speedup // nil when it was not, or cannot be, replayed
	// the line of the program that spends the most time in it, as "train.py:42 step()"; "" if stacks were not recorded
	Place string

	Unpredicted string // why it was not

	at *place // nil is that of the registry
	// the change that removes the cause, or the reason why none does; nil selects the registry's change
	without func(replayed) (replay.Change, string)
}

// proven reports whether neither the finding's statistical test nor the predicted gain of its removal contradicts it.
// A finding without a prediction is judged by its cost.
func (f *Finding) proven() bool {
	return f.QValue <= policy.FalseDiscovery.Value && (f.Speedup == nil || f.row().better || f.Speedup.Proven())
}

// Share is the part of the threads' time that the cause costs; total is their working time.
func (f *Finding) Share(total analyze.Nanos) float64 {
	return min(1, evidence.Share(f.Lost, cmp.Or(f.Of, total)))
}

// Weight is what findings are ranked by.
func (f *Finding) Weight() analyze.Nanos { return max(f.Lost, f.Explains) }

// standAside tells a fault last that costs nearly all of its time to those who submit next to nothing, while those who
// submit have work in flight.
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

// replayed is what a cause asks the replayed program.
type replayed interface {
	// Paced reports whether threads wait for their work without a call, which shows in when they resume.
	Paced() bool
	// Submits is how many pieces of work one thread submitted for others, and whether it gave most answers together with
	// others.
	Submits() (pieces int, batch bool)
	// Meets says whether the replay knows which threads meet at a barrier.
	Meets() bool
}

// without is a change that is known before the replay is.
func without(c replay.Change) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return c, "" }
}

// cannot is why nothing takes a cause out.
func cannot(why string) func(replayed) (replay.Change, string) {
	return func(replayed) (replay.Change, string) { return replay.Change{}, why }
}

// row is the cause's row of the registry.
func (f *Finding) row() *cause {
	for i := range causes {
		if causes[i].name == f.Cause {
			return &causes[i]
		}
	}
	return &cause{}
}

// removal is the change that takes the finding's cause out, or why there is none.
func (f *Finding) removal(p replayed) (replay.Change, string) {
	if f.without != nil {
		return f.without(p)
	}
	if c := f.row().change; c != (replay.Change{}) {
		return c, ""
	}
	return replay.Change{}, "what the program would do without it is not in the trace"
}
