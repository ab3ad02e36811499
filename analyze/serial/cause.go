package serial

import (
	"fmt"

	"mtrace/analyze"
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
	EventChain         = "event-chain"
	HeadOfLine         = "head-of-line"
	CompletionHandlers = "completion-handlers"
	Starvation         = "starvation"
	Imbalance          = "imbalance"
	GPUBound           = "gpu-bound"
	CPUBound           = "cpu-bound"
	None               = "none"
)

// ForeignGPULoad is a cause that is no verdict: another program has the GPU, which says nothing about this one.
const ForeignGPULoad = "foreign-gpu-load"

// A Finding is what one rule says of its cause.
type Finding struct {
	Cause      string
	Holds      bool          // the rule found the cause at work
	Lost       analyze.Nanos // thread time that it cost
	Evidence   []string      // sentences, with numbers; for a cause that holds
	Why        string        // why it is not the cause; for one that does not hold
	Advice     string
	Confidence float64  // of the rule, 0…1
	Speedup    *Speedup // nil when it was not, or cannot be, replayed

	Unpredicted string // why it was not

	turns     bool          // it was found by threads taking turns, not by its own records
	byThreads bool          // threads signal the events that are waited for
	outside   bool          // it is not of the program's own doing: reported, and no verdict on the program
	lock      string        // the one that cost most; empty when it is not in the trace
	behind    bool          // it was found by queues that run less than the GPU has room for
	aside     bool          // those who lose the time submit next to nothing
	inCommit  bool          // it was found by commits that hold each other up
	slowest   string        // whom threads wait for most; empty when the cause is not of that kind
	limit     bool          // of the machine: it is told after the faults of the program
	unseen    analyze.Nanos // part of explains in which threads were not seen to wait
	explains  analyze.Nanos // thread time that it explains, lost or not: what findings are ranked by; 0 is Lost
}

// A Speedup is the predicted speed-up if a cause were removed, with an interval.
type Speedup struct{ Estimate, Low, High float64 }

// weight is what findings are ranked by.
func (f *Finding) weight() analyze.Nanos { return max(f.Lost, f.explains) }

func (f *Finding) say(format string, args ...any) {
	f.Evidence = append(f.Evidence, fmt.Sprintf(format, args...))
}

func (f Finding) not(format string, args ...any) Finding {
	f.Holds, f.Lost, f.Why, f.Evidence = false, 0, fmt.Sprintf(format, args...), nil
	return f
}

// A rule is one cause's.
type rule func(a *Analysis, f *facts) Finding

// rules are all rules, in the order in which ties are broken. Those for what is left over ask what the ones before have found.
var rules = []rule{gpuSaturated, deviceWideSync, singleSubmitter, lockContention, interpreterLock, queueDepth, compileBound, eventChain,
	headOfLine, completionHandlers, imbalance, starvation, foreignLoad, launchBound, cpuBound, gpuBound}
