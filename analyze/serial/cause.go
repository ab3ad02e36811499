package serial

import (
	"fmt"

	"mtrace/analyze"
)

// The verdicts of CONTRACT.md.
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
	behind    bool          // it was found by queues that run less than the GPU has room for
	aside     bool          // those who lose the time submit next to nothing
	inCommit  bool          // it was found by commits that hold each other up
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

// facts are what several rules ask for.
type facts struct {
	total        analyze.Nanos // thread time of all threads that took part
	threads      []*ThreadTime // the threads that took part
	committers   int
	busiest      DeviceUse     // the device with the most work
	busy         float64       // its busy share between its first commit and its last completion
	backlog      float64       // share of that time in which it was busy while committed work had not begun
	inLine       analyze.Nanos // thread time behind others' work in queues that run less than the GPU has room for
	saturated    bool
	perBuffer    analyze.Nanos             // mean GPU time of a command buffer
	buffers      int                       // that ran
	lockInCommit analyze.Nanos             // thread time lost to a lock that is not seen itself
	cpu          analyze.Nanos             // processor time of the processes; 0 when not known
	wall         analyze.Nanos             // the trace's window, once for each process
	processors   processors                // how the threads used them
	inFlight     map[*analyze.Thread]*Busy // when each had work in flight
	unfed        float64                   // share of the time outside of Metal in which threads had nothing in flight
	submits      map[*analyze.Thread]bool  // those that commit a fair share of the work
	occupied     float64                   // share of their time in which those have work in flight
	steady       int                       // committers of more than a hundredth of the work
	beganLate    analyze.Nanos             // thread time in waits for work that an idle GPU began late, whatever the reason
	turnsLost    analyze.Nanos             // thread time lost to a lock that shows in threads taking turns
	oneAtATime   bool                      // a process is an interpreter that runs one thread at a time
	found        map[string]analyze.Nanos  // what the rules before have found lost
}

// A rule is one cause's.
type rule func(a *Analysis, f *facts) Finding

// rules are all rules, in the order in which ties are broken. Those for what is left over ask what the ones before have found.
var rules = []rule{gpuSaturated, deviceWideSync, singleSubmitter, lockContention, interpreterLock, queueDepth, compileBound, eventChain,
	headOfLine, completionHandlers, foreignLoad, launchBound, cpuBound}

// saturatedShare is how much of its time a GPU must be busy to be called saturated.
const saturatedShare = 0.93

func (a *Analysis) facts() *facts {
	f := &facts{found: map[string]analyze.Nanos{}}
	for _, t := range a.Threads {
		if t.Submits() {
			f.threads = append(f.threads, t)
			f.total += t.Working
		}
		if t.CommandBuffers > 0 {
			f.committers++
		}
		if t.CommandBuffers*100 > len(a.Trace.CommandBuffers) {
			f.steady++
		}
	}
	f.inFlight = a.workInFlight()
	f.shares(len(a.Trace.CommandBuffers))
	f.unfed = a.unfed(f)
	a.useOfProcessors(f)
	processes := map[*analyze.Process]bool{}
	for _, t := range f.threads {
		if p := t.Thread.Process; p != nil && !processes[p] {
			processes[p] = true
			f.cpu += p.CPU
			f.wall += a.Trace.Window.Length()
			f.oneAtATime = f.oneAtATime || isInterpreter(p)
		}
	}
	for _, d := range a.GPU.Devices {
		if d.Busy > f.busiest.Busy {
			f.busiest = d
		}
	}
	f.busy = share(f.busiest.Busy, f.busiest.Active.Length())
	f.backlog = share(f.busiest.Backlog, f.busiest.Active.Length())
	f.inLine = a.timeInLine()
	// A GPU that is busy all the time has room nevertheless when it begins all work at once: then nothing is ever pending.
	f.saturated = f.busy >= saturatedShare && (f.backlog >= 0.5 || f.steady == 1 && a.GPU.Overlap < 1.05)
	for _, d := range a.deviceOrder {
		f.buffers += len(d.running)
	}
	if f.buffers > 0 {
		f.perBuffer = a.GPU.Sum / analyze.Nanos(f.buffers)
	}
	return f
}

func (f *facts) share(n analyze.Nanos) float64 { return share(n, f.total) }

// busyWords is what the GPU did, as the end of a sentence; empty when it is not known.
func (f *facts) busyWords(words string) string {
	if f.buffers == 0 {
		return ""
	}
	return fmt.Sprintf(words, percent(f.busy))
}

func percent(x float64) string { return analyze.FormatShare(x) }
