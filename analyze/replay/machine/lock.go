package machine

import (
	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// links has the state of the locks, signals and requests through which threads wait for each other.
type links struct {
	machine  *machine
	locks    []lockState
	requests []requestState
	signals  []signalState
	since    []analyze.Nanos // by thread: when its current wait began
	blocked  analyze.Nanos   // how long threads have waited for locks and signals
}

func newLinks(m *machine, p *program.Program) links {
	l := links{
		machine: m, locks: make([]lockState, p.Locks), requests: make([]requestState, p.Service.Requests),
		signals: make([]signalState, len(p.Signals)), since: make([]analyze.Nanos, len(p.Threads)),
	}
	for i, n := range p.Signals {
		l.signals[i].missing = n
	}
	return l
}

// wait appends a thread to the queue of waiting threads, and notes when its wait begins.
func (k *links) wait(waiting *fifo, t int32) {
	waiting.push(t)
	k.since[t] = k.machine.now
}

// resume removes and returns the thread that has waited longest, and adds up the time that it waited.
func (k *links) resume(waiting *fifo) int32 {
	t := waiting.pop()
	k.blocked += k.machine.now - k.since[t]
	return t
}

type lockState struct {
	held bool
	// the thread whose Unlock step will release the lock, plus one; 0 if the lock is released after a fixed time
	by      int32
	waiting fifo
}

// lock gives the thread the lock, or makes the thread wait in order of arrival. Real locks may let a later thread
// pass, but the total time that threads wait is the same.
func (k *links) lock(t int32, s *program.Step) {
	if l := &k.locks[s.Lock]; l.held {
		k.wait(&l.waiting, t)
		return
	}
	k.hold(t, s)
}

// hold makes the thread the lock's holder and schedules the release, unless a later Unlock step of the thread
// releases it. A commit holds its lock until the commit ends.
func (k *links) hold(t int32, s *program.Step) {
	k.locks[s.Lock].held = true
	if s.Kind == program.Commit {
		k.machine.at(k.machine.now+s.Hold, 0, lockReleased, s.Lock)
		k.machine.spend(k.machine.now, s.Hold, k.machine.program.Threads[t].Busy, committed, t)
		return
	}
	if s.Unlocks {
		k.locks[s.Lock].by = t + 1
	} else {
		k.machine.at(k.machine.now+s.Hold, 0, lockReleased, s.Lock)
	}
	k.machine.endStepAfter(t, 0)
}

// released handles the release of a lock: the thread that has waited longest becomes its holder.
func (k *links) released(lock int32) {
	l := &k.locks[lock]
	l.held = false
	if !l.waiting.empty() {
		t := k.resume(&l.waiting)
		k.hold(t, k.machine.current(t))
	}
}

// unlock handles an Unlock step. If threads wait, the next one gets the lock after Notify, the time to wake it.
func (k *links) unlock(t int32, s *program.Step) {
	if l := &k.locks[s.Lock]; l.held && l.by == t+1 {
		if l.by = 0; !l.waiting.empty() {
			k.machine.at(k.machine.now+s.Notify, 0, lockReleased, s.Lock)
		} else {
			l.held = false
		}
	}
	k.machine.endStepAfter(t, 0)
}

// signalState is the state of a signal that threads wait for. At a barrier several threads must give the signal;
// missing counts the threads that have not given it.
type signalState struct {
	missing int
	waiting fifo
}

func (k *links) signal(t int32, s *program.Step) {
	h := &k.signals[s.Number]
	if h.missing--; h.missing == 0 {
		for !h.waiting.empty() {
			w := k.resume(&h.waiting)
			k.machine.endStepAfter(w, k.machine.current(w).Notify)
		}
	}
	k.machine.endStepAfter(t, 0)
}

func (k *links) awaitSignal(t int32, s *program.Step) {
	if h := &k.signals[s.Number]; h.missing > 0 {
		k.wait(&h.waiting, t)
		return
	}
	k.machine.endStepAfter(t, 0)
}

// requestState is the state of a request to the thread that submits for others.
type requestState struct {
	asked, answered bool
	asker           int32 // the thread that waits for the answer
	waiting         bool  // a serving thread waits for the request
	server          int32 // that serving thread
}

// request handles a thread's request: it wakes the serving thread, and the requesting thread waits unless the
// recorded answer was already given.
func (k *links) request(t int32, s *program.Step) {
	r := &k.requests[s.Number]
	r.asked, r.asker = true, t
	if r.answered {
		k.machine.endStepAfter(t, s.Notify)
	}
	if r.waiting {
		r.waiting = false
		k.machine.endStepAfter(r.server, k.machine.current(r.server).Notify)
	}
}

// serve makes the serving thread wait for the request, unless the request has been sent.
func (k *links) serve(t int32, s *program.Step) {
	if r := &k.requests[s.Number]; r.asked {
		k.machine.endStepAfter(t, 0)
	} else {
		r.waiting, r.server = true, t
	}
}

// answer unblocks the thread that sent the request, and ends the serving thread's step.
func (k *links) answer(t int32, s *program.Step) {
	r := &k.requests[s.Number]
	r.answered = true
	if r.asked {
		k.machine.endStepAfter(r.asker, k.machine.current(r.asker).Notify)
	}
	k.machine.endStepAfter(t, 0)
}
