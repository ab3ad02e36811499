package machine

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// isBehind reports whether a job (a command buffer of the replayed program) that is committed now must wait for other
// jobs, because its queue or device runs as many as it can.
func (m *machine) isBehind(j *program.Job) bool {
	of := &m.program.Queues[j.Queue]
	return m.queues[j.Queue].running >= of.AtOnce || m.running[of.Device] >= m.program.Devices[of.Device].Engines
}

// startJobs begins jobs (command buffers of the replayed program) on a device until the device is full. Among the ready
// jobs that are first in their queues, the job that became ready first begins first.
func (m *machine) startJobs(device int) {
	for m.running[device] < m.program.Devices[device].Engines {
		best := int32(-1)
		for q := range m.queues {
			of := &m.program.Queues[q]
			if of.Device != device || m.queues[q].order.empty() || m.queues[q].running >= of.AtOnce {
				continue
			}
			id := m.queues[q].order.first()
			s := &m.jobs[id]
			if s.ready && m.unblocked(id) && (best < 0 || s.eligible < m.jobs[best].eligible) {
				best = id
			}
		}
		if best < 0 {
			return
		}
		m.beginJob(device, best)
	}
}

// beginJob begins a job (a command buffer) on a device. If the machine's processors run the GPU's work, the job
// becomes a burst on a processor. If concurrent jobs slow each other down, the job shares the device with them.
// Otherwise its end is known now.
func (m *machine) beginJob(device int, id int32) {
	j := &m.program.Jobs[id]
	q := &m.queues[j.Queue]
	q.order.pop()
	q.running++
	m.running[device]++
	begin := m.now
	if m.jobs[id].eligible < m.now { // the job waited for the previous job on the GPU
		begin += m.program.HandOffs.Turnaround
	}
	work := begin - m.now + j.Duration - program.Scaled(j.Duration, j.ConcurrencyLoss)
	end := m.now + work
	if gpu := &m.gpus.each[device]; m.program.Processors.RunGPU && !m.processors.none() {
		end = begin + j.Duration
		alone := program.Scaled(j.Duration, program.Share(j.ProcessorTime, j.Duration))
		m.at(end-alone, alone, jobEnds, id)
	} else if gpu.slope > 0 {
		m.seq++
		m.gpus.begin(device, m.now, work, m.seq, actionOf(jobEnds, id))
		end = m.now + program.Scaled(work, gpu.stretch(len(gpu.running)))
	} else {
		m.at(end, 0, jobEnds, id)
	}
	all, submit := m.program.Framework.Time, j.Submit
	if m.jobs[id].behind {
		all, submit = all/2, 0
	}
	if work := all - submit - m.program.Framework.After; work > 0 && !m.processors.none() {
		m.watch(id, begin, end, work)
	}
}

// unblocked reports whether all events for which a job (a command buffer) waits have been signaled, by command
// buffers and by threads.
func (m *machine) unblocked(id int32) bool {
	j := &m.program.Jobs[id]
	if slices.ContainsFunc(j.After, func(dep int32) bool { return !m.jobs[dep].done }) {
		return false
	}
	if j.Clock > 0 {
		return !m.awaitsClock(id)
	}
	return !slices.ContainsFunc(j.Events, func(e int32) bool { return !m.signaled[e] })
}

// awaitsClock reports whether the job (a command buffer) still waits for its clock. A clock is a thread that sets an
// event at regular times, like a timer. The job waits until the clock sets the event for the first time after the
// job's creation. A clock that has ended delays nothing.
func (m *machine) awaitsClock(id int32) bool {
	clock := m.program.Jobs[id].Clock - 1
	return m.threads[clock].set == m.jobs[id].created &&
		m.threads[clock].next < len(m.program.Threads[clock].Steps)
}

// startAllJobs begins jobs (command buffers) on all devices that can begin one. It is called after an event or the end
// of a job, which may have unblocked jobs.
func (m *machine) startAllJobs() {
	for device := range m.running {
		m.startJobs(device)
	}
}

// jobEnded handles the end of a job (a command buffer) on the GPU. Metal's thread notices the end (endSeen) only when
// it has a processor.
func (m *machine) jobEnded(id int32) {
	j, s := &m.program.Jobs[id], &m.jobs[id]
	s.done, s.end = true, m.now
	if by := &m.progress[j.By]; !j.Fence {
		by.Done = append(by.Done, m.now)
	}
	if m.horizon > 0 {
		m.close(j.By)
	}
	m.threads[j.By].inFlight--
	m.finish(j.By)
	m.delays.After.Count++
	m.running[m.program.Queues[j.Queue].Device]--
	m.queues[j.Queue].running--
	if s.watching == 0 {
		m.at(m.now, m.program.Framework.After, endSeen, id)
	}
	m.startAllJobs()
}

// watch schedules Metal's own processor work for a job (a command buffer) while the job runs. Work that takes longer
// than the job is divided among several processors.
func (m *machine) watch(id int32, begin, end, work analyze.Nanos) {
	parts := 1 + min(work/max(1, end-begin), analyze.Nanos(len(m.processors.each))-1)
	m.jobs[id].watching = int32(parts)
	for range parts {
		m.at(max(begin, end-work/parts), work/parts, watched, id)
	}
}

// watched handles the end of one part of Metal's processor work for a job (a command buffer). The job's end is
// noticed only after all parts have ended.
func (m *machine) watched(id int32) {
	s := &m.jobs[id]
	if s.watching--; s.watching == 0 && s.done {
		s.late = m.now - s.end
		m.delays.After.Sum += s.late
		m.at(m.now, m.program.Framework.After, endSeen, id)
	}
}

// endSeen is called when Metal notices the end of a job (a command buffer): it unblocks the threads that wait for the
// job and schedules its completion handlers.
func (m *machine) endSeen(id int32) {
	j, s := &m.program.Jobs[id], &m.jobs[id]
	s.seen = true
	for s.waiter > 0 {
		t := s.waiter - 1
		s.waiter = m.threads[t].behind
		m.endStepAfter(t, s.end+s.late+m.notify(m.current(t))-m.now)
	}
	m.at(max(m.now, s.end+s.late+j.Complete), 0, jobCompletes, id)
}

// completed frees the slot that a job (a command buffer) had in its queue, and unblocks a thread that waits to create
// a command buffer.
func (m *machine) completed(id int32) {
	queue := m.program.Jobs[id].Queue
	q := &m.queues[queue]
	q.used--
	if !q.waiting.empty() && q.used < m.program.Queues[queue].Capacity {
		m.step(q.waiting.pop())
	}
}
