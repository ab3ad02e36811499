package replay

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A Change is what a replay leaves out of the recorded program.
type Change struct {
	Foreign  bool // no waits for others' work
	Depth    bool // queues of any depth
	Compile  bool // no compilation, which a process of its own does that takes processors
	Allocate bool // no making and giving back of memory
	Events   bool // no waits for events on the GPU
	Head     bool // no holding up by command buffers that are enqueued and not committed
	Handlers bool // completion handlers that take no time
	Launch   bool // a sixteenth of the time for encoding, committing, starting, notifying: as much work in fewer command buffers
	Turns    bool // no waiting, outside of Metal, for another thread to have done waiting for the GPU
	Locks    bool // no waits for locks, seen or hidden in commit
	GPU      bool // a GPU that runs everything at once
	Apart    bool // threads that submit for themselves what one submitted for them
	Cores    bool // a processor for every thread's own work
	room     bool // GPUs and queues that are not known to be limited run everything at once
	Lines    bool // a queue for each command buffer: nothing stands behind others in one
	Alone    bool // GPUs that no other program has
	Fed      bool // always something there of what threads wait for where the GPU has nothing to do meanwhile
	scale    *scale
}

// unchanged says whether nothing is left out. What is only faster hinders the hand-overs as before.
func (c Change) unchanged() bool {
	c.room, c.scale = false, nil
	return c == Change{}
}

// A playing runs a program again: every thread does what it did in its order, queues keep their order, work on the GPU takes as
// long as it took. What waits, waits for the replayed cause and not for the recorded time, and what runs shares the machine's
// processors: waits that vanish are not all gain when there are not enough of them.
type playing struct {
	*program
	Change
	now      analyze.Nanos
	seq      int
	events   agenda[replayEvent]
	cores    cores
	threads  []threadState
	jobs     []jobState
	queues   []queueState
	locked   []lockState
	given    []bool // by signal
	services []service
	heard    []heard
	running  []int           // by device
	gpus     []server[int32] // by device: what runs on it, where that takes longer beside other work
	done     []run           // by thread
	horizon  analyze.Nanos   // when the first of the threads that set the pace had done all; 0 before
	open     int             // threads that have not done all, and had no command buffer end since the horizon
	before   delayed         // of the framework's bursts before the GPU
	after    delayed         // and after it
	onGPU    analyze.Nanos   // of the GPU's own where that is made of processors
	waited   []analyze.Nanos // by thread, what its own bursts were delayed
}

// A run is what a thread has done of its program.
type run struct {
	begun   analyze.Nanos
	commits []analyze.Nanos // when
	done    []analyze.Nanos // when its command buffers ended on the GPU, fences left out, in ascending order
	ended   analyze.Nanos   // when it and the GPU had done all; 0 before
}

// delayed is what bursts of one kind waited for processors, and how many there were.
type delayed struct {
	sum analyze.Nanos
	n   int
}

func (d delayed) mean() analyze.Nanos { return d.sum / analyze.Nanos(max(1, d.n)) }

type threadState struct {
	next     int
	inFlight int     // of its command buffers
	turns    []int32 // what it waited for that it had committed last
	closed   bool    // one has ended since the horizon, or all is done
	behind   int32   // one more than the thread that began to wait for the same job next; 0 is none
}

type jobState struct {
	ready, done, seen   bool
	behind              bool          // it stood behind other work when it was committed
	watching            int           // bursts of the framework for it, while it runs, that are under way
	eligible, end, late analyze.Nanos // late is what its completion waited for a processor
	stood               analyze.Nanos // what its work did
	waiter, last        int32         // one more than the threads that were the first and the last to begin to wait for it; 0 is none
}

type queueState struct {
	used    int
	running int
	order   line
	waiting line
	awake   int // bursts of the framework's threads for it that are under way
}

type replayEvent struct {
	at   analyze.Nanos
	work analyze.Nanos // that wants a processor before it happens
	seq  int
	kind uint8
	id   int32
}

const (
	evThread   uint8 = iota // the thread begins its next call
	evOver                  // the thread's call is over
	evCommit                // the thread's commit is done
	evReady                 // the framework has handed a job to the GPU
	evEnd                   // the GPU has done a job
	evSeen                  // the framework has seen that
	evComplete              // the job's completion handlers have returned, and its place in the queue is free
	evUnlock                // a lock is given back
	evNoticed               // the framework is ready to see that
)

// play replays the program with a change, to the end of the first of its threads that last, and a little beyond. It is false when
// the threads wait for each other for ever.
func (p *program) play(c Change) (*playing, bool) {
	if c.Apart {
		p = p.apart()
	}
	if c.Fed {
		p = p.dealt()
	}
	r := &playing{program: p, Change: c, threads: make([]threadState, len(p.threads)), jobs: make([]jobState, len(p.jobs)),
		queues: make([]queueState, len(p.queues)), locked: make([]lockState, p.handed), given: make([]bool, p.signals), services: make([]service, p.submitter.pieces), heard: make([]heard, len(p.needs)),
		running: make([]int, len(p.engines)),
		done:    make([]run, len(p.threads)), open: len(p.threads), cores: newCores(p.processors, p.scattered), waited: make([]analyze.Nanos, len(p.threads))}
	r.gpus = r.newGPUs()
	for i, n := range p.needs {
		r.heard[i].left = n
	}
	for i := range p.threads {
		n := len(p.threads[i].jobs)
		r.done[i] = run{begun: p.threads[i].begin, commits: make([]analyze.Nanos, 0, n), done: make([]analyze.Nanos, 0, n)}
		if c.Compile {
			r.done[i].begun = p.threads[i].early
		}
		r.goOn(int32(i), r.done[i].begun)
	}
	for r.open > 0 {
		k, next, any := firstDone(r.cores.each)
		if device, at, runs := firstDone(r.gpus); runs && (!any || at < next) && (r.events.empty() || at < r.events.first().at) {
			r.now = at
			r.end(r.gpus[device].end(at))
			continue
		}
		if !r.events.empty() && (!any || r.events.first().at < next) {
			e := r.events.pop()
			r.now = e.at
			if e.work > 0 && !r.cores.none() {
				r.begin(e)
			} else {
				r.happen(e)
			}
			continue
		}
		if !any {
			return r, false
		}
		r.now = next
		b := r.cores.each[k].end(next)
		if q := r.served(b.then); q != nil {
			q.awake--
		}
		r.delay(b)
		r.happen(b.then)
	}
	return r, true
}

// run is how fast the program is with the change: command buffers per nanosecond.
func (p *program) run(c Change) (rate float64, ends bool) {
	r, ends := p.play(c)
	if !ends {
		return 0, false
	}
	return r.rateOfAll(), true
}

// rateOfAll is how fast the replayed program was.
func (r *playing) rateOfAll() float64 { return r.program.rate(r.done) }

func (r *playing) happen(e replayEvent) {
	switch e.kind {
	case evThread:
		r.step(e.id)
	case evOver:
		r.advance(e.id)
	case evCommit:
		r.commit(e.id)
	case evReady:
		r.jobs[e.id].ready, r.jobs[e.id].eligible = true, r.now
		r.feed(r.program.queues[r.program.jobs[e.id].queue].device)
	case evEnd:
		r.end(e.id)
	case evNoticed:
		r.notice(e.id)
	case evSeen:
		r.seen(e.id)
	case evComplete:
		r.complete(e.id)
	case evUnlock:
		r.unlock(e.id)
	}
}

func (r *playing) at(t, work analyze.Nanos, kind uint8, id int32) {
	r.seq++
	r.events.push(ranked[replayEvent]{float64(t), r.seq, replayEvent{t, work, r.seq, kind, id}})
}

// spend lets d pass from an instant on, of which a share wants a processor.
func (r *playing) spend(from, d analyze.Nanos, busy float64, kind uint8, id int32) {
	d = max(0, d)
	work := analyze.Nanos(0)
	if own := kind == evThread || kind == evOver || kind == evCommit; !r.cores.none() && !(own && r.Change.Cores) {
		work = analyze.Nanos(busy * float64(d))
	}
	r.at(from+d-work, work, kind, id)
}

// begin begins a burst. The framework has threads for each queue: one that is still at work need not be woken, and where all processors
// have work, none sleeps.
func (r *playing) begin(e replayEvent) {
	saved := 0.0
	if e.kind != evEnd && r.cores.crowded() {
		saved = r.waking * r.interrupting
	}
	if q := r.served(e); q != nil {
		if q.awake > 0 {
			saved = r.waking
		}
		q.awake++
	}
	r.cores.begin(r.now, e.work-evidence.Scaled(e.work, saved), e)
}

// served is the queue for which a burst of the framework is; nil for one of a thread of the program.
func (r *playing) served(e replayEvent) *queueState {
	switch e.kind {
	case evReady, evNoticed, evSeen:
		return &r.queues[r.program.jobs[e.id].queue]
	}
	return nil
}

// delay counts what a burst waited for a processor.
func (r *playing) delay(b burst) {
	d := max(0, r.now-b.began-b.work)
	switch b.then.kind {
	case evThread, evOver, evCommit:
		r.waited[b.then.id] += d
	case evReady:
		r.before.sum += d
		r.before.n++
	case evEnd:
		r.onGPU += d
		r.jobs[b.then.id].stood = d
	case evSeen:
		r.after.sum += d // they are counted with the jobs, as not all have one
		r.jobs[b.then.id].late += d
	}
}
