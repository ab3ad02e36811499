package serial

import (
	"container/heap"

	"mtrace/analyze"
)

// A change is what a replay leaves out of the recorded program.
type change struct {
	foreign  bool // no waits for others' work
	depth    bool // queues of any depth
	compile  bool // no compilation
	events   bool // no waits for events on the GPU
	head     bool // no holding up by command buffers that are enqueued and not committed
	handlers bool // completion handlers that take no time
	launch   bool // a sixteenth of the time for encoding, committing, starting, notifying: as much work in fewer command buffers
	turns    bool // no waiting, outside of Metal, for another thread to have done waiting for the GPU
	locks    bool // no waits for locks, seen or hidden in commit
	gpu      bool // a GPU that runs everything at once
	room     bool // GPUs that are not known to be limited run everything at once
}

// fewerLaunches is how many command buffers are put into one where launching is the cause.
const fewerLaunches = 16

// A replay runs a program again: every thread does what it did in its order, queues keep their order, work on the GPU takes as
// long as it took. What waits, waits for the replayed cause and not for the recorded time.
type replay struct {
	*program
	change
	now     analyze.Nanos
	seq     int
	events  replayEvents
	threads []threadState
	jobs    []jobState
	queues  []queueState
	running []int           // by device
	ends    []analyze.Nanos // by thread
	left    int             // threads that are not done
}

type threadState struct{ next int }

type jobState struct {
	committed, begun, done bool
	eligible, end          analyze.Nanos
	waiters                []int32
}

type queueState struct {
	used    int
	order   []int32
	waiting []int32
}

type replayEvent struct {
	at   analyze.Nanos
	seq  int
	kind uint8
	id   int32
}

const (
	evThread   uint8 = iota // the thread begins its next call
	evCommit                // the thread's commit is done
	evFeed                  // a device may have something to begin
	evEnd                   // the GPU has done a job
	evComplete              // the job's completion is seen
)

type replayEvents []replayEvent

func (e replayEvents) Len() int { return len(e) }
func (e replayEvents) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].seq < e[j].seq
}
func (e replayEvents) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *replayEvents) Push(x any)   { *e = append(*e, x.(replayEvent)) }
func (e *replayEvents) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// run is how fast the program is with the change: command buffers per nanosecond, summed over the threads, each over its own
// time, as a benchmark that runs for a time counts. It is false when the program does not end.
func (p *program) run(c change) (rate float64, ends bool) {
	r := &replay{program: p, change: c, threads: make([]threadState, len(p.threads)), jobs: make([]jobState, len(p.jobs)),
		queues: make([]queueState, len(p.queues)), running: make([]int, len(p.engines)),
		ends: make([]analyze.Nanos, len(p.threads)), left: len(p.threads)}
	for i, ops := range p.threads {
		r.at(p.begins[i]+ops[0].gap, evThread, int32(i))
	}
	for r.events.Len() > 0 {
		e := heap.Pop(&r.events).(replayEvent)
		r.now = e.at
		switch e.kind {
		case evThread:
			r.step(e.id)
		case evCommit:
			r.commit(e.id)
		case evFeed:
			r.feed(int(e.id))
		case evEnd:
			r.end(e.id)
		case evComplete:
			r.complete(e.id)
		}
	}
	return p.rate(r.ends), r.left == 0
}

func (r *replay) at(t analyze.Nanos, kind uint8, id int32) {
	r.seq++
	heap.Push(&r.events, replayEvent{t, r.seq, kind, id})
}

// step begins the thread's next call.
func (r *replay) step(t int32) {
	o := &r.program.threads[t][r.threads[t].next]
	switch o.kind {
	case opAcquire:
		q := &r.queues[r.program.jobs[o.job].queue]
		if q.used >= r.program.queues[r.program.jobs[o.job].queue].capacity && !r.depth {
			q.waiting = append(q.waiting, t)
			return
		}
		q.used++
		r.advance(t, o.cost)
	case opEnqueue:
		if !r.head {
			q := &r.queues[r.program.jobs[o.job].queue]
			q.order = append(q.order, o.job)
		}
		r.advance(t, o.cost)
	case opCommit:
		cost := o.cost
		if r.locks {
			cost = o.solo
		}
		if r.launch {
			cost /= fewerLaunches
		}
		r.at(r.now+cost, evCommit, t)
	case opForeign, opWait:
		switch {
		case o.kind == opForeign && r.foreign:
			r.advance(t, 0)
		case o.job < 0:
			r.advance(t, o.cost)
		case r.jobs[o.job].done:
			r.advance(t, max(o.cost, r.jobs[o.job].end+r.notify(o)-r.now))
		default:
			r.jobs[o.job].waiters = append(r.jobs[o.job].waiters, t)
		}
	case opCompile:
		if r.compile {
			r.advance(t, 0)
		} else {
			r.advance(t, o.cost)
		}
	case opLock:
		if r.locks {
			r.advance(t, 0)
		} else {
			r.advance(t, o.cost)
		}
	}
}

// notify is how long after the GPU's end a wait returns.
func (r *replay) notify(o *op) analyze.Nanos {
	n := o.notify
	if r.handlers {
		n = max(0, n-r.program.jobs[o.job].handlers)
	}
	if r.launch {
		n /= fewerLaunches
	}
	return n
}

// advance ends the thread's call after a time and lets it go on to the next.
func (r *replay) advance(t int32, cost analyze.Nanos) {
	s := &r.threads[t]
	s.next++
	end := r.now + max(0, cost)
	ops := r.program.threads[t]
	if s.next == len(ops) {
		r.ends[t] = end
		r.left--
		return
	}
	gap := ops[s.next].gap
	if r.turns {
		gap -= ops[s.next].turn
	}
	if r.launch {
		gap -= ops[s.next].encode - ops[s.next].encode/fewerLaunches
	}
	r.at(end+gap, evThread, t)
}

func (r *replay) commit(t int32) {
	o := &r.program.threads[t][r.threads[t].next]
	j, state := &r.program.jobs[o.job], &r.jobs[o.job]
	state.committed = true
	state.eligible = r.now + j.latency
	if r.launch {
		state.eligible = r.now + j.latency/fewerLaunches
	}
	if !j.enqueued || r.head {
		q := &r.queues[j.queue]
		q.order = append(q.order, o.job)
	}
	r.at(state.eligible, evFeed, int32(r.program.queues[j.queue].device))
	r.advance(t, 0)
}

// feed begins what is ready on a device, the one first that was ready first.
func (r *replay) feed(device int) {
	for {
		engines := r.engines[device]
		if r.gpu || r.room && !r.limited[device] {
			engines = 1 << 30
		}
		if r.running[device] >= engines {
			return
		}
		best := int32(-1)
		for q := range r.queues {
			if r.program.queues[q].device != device || len(r.queues[q].order) == 0 {
				continue
			}
			id := r.queues[q].order[0]
			s := &r.jobs[id]
			if s.committed && s.eligible <= r.now && r.released(id) && (best < 0 || s.eligible < r.jobs[best].eligible) {
				best = id
			}
		}
		if best < 0 {
			return
		}
		q := &r.queues[r.program.jobs[best].queue]
		q.order = q.order[1:]
		r.running[device]++
		r.jobs[best].begun = true
		r.at(r.now+r.program.jobs[best].duration, evEnd, best)
	}
}

// released says whether the events that a job waits for have come.
func (r *replay) released(id int32) bool {
	if !r.change.events {
		for _, dep := range r.program.jobs[id].after {
			if !r.jobs[dep].done {
				return false
			}
		}
	}
	return true
}

func (r *replay) end(id int32) {
	j, s := &r.program.jobs[id], &r.jobs[id]
	s.done, s.end = true, r.now
	r.running[r.program.queues[j.queue].device]--
	for _, t := range s.waiters {
		o := &r.program.threads[t][r.threads[t].next]
		r.advance(t, r.notify(o))
	}
	s.waiters = nil
	complete := j.complete
	if r.handlers {
		complete -= j.handlers
	}
	r.at(r.now+complete, evComplete, id)
	for device := range r.running { // an event may have let go what is on another
		r.feed(device)
	}
}

func (r *replay) complete(id int32) {
	q := &r.queues[r.program.jobs[id].queue]
	q.used--
	if len(q.waiting) > 0 && (r.depth || q.used < r.program.queues[r.program.jobs[id].queue].capacity) {
		t := q.waiting[0]
		q.waiting = q.waiting[1:]
		r.step(t)
	}
}
