package machine

import (
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// current returns the step that the thread takes now or next.
func (m *machine) current(t int32) *program.Step {
	th := &m.threads[t]
	return &th.steps[th.next]
}

// endStepAfter ends the thread's step after the given time, in which the thread needs no processor.
func (m *machine) endStepAfter(t int32, after analyze.Nanos) { m.spend(m.now, after, 0, stepEnds, t) }

// step begins the thread's next step. If the step must wait for something, step only notes that, and the event for
// which it waits continues the step. Otherwise step schedules the event that ends the step.
func (m *machine) step(t int32) {
	s := m.current(t)
	switch s.Kind {
	case program.Acquire:
		if clock := m.program.Jobs[s.Job].Clock; clock > 0 {
			m.jobs[s.Job].created = m.threads[clock-1].set
		}
		queue := m.program.Jobs[s.Job].Queue
		q := &m.queues[queue]
		if q.used >= m.program.Queues[queue].Capacity {
			q.waiting.push(t)
			return
		}
		q.used++
		m.spend(m.now, s.Cost, m.threads[t].busy, stepEnds, t)
	case program.Enqueue:
		if m.program.Jobs[s.Job].Enqueued {
			m.queues[m.program.Jobs[s.Job].Queue].order.push(s.Job)
		}
		m.spend(m.now, s.Cost, m.threads[t].busy, stepEnds, t)
	case program.Commit:
		if s.Contends {
			m.links.lock(t, s)
		} else {
			m.spend(m.now, s.Cost, m.threads[t].busy, committed, t)
		}
	case program.Wait, program.WaitOther:
		m.wait(t, s)
	case program.Lock:
		if s.Lock == 0 {
			m.endStepAfter(t, s.Cost)
		} else {
			m.links.lock(t, s)
		}
	case program.Compile:
		m.endStepAfter(t, s.Cost)
	case program.Paced: // input arrives at its source's pace: a thread that comes late finds the input there
		th := &m.threads[t]
		switch {
		case s.Hold > 0 && th.delivered == 0: // nothing was shown yet
			th.delivered = m.now - s.Hold
		case s.Hold > 0:
			th.delivered = max(th.delivered+s.Cost, m.now-s.Hold)
		case th.delivered == 0:
			th.delivered = m.now + s.Cost
		default:
			th.delivered += s.Cost
		}
		m.endStepAfter(t, max(0, th.delivered-m.now))
	case program.SetEvent:
		m.signaled[s.Number] = true
		m.threads[t].set++
		m.startAllJobs()
		m.endStepAfter(t, 0)
	case program.Request:
		m.links.request(t, s)
	case program.Serve:
		m.links.serve(t, s)
	case program.Answer:
		m.links.answer(t, s)
	case program.Signal:
		m.links.signal(t, s)
	case program.AwaitSignal:
		m.links.awaitSignal(t, s)
	case program.Unlock:
		m.links.unlock(t, s)
	case program.Nothing:
		m.endStepAfter(t, 0)
	case program.Skip:
		m.skip(t, s)
	}
}

// wait begins a thread's wait for a job (a command buffer). The wait ends at once, after the recorded time, after the
// notification of a job that has already ended, or when the job ends.
func (m *machine) wait(t int32, s *program.Step) {
	job, any := m.awaited(t, s)
	switch {
	case !any:
		m.endStepAfter(t, 0)
	case job == program.Unknown:
		m.endStepAfter(t, s.Cost)
	case m.jobs[job].seen:
		m.endStepAfter(t, max(s.Cost, m.jobs[job].end+m.jobs[job].late+m.notify(s)-m.now))
	default:
		m.await(t, job)
	}
}

// notify returns the time from the job's end on the GPU to the end of the wait for it, handlers included.
func (m *machine) notify(s *program.Step) analyze.Nanos {
	if s.Notify == program.NotRecorded {
		return m.program.Newest.Notify
	}
	return s.Notify + s.Handlers
}

// await appends the thread to the list of threads that wait for a job (a command buffer). The list is linked through
// the threads, so that it needs no allocation.
func (m *machine) await(t, job int32) {
	s := &m.jobs[job]
	if m.threads[t].behind = 0; s.waiter == 0 {
		s.waiter = t + 1
	} else {
		m.threads[s.last-1].behind = t + 1
	}
	s.last = t + 1
}

// awaited returns the job (command buffer) that a wait is for. If the program has a rule for waits for other threads
// (Newest), the rule decides; `any` is false if the other thread has not committed enough command buffers yet.
func (m *machine) awaited(t int32, s *program.Step) (job int32, any bool) {
	rule := m.program.Newest
	if s.Kind != program.WaitOther || s.Job == program.Unknown || !rule.Known {
		return s.Job, true
	}
	from := m.program.Jobs[s.Job].By
	until := m.now
	if own := m.progress[t].Commits; rule.AsOfCommit {
		if len(own) == 0 {
			return 0, false
		}
		until = own[len(own)-1]
	}
	theirs := m.progress[from].Commits
	n := sort.Search(len(theirs), func(i int) bool { return theirs[i] > until }) - 1 - rule.Before
	if n < 0 {
		return 0, false
	}
	return m.program.Threads[from].Jobs[n], true
}

// advance ends the thread's current step and begins the time before the next one, or ends the thread after the last
// step.
func (m *machine) advance(t int32) {
	s := &m.threads[t]
	s.next++
	if s.next == len(s.steps) {
		m.finish(t)
		return
	}
	m.resume(t, m.now)
}

// resume begins the time before the thread's next step: first the thread sleeps, then it works on a processor.
func (m *machine) resume(t int32, from analyze.Nanos) {
	s := m.current(t)
	asleep := min(s.Gap, s.Asleep)
	m.spend(from+asleep, s.Gap-asleep, m.threads[t].busy, stepBegins, t)
}

// finish ends the thread if it has taken all steps and the GPU has completed all its command buffers. The first
// pacing thread that ends sets the horizon; after the horizon each other thread needs only one more completion.
func (m *machine) finish(t int32) {
	th, s := &m.program.Threads[t], &m.threads[t]
	if s.next < len(th.Steps) || s.inFlight > 0 {
		return
	}
	m.progress[t].Ended = m.now
	if th.Paces {
		if m.stages[th.Line]--; m.horizon == 0 && (th.Line == 0 || m.stages[th.Line] == 0) {
			m.horizon = m.now
		}
	}
	m.close(t)
}

// close notes that the run need not continue for this thread. Further calls for the same thread do nothing.
func (m *machine) close(t int32) {
	if s := &m.threads[t]; !s.closed {
		s.closed = true
		m.open--
	}
}

// commit ends the thread's commit: after the commit's latency the job (the command buffer) is ready for the GPU.
func (m *machine) commit(t int32) {
	job := m.current(t).Job
	j := &m.program.Jobs[job]
	m.progress[t].Commits = append(m.progress[t].Commits, m.now)
	m.threads[t].inFlight++
	submit := j.Submit
	if m.isBehind(j) { // the GPU begins the job after other queued work, without a submission of its own
		m.jobs[job].behind, submit = true, 0
	}
	if !j.Enqueued {
		m.queues[j.Queue].order.push(job)
	}
	m.at(m.now+j.Latency+j.ExternalDelay-submit, submit, jobReady, job)
	m.advance(t)
}

// skip handles a commit that the change of the program removed: the job (the command buffer) counts as completed at
// once, so waits for it do not block.
func (m *machine) skip(t int32, s *program.Step) {
	m.progress[t].Commits = append(m.progress[t].Commits, m.now)
	j := &m.jobs[s.Job]
	j.done, j.seen, j.end = true, true, m.now
	m.startAllJobs()
	m.endStepAfter(t, 0)
}
