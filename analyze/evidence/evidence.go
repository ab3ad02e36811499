// Package evidence finds what a trace shows of how threads get in each other's way: how each spent its time, who waited
// for whom, what the GPU did. It knows of no causes. docs/vocabulary.md fixes the words.
package evidence

import (
	"cmp"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Evidence is what a trace shows, a field for each question.
type Evidence struct {
	Trace       *analyze.Trace
	Work        *GPUWork
	ThreadWaits *ThreadWaits
	Handover    *Handover // nil if there is no single submitter
	Completions Completions
	Queues      *QueueUses
	Times       *ThreadTimes
	Blocked     Blocked
	Matrices    Matrices
	GPU         GPU
	Tests       Tests
	released    []Release                       // by CommandBufferIndex
	Lines       map[*analyze.Queue]queueOverlap // queues that held up what was ready

	Total      analyze.Nanos // thread time of all threads that took part
	Taking     []*ThreadTime // the threads that took part
	TakesPart  map[*analyze.Thread]bool
	Committers int
	Steady     int // committers of more than a hundredth of the work
	Buffers    int // that ran
	// the device that threads wait for most, which is the one with the most work when they wait for none
	Busiest DeviceUse
	Busy    float64 // its busy share between its first commit and its last completion
	Pending float64 // share of that time in which it was busy while committed work had not begun
	// thread time behind others' work in queues that run less than the GPU has room for
	InLines analyze.Nanos
	// the more was ready for it the more it ran, so what had not begun did not wait for room
	HasRoom   bool
	Saturated bool // the GPU is what threads wait for
	// it is, though nothing waits to begin: all that is ready runs, and each takes longer beside the others
	Crowded    bool
	CPU        analyze.Nanos             // processor time of the processes; 0 when not known
	Wall       analyze.Nanos             // the trace's window, once for each process
	Processors processors                // how the threads used them
	inFlight   map[*analyze.Thread]*Busy // when each had work in flight
	Unfed      float64                   // share of the time outside of Metal in which threads had nothing in flight
	Submits    map[*analyze.Thread]bool  // those that commit a fair share of the work
	Occupied   float64                   // share of their time in which those have work in flight
	OneAtATime bool                      // a process is an interpreter that runs one thread at a time
	Foreign    foreign                   // what another program takes of the GPU
	everybody  map[*analyze.Thread]bool  // those that wait for everybody's work
	hanging    map[*analyze.Thread]*hanging
	// when a thread is at work on what hangs on such waits, and so has its interpreter's lock
	passing    map[*analyze.Process]*Busy
	Meetings   *Meetings // nil when threads do not meet
	Starvation feeding
	OwnWork    *Interference // of the threads' own work with each other's; nil when that cannot be told
}

// Options steer what is random.
type Options struct {
	Seed         uint64 // the same seed gives the same answer; 0 is as good as any
	Permutations int    // 0 is policy.Permutations
}

// Gather finds all that is asked of a trace.
func Gather(t *analyze.Trace, opts Options) *Evidence {
	if opts.Permutations == 0 {
		opts.Permutations = policy.Permutations
	}
	ev := &Evidence{Trace: t, Work: Locate(t), ThreadWaits: FindThreadWaits(t), Completions: FindCompletions(t)}
	ev.Handover = FindHandover(t, ev.ThreadWaits.Merged)
	ev.Queues = CountInFlight(t, ev.Completions)
	ev.Times = DivideTime(ev.Work, ev.ThreadWaits, ev.Handover, ev.Queues)
	ev.Blocked = FindBlocked(t, ev.ThreadWaits, ev.Queues.Full)
	ev.Matrices = WhoWaitsForWhom(ev.Work, ev.Times, ev.Handover, ev.ThreadWaits.Locks)
	ev.GPU = MeasureGPU(ev.Work, ev.Blocked)
	ev.releases()
	ev.addLoad()
	ev.exclusion(opts)
	ev.interference(opts)
	ev.adjustTests()
	ev.weigh(opts)
	return ev
}

// Totals returns what adds up over the ranges of a run.
func (ev *Evidence) Totals() *Totals {
	return &Totals{Trace: ev.Trace, Times: ev.Times, Queues: ev.Queues.All, Matrices: ev.Matrices, GPU: ev.GPU}
}

// weigh finds what several causes ask for.
func (ev *Evidence) weigh(opts Options) {
	ev.TakesPart = map[*analyze.Thread]bool{}
	for _, t := range ev.Times.Threads {
		if t.Submits() {
			ev.Taking, ev.TakesPart[t.Thread] = append(ev.Taking, t), true
		}
		if t.CommandBuffers > 0 {
			ev.Committers++
		}
		if policy.MoreThan(policy.Negligible, t.CommandBuffers, len(ev.Trace.CommandBuffers)) {
			ev.Steady++
		}
	}
	ev.Total = ev.Times.Working()
	ev.inFlight = workInFlight(ev.Trace, ev.Completions)
	ev.shares()
	ev.Unfed = ev.shareUnfed()
	ev.Meetings = ev.findMeetings()
	ev.useOfProcessors()
	processes := map[*analyze.Process]bool{}
	for _, t := range ev.Taking {
		if p := t.Thread.Process; p != nil && !processes[p] {
			processes[p] = true
			ev.CPU += p.CPU
			ev.Wall += ev.Trace.Window.Length()
			ev.OneAtATime = ev.OneAtATime || isInterpreter(p)
		}
	}
	ev.Busiest = ev.busiestDevice()
	ev.Busy = Share(ev.Busiest.Busy, ev.Busiest.Active.Length())
	ev.Pending = Share(ev.Busiest.Backlog, ev.Busiest.Active.Length())
	ev.InLines = SumOf(analyze.Each(ev.Trace.Waits), ev.InLine)
	// A GPU that is busy all the time has room nevertheless when it begins all work at once: then nothing is ever pending.
	// What others hand to the only thread that commits waits for that thread, whether the GPU has room for it or not.
	ev.HasRoom = ev.Busiest.Growth >= policy.Growth.Value
	ev.Crowded = policy.Saturated(ev.Busy) && ev.Busiest.Crowding.Slope >= policy.DominantShare.Value &&
		ev.Busiest.Crowding.Beside >= policy.LargeShare.Value
	ev.Saturated = ev.Crowded || policy.Saturated(ev.Busy) && ev.Pending >= policy.Most.Value && !ev.HasRoom
	for _, d := range ev.Work.Devices {
		ev.Buffers += len(d.running)
	}
	ev.Foreign = ev.findForeign()
	ev.everybody = ev.waitForEverybody()
	ev.hanging, ev.passing = ev.whatHangs()
	ev.Starvation = ev.findStarvation()
	ev.OwnWork = ev.interferenceOfOwnWork(opts)
}

// WaitingForTheGPU is the evidence as it is where the GPU is what threads wait for, though they would wait for
// something else first.
func (ev *Evidence) WaitingForTheGPU() *Evidence {
	other := *ev
	other.Saturated, other.Starvation = true, feeding{}
	return &other
}

// busiestDevice is the device that the threads' waits are for, by their time; of equals the one with the most work.
func (ev *Evidence) busiestDevice() (most DeviceUse) {
	if len(ev.GPU.Devices) == 1 {
		return ev.GPU.Devices[0]
	}
	waited := map[*analyze.Device]analyze.Nanos{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if w.Buffer != analyze.NoCommandBuffer {
			waited[ev.Work.Of(ev.Trace.WaitsFor(w)).Model] += w.Length()
		}
	}
	for _, d := range ev.GPU.Devices {
		if c := cmp.Compare(waited[d.Device], waited[most.Device]); most.Busy == 0 || c > 0 || c == 0 && d.Busy > most.Busy {
			most = d
		}
	}
	return most
}

// Share is a part of the time of the threads that took part.
func (ev *Evidence) Share(n analyze.Nanos) float64 { return Share(n, ev.Total) }

// BusyThroughout says whether the GPU is always busy with the work of several threads, though, as they wait for each
// other, not always with more of it ready.
func (ev *Evidence) BusyThroughout() bool {
	return !ev.Saturated && policy.Saturated(ev.Busy) && ev.Pending >= policy.LargeShare.Value && ev.Steady >= 2
}
