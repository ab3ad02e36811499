package replay

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A program is what the threads did, in their order, stripped of the time they waited: what a replay runs again.
type program struct {
	threads   []thread
	jobs      []job
	queues    []queueOf
	engines   []int         // by device: command buffers that it ran at the same time
	crowding  []float64     // by device: how much longer each takes for each other beside it, as a share of what it takes alone
	limited   []bool        // by device: it is known that it runs no more than engines
	recorded  []run         // by thread, in the recorded run
	lasted    analyze.Nanos // the recorded run
	signals   int           // that threads give events
	needs     []int         // by signal for other threads: how many must give it
	ties      bool          // threads wait for each other's signals and give locks back where they did, see link.go
	handed    int           // locks that threads hand to each other; number 0 stands for those of which it is not known how
	fixed     bool          // waits for locks take what they took
	newest    newest
	paced     map[*analyze.Thread]bool // those that wait for their work in no call
	submitter handedOver

	kernelNames, callNames, lockNames []string                           // by number
	withRoom                          float64                            // see roomy; 0 before it was asked for
	starving                          map[*analyze.Thread]*evidence.Busy // when threads waited for what others make
	pools                             [][]int32                          // threads that take their work from one place

	onProcessors bool          // the GPU's work is done on them
	processors   int           // that the threads and the framework share; 0 when their use is not known
	used         float64       // of these, by the program, on average
	scattered    float64       // share of the bursts of work that the system does not give to the processor with the least to do
	framework    analyze.Nanos // processor time of the framework's own threads for each job that stands behind no other work
	behind       int           // jobs that stood behind other work, and were handed to the GPU by nobody
	waking       float64       // part of that which is saved where such a thread is still at work
	interrupting float64       // part of waking, for the threads' own bursts too, that is saved where no processor sleeps
	ofLaunches   float64       // part of the threads' own time, beside encoding, that command buffers take and not the work in them

	usualLatency, usualNotify           analyze.Nanos // medians of the time from ready to begun, and from the GPU's end, or its handlers', to the return of a wait
	quickLatency                        analyze.Nanos // of the tenth that lasted least
	freeLatency, freeNotify, freeCommit analyze.Nanos // medians of those that found a processor
	handOvers                           density       // all of them
	waitedFor                           analyze.Nanos // processors, by all threads of the process
	hindered                            float64       // part of what hand-overs took beyond the usual that this may explain
	unexplained                         float64       // part of what hand-overs took beyond those that found a processor that threads waited for one, and the replay does not add itself
	delay                               float64       // what the unchanged program's bursts wait for processors in a replay, for each command buffer
}

// A thread is one of the program's.
type thread struct {
	name    string
	begin   analyze.Nanos // after the first of them
	early   analyze.Nanos // the same, with the compilation before its first command buffer
	ops     []op
	jobs    []int32                      // that it commits, in its order
	inGaps  []portion                    // calls, of its own time
	inCalls [analyze.PartCount][]portion // the same of calls that are replayed by themselves, by part of a thread's time
	makes   float64                      // share of its own time in which it makes memory, or gives it back
	busy    float64                      // share of its own time, outside of waits, that it is on a processor
	lasts   bool                         // it is there for at least half of the time, and commits more than a hundredth
	paces   bool                         // and at least a quarter of what such threads usually commit
	quiet   float64                      // share of its time, outside of waits, that it would take if no other process wanted the processors
	free    float64                      // the same with a processor for every thread
	left    float64                      // share of its recorded time that is left of it without what the replay adds
}

type queueOf struct {
	capacity, device int
	most             int  // command buffers of it that the GPU ran at the same time
	limited          bool // it is known that it runs no more
}

// opKind is what a thread does.
type opKind uint8

const (
	opAcquire opKind = iota
	opEnqueue
	opCommit
	opWait
	opForeign // a wait for another thread's work
	opCompile
	opLock
	opSignal // a value given to a shared event
	opAsk    // a thread hands its work to the one that submits, and waits for the answer
	opTake   // that one waits to be asked
	opAnswer
	opGive    // a signal for other threads
	opHear    // a wait for one
	opRelease // a lock is given back
)

// An op is one step of a thread: gap of its own, then the call, which takes cost and may block.
type op struct {
	kind    opKind
	barrier bool  // a wait for an empty command buffer, behind others' work
	gives   bool  // of locks: it is known where it is given back
	job     int32 // −1 when it is not known what is waited for: then cost is all
	gap     analyze.Nanos
	cost    analyze.Nanos
	solo    analyze.Nanos // cost if no other thread held it up
	hold    analyze.Nanos // of locks: how long it is kept then
	notify  analyze.Nanos // of waits: from the GPU's end to the return
	hangs   float64       // share of gap, and of a wait for a lock all, that hangs on waits for others' work
	handed  int32         // of waits for locks, and of commits that keep one: which of the locks that threads hand to each other
	lock    int32         // which of the program's locks a wait is for, from 1 on; 0 is none
	// What is above is read in every replay, and fits into a line of a processor's cache.

	unlocked analyze.Nanos // gap if there were no locks to wait for
	encode   analyze.Nanos // part of gap that is encoding, or leads from a commit to the wait for it
	turn     analyze.Nanos // part of gap in which another thread waited for the GPU
	starved  analyze.Nanos // part of gap in which the thread waited for what another makes
	nested   analyze.Nanos // part of cost that was spent waiting for locks
	waited   analyze.Nanos // of waits: up to the completion being seen
	given    int32         // of signals: which of those that threads give
	piece    int32         // of asking, taking and answering: which piece of work is handed over; of giving and hearing: which signal
	way      int32         // as lock, of the only one that the thread waits for on its way to a call and at it
	wait     *analyze.LockWait
	signal   *analyze.Signal
}

// A job is one command buffer.
type job struct {
	queue    int32
	by       int32 // the thread that commits it
	measured bool  // the GPU's clock tells its kernels apart
	enqueued bool
	fence    bool
	duration analyze.Nanos
	alone    analyze.Nanos // of that, on a processor, if these are the GPU
	beside   float64       // share of that which goes to others beside it
	stood    analyze.Nanos // part of duration in which another program had the GPU
	latency  analyze.Nanos // from ready to begun, when the GPU had room
	held     analyze.Nanos // part of latency in which another program had it
	complete analyze.Nanos // from the GPU's end to the completion being seen
	handlers analyze.Nanos // part of complete that the program's handlers took
	after    []int32       // jobs whose events it waits for
	signals  []int32       // signals of threads that it waits for
	kernels  []portion     // of duration
}

// ops goes over what all threads do, with who does it.
func (p *program) ops() iter.Seq2[int, *op] {
	return func(yield func(int, *op) bool) {
		for t := range p.threads {
			for i := range p.threads[t].ops {
				if !yield(t, &p.threads[t].ops[i]) {
					return
				}
			}
		}
	}
}

// A jobIndex says which command buffers are jobs.
type jobIndex struct {
	buffers []*analyze.CommandBuffer // of the jobs
	of      []int32                  // by CommandBufferIndex, one more than the job; 0 for those that are none
}

// add makes the command buffer the next job.
func (x *jobIndex) add(b *analyze.CommandBuffer) {
	x.buffers = append(x.buffers, b)
	x.of[b.Index] = int32(len(x.buffers))
}

// job is the job that a command buffer is, if it is one.
func (x *jobIndex) job(i analyze.CommandBufferIndex) (job int32, known bool) {
	return x.of[i] - 1, x.of[i] > 0
}

// program extracts what the threads did; nil, and why, when there is too little, or no GPU times.
func (ev *builder) program() (p *program, why string) {
	p = &program{ties: ev.linked, scattered: policy.Scattered, interrupting: policy.Interrupting, ofLaunches: policy.OfLaunches, paced: map[*analyze.Thread]bool{}}
	window := ev.replayWindow()
	index := &jobIndex{of: make([]int32, ev.Trace.IndexCount())}
	var queues evidence.Ordered[*analyze.Queue, struct{}]
	var devices evidence.Ordered[*evidence.Device, struct{}]
	latency := ev.UsualLatency()
	completion, seen := ev.UsualCompletion()
	if !seen { // to hear of the GPU's end takes as long as to hand work over to it, and mostly longer
		completion = max(completion, latency)
	}
	overlaps := ev.Overlaps(latency)
	for b := range ev.Trace.Buffers() {
		x := ev.ReleaseOf(b.Index)
		if x == nil || !b.GPU.Known() || b.Queue == nil || b.Committed.Begin < window.Begin || b.Committed.End > window.End {
			continue
		}
		if ran := b.GPU.Within(ev.Trace.Window); ran.End < ran.Begin {
			continue // of a range of time that was asked for, it is beside it
		}
		d := ev.DeviceOf(b)
		device := devices.Number(d)
		if device == len(p.engines) {
			p.addDevice(ev, d, latency)
		}
		o, q := overlaps[b.Queue], queues.Number(b.Queue)
		if q == len(p.queues) {
			p.queues = append(p.queues, queueOf{capacity: cmp.Or(b.Queue.Capacity, evidence.DefaultCapacity), device: device, most: max(1, o.Most), limited: o.Limited})
		}
		held, stood := ev.Foreign.Took(b.Index)
		j := job{queue: int32(q), duration: b.GPU.Length(), beside: 1 - ev.UseOf(d).Crowding.Alone(b.GPU), latency: max(0, b.GPU.Begin-x.At), enqueued: b.Enqueued.Known()}
		if p.limited[device] || o.Limited { // it may have waited for other work
			j.latency = min(j.latency, latency+held)
		} else if o.Most == 1 {
			if free := o.Busy.FreeBefore(analyze.Interval{Begin: x.At, End: b.GPU.Begin}); free < j.latency { // it stood behind others, and then took a turnaround
				j.latency = min(free, latency+held)
			}
		}
		j.held, j.stood = min(held, j.latency), stood
		if b.Completed.Known() {
			j.complete = max(0, b.Completed.Begin-b.GPU.End)
			if b.Handlers > 0 {
				j.handlers = max(0, j.complete-completion)
			}
		}
		p.jobs = append(p.jobs, j)
		index.add(b)
	}
	if len(p.jobs) < policy.Pattern.Count() {
		return nil, "there are too few command buffers with GPU times"
	}
	p.handOvers.turnarounds = newHandOvers(ev.TurnaroundsBehind(latency))
	p.handOvers.turnaround = mean(p.handOvers.turnarounds.took)
	p.behind = len(p.handOvers.turnarounds.took)
	p.queuesAlike()
	p.findAlone(index.buffers)
	if !ev.linked { // where it is, who waits for a signal waits until it comes
		p.starving = ev.Starvation.When
	}
	ev.steps(p, index, window)
	ev.dependencies(p, index)
	p.findUsual()
	p.waking = p.findWaking()
	if p.rate(p.recorded) == 0 {
		return nil, "no thread commits for at least half of the run"
	}
	return p, ""
}

// queuesAlike takes what is known of one queue to hold for the others of its device: how many command buffers of a queue run at the same
// time is the driver's matter, and one queue may have been where the GPU had room when it was full, and the others not.
func (p *program) queuesAlike() {
	for d := range p.engines {
		least, most := 0, 0
		for i := range p.queues {
			if q := &p.queues[i]; q.device == d {
				if most = max(most, q.most); q.limited && (least == 0 || q.most < least) {
					least = q.most
				}
			}
		}
		for i := range p.queues {
			if q := &p.queues[i]; q.device == d && least > 0 && most <= least {
				q.most, q.limited = least, true
			}
		}
	}
}

// addDevice says how many command buffers a device runs at the same time: as many as it was seen to. That it runs no more is
// known only if ready work had to wait for it, for much of the time or many times over, or it never rested.
func (p *program) addDevice(ev *builder, d *evidence.Device, latency analyze.Nanos) {
	u := ev.UseOf(d)
	p.engines = append(p.engines, max(1, u.Capacity))
	p.crowding = append(p.crowding, u.Crowding.Slope)
	behind, waits := ev.WaitsForRoom(d, latency)
	much := evidence.Share(u.Backlog, u.Active.Length()) >= policy.Little.Value || behind >= policy.ManyBehind.Count()
	p.limited = append(p.limited, ev.Saturated && ev.Pending >= policy.Little.Value || waits && much)
}

// dependencies finds what jobs wait for on the GPU.
func (ev *builder) dependencies(p *program, index *jobIndex) {
	type given struct {
		thread *analyze.Thread
		at     analyze.Nanos
	}
	signals := map[given]int32{}
	for _, o := range p.ops() {
		if o.kind == opSignal {
			o.given = int32(p.signals)
			signals[given{o.signal.Thread, o.signal.At}] = o.given
			p.signals++
		}
	}
	for i, b := range index.buffers {
		x := ev.ReleaseOf(b.Index)
		if at, known := index.job(x.Signaler); known {
			p.jobs[i].after = append(p.jobs[i].after, at)
		}
		if at, known := signals[given{x.ByThread, x.Given}]; known && x.ByThread != nil {
			p.jobs[i].signals = append(p.jobs[i].signals, at)
		}
	}
}

// replayWindow is the middle of the run, if all of it is too much.
func (ev *builder) replayWindow() analyze.Interval {
	var commits []analyze.Nanos
	for b := range ev.Released() {
		commits = append(commits, b.Committed.Begin)
	}
	slices.Sort(commits)
	if len(commits) <= policy.MostJobs {
		return analyze.Interval{Begin: -1 << 62, End: 1 << 62}
	}
	from := (len(commits) - policy.MostJobs) / 2
	return analyze.Interval{Begin: commits[from], End: commits[from+policy.MostJobs-1]}
}
