package machine

import "mtrace/analyze/replay/program"

type lockState struct {
	held    bool
	by      int32 // one more than the thread whose Unlock step releases it; 0 if it is released by time
	waiting fifo
}

// lock takes a lock or waits for it, first come, first served. Locks that admit newcomers first make other threads
// wait as long.
func (m *machine) lock(t int32, s *program.Step) {
	if l := &m.locks[s.Lock]; l.held {
		l.waiting.push(t)
		return
	}
	m.hold(t, s)
}

// hold gives the lock to a thread. A commit keeps it until it ends.
func (m *machine) hold(t int32, s *program.Step) {
	m.locks[s.Lock].held = true
	if s.Kind == program.Commit {
		m.at(m.now+s.Hold, 0, lockReleased, s.Lock)
		m.spend(m.now, s.Hold, m.program.Threads[t].Busy, committed, t)
		return
	}
	if s.Unlocks {
		m.locks[s.Lock].by = t + 1
	} else {
		m.at(m.now+s.Hold, 0, lockReleased, s.Lock)
	}
	m.over(t, 0)
}

// released passes a lock to the thread that has waited longest.
func (m *machine) released(lock int32) {
	l := &m.locks[lock]
	l.held = false
	if len(l.waiting) > 0 {
		t := l.waiting.pop()
		m.hold(t, m.current(t))
	}
}

// unlock releases a lock. A thread that waits for it has it when it is awake.
func (m *machine) unlock(t int32, s *program.Step) {
	if l := &m.locks[s.Lock]; l.held && l.by == t+1 {
		if l.by = 0; len(l.waiting) > 0 {
			m.at(m.now+s.Notify, 0, lockReleased, s.Lock)
		} else {
			l.held = false
		}
	}
	m.over(t, 0)
}

// signalState is a signal that threads wait for. It has come when all threads have given it that must, as at a
// barrier.
type signalState struct {
	missing int
	waiting fifo
}

func (m *machine) signal(t int32, s *program.Step) {
	h := &m.signals[s.Number]
	if h.missing--; h.missing == 0 {
		for len(h.waiting) > 0 {
			w := h.waiting.pop()
			m.over(w, m.current(w).Notify)
		}
	}
	m.over(t, 0)
}

func (m *machine) awaitSignal(t int32, s *program.Step) {
	if h := &m.signals[s.Number]; h.missing > 0 {
		h.waiting.push(t)
		return
	}
	m.over(t, 0)
}

// requestState is a request to the serving thread.
type requestState struct {
	asked, answered bool
	asker           int32 // the thread that waits for the answer
	waiting         bool  // the serving thread waits for the request
}

// request hands work to the serving thread.
func (m *machine) request(t int32, s *program.Step) {
	r := &m.requests[s.Number]
	r.asked, r.asker = true, t
	if r.answered {
		m.over(t, s.Notify)
	}
	if r.waiting {
		r.waiting = false
		server := m.program.Service.Server
		m.over(server, m.current(server).Notify)
	}
}

// serve waits for a request.
func (m *machine) serve(t int32, s *program.Step) {
	if r := &m.requests[s.Number]; r.asked {
		m.over(t, 0)
	} else {
		r.waiting = true
	}
}

// answer unblocks the thread that asked.
func (m *machine) answer(t int32, s *program.Step) {
	r := &m.requests[s.Number]
	r.answered = true
	if r.asked {
		m.over(r.asker, m.current(r.asker).Notify)
	}
	m.over(t, 0)
}
