// Package evidence finds what a trace shows of how threads get in each other's way: how each spent its time, who waited
// for whom, what the GPU did. It knows of no causes. docs/vocabulary.md fixes the words.
package evidence

import (
	"cmp"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Evidence is what a trace shows, computed once; nothing writes to it afterwards.
type Evidence struct {
	Trace   *analyze.Trace
	Threads []*ThreadTime
	Queues  []*QueueUse
	GPU     GPU
	// waits for work that another thread committed, or was given to commit, and for locks that it held
	WaitMatrix   *Matrix
	QueuedMatrix *Matrix // waits for own work, while the GPU ran another thread's
	LockMatrix   *Matrix // waits for locks that another thread held
	Exclusion    []Exclusion
	Interference []Interference
	Warnings     []string

	times       map[*analyze.Thread]*ThreadTime // Threads
	devices     map[*analyze.Device]*Device
	deviceOrder []*Device
	released    []Release // by CommandBufferIndex
	// return of the first wait for it, where its completion is not in the trace; else 0
	waitedFor   map[analyze.CommandBufferIndex]analyze.Nanos
	FullQueue   []acquisition // creations of command buffers that blocked on a full queue
	spans       map[*analyze.Thread]spansOf
	Lines       map[*analyze.Queue]queueOverlap // queues that held up what was ready
	Locks       []analyze.LockWait              // those that are not for work
	SignalWaits []analyze.SignalWait            // with waits for what looks like a lock and is a queue of work
	ForSignals  []analyze.SignalWait            // SignalWaits, those of a thread that waited again at once as one
	forWork     map[*analyze.Thread]idleTime
	Handover    *handover // nil when there is no single submitter

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
	ev := Divide(t)
	ev.useOfQueues()
	ev.matrices()
	ev.findSpans()
	ev.releases()
	ev.gpu()
	ev.exclusion(opts)
	ev.interference(opts)
	ev.adjustTests()
	ev.weigh(opts)
	return ev
}

// Locate finds only what the GPUs did, so that waits can be divided by Split and Place.
func Locate(t *analyze.Trace) *Evidence {
	ev := &Evidence{Trace: t}
	ev.findDevices()
	return ev
}

// Divide finds only how each thread spent its time, and can Split waits: what takes little time, for outputs.
func Divide(t *analyze.Trace) *Evidence {
	ev := locateAndSort(t)
	ev.partition()
	return ev
}

// DivideSlice finds of a slice of a run what adds up, by Total.AddSlice, to how each thread spent its time, and can
// Split its waits. Nothing is divided yet: who writes slices divides each wait anyway.
func DivideSlice(t *analyze.Trace) *Evidence {
	ev := locateAndSort(t)
	ev.timesInSlice()
	return ev
}

// locateAndSort finds what the GPUs did, and what threads waited for signals for.
func locateAndSort(t *analyze.Trace) *Evidence {
	ev := Locate(t)
	ev.sortLocks()
	ev.ForSignals = signalWaits(ev.SignalWaits)
	ev.Handover = ev.findHandover()
	return ev
}

// Measure finds what adds up over the parts of a run (analyze.Options.Adds): how threads spent their time, who waited
// for whom, what queues and GPUs did. It takes little time; there are no tests in it.
func Measure(t *analyze.Trace) *Evidence {
	ev := Divide(t)
	ev.useOfQueues()
	ev.matrices()
	ev.findSpans()
	ev.measureGPU()
	return ev
}

// weigh finds what several causes ask for.
func (ev *Evidence) weigh(opts Options) {
	ev.TakesPart = map[*analyze.Thread]bool{}
	for _, t := range ev.Threads {
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
	ev.Total = ev.ThreadTimeTotal()
	ev.inFlight = ev.workInFlight()
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
	for _, d := range ev.deviceOrder {
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
			waited[ev.DeviceOf(ev.Trace.WaitsFor(w)).Model] += w.Length()
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

// ThreadTimeTotal is the working time of all threads that took part in the GPU's work: what shares of lost time are of.
func (ev *Evidence) ThreadTimeTotal() (sum analyze.Nanos) {
	for _, t := range ev.Threads {
		if t.Submits() {
			sum += t.Working
		}
	}
	return sum
}

// Sum is the working time of all threads that took part in the GPU's work in one part.
func (ev *Evidence) Sum(p analyze.Part) (sum analyze.Nanos) {
	for _, t := range ev.Threads {
		if t.Submits() {
			sum += t.WorkTime[p]
		}
	}
	return sum
}

// BusyThroughout says whether the GPU is always busy with the work of several threads, though, as they wait for each
// other, not always with more of it ready.
func (ev *Evidence) BusyThroughout() bool {
	return !ev.Saturated && policy.Saturated(ev.Busy) && ev.Pending >= policy.LargeShare.Value && ev.Steady >= 2
}
