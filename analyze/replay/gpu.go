package replay

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// pre and post are what the framework's own threads do for a job, on processors, before and after the GPU. One that the GPU takes from behind other work
// need not be handed to it.
func (r *playing) pre(id int32) analyze.Nanos {
	if r.jobs[id].behind {
		return 0
	}
	return r.share(min(r.framework/2, r.program.jobs[id].latency))
}
func (r *playing) post() analyze.Nanos { return r.share(min(r.framework/2, r.usualNotify)) }

// inAll is what they do for it altogether.
func (r *playing) inAll(id int32) analyze.Nanos {
	if r.jobs[id].behind {
		return r.share(r.framework / 2)
	}
	return r.share(r.framework)
}

// isBehind says whether a job that is committed stands behind other work.
func (r *playing) isBehind(id int32) bool {
	j := &r.program.jobs[id]
	q, of := &r.queues[j.queue], &r.program.queues[j.queue]
	return q.running >= r.atOnce(of.most, of.limited, r.Lines) || r.running[of.device] >= r.enginesOf(of.device)
}

func (r *playing) share(work analyze.Nanos) analyze.Nanos {
	if r.Launch {
		return work / policy.FewerLaunches
	}
	return work
}

// atOnce is how many command buffers run at the same time of what was seen to run so many, and is known to run no more or not; with a change it
// may have no limit.
func (r *playing) atOnce(seen int, limited, without bool) int {
	switch {
	case without:
		return 1 << 30
	case r.room && !limited:
		return max(seen, len(r.program.threads))
	}
	return seen
}

// enginesOf is that of a device.
func (r *playing) enginesOf(device int) int {
	n := r.atOnce(r.engines[device], r.limited[device], r.GPU)
	if r.onProcessors {
		n = max(r.engines[device], min(n, r.processors))
	}
	return n
}

// feed begins what is ready on a device, the one first that was ready first.
func (r *playing) feed(device int) {
	for r.running[device] < r.enginesOf(device) {
		best := int32(-1)
		for q := range r.queues {
			of := &r.program.queues[q]
			if of.device != device || len(r.queues[q].order) == 0 || r.queues[q].running >= r.atOnce(of.most, of.limited, r.Lines) {
				continue
			}
			id := r.queues[q].order[0]
			s := &r.jobs[id]
			if s.ready && r.released(id) && (best < 0 || s.eligible < r.jobs[best].eligible) {
				best = id
			}
		}
		if best < 0 {
			return
		}
		q := &r.queues[r.program.jobs[best].queue]
		q.order.pop()
		q.running++
		r.running[device]++
		begin := r.now
		if r.jobs[best].eligible < r.now { // it waited for the work before
			begin += r.share(r.handOvers.turnaround)
		}
		j := &r.program.jobs[best]
		took := r.duration(j)
		alone := evidence.Scaled(took, evidence.Share(j.alone, j.duration))
		work := begin - r.now + took - evidence.Scaled(took, j.beside)
		end := r.now + work
		if gpu := &r.gpus[device]; r.onProcessors && !r.cores.none() {
			end = begin + took
			r.at(end-alone, alone, evEnd, best)
		} else if gpu.slope > 0 {
			r.seq++
			gpu.begin(r.now, work, r.seq, best)
			end = r.now + evidence.Scaled(work, gpu.stretch(len(gpu.running)))
		} else {
			r.at(end, 0, evEnd, best)
		}
		if work := r.inAll(best) - r.pre(best) - r.post(); work > 0 && !r.cores.none() {
			r.watch(best, begin, end, work)
		}
	}
}

// newGPUs are the devices as far as their work takes longer beside other work.
func (r *playing) newGPUs() []server[int32] {
	gpus := make([]server[int32], len(r.engines))
	for i, slope := range r.crowding {
		if !r.GPU && !r.onProcessors {
			gpus[i].slope = slope
		}
	}
	return gpus
}

// released says whether the events that a job waits for have come.
func (r *playing) released(id int32) bool {
	if r.Change.Events {
		return true
	}
	j := &r.program.jobs[id]
	return !slices.ContainsFunc(j.after, func(dep int32) bool { return !r.jobs[dep].done }) &&
		!slices.ContainsFunc(j.signals, func(s int32) bool { return !r.given[s] })
}

// feedAll begins what an event may have let go, on any device.
func (r *playing) feedAll() {
	for device := range r.running {
		r.feed(device)
	}
}

// end is the GPU's. The framework sees it when it has a processor.
func (r *playing) end(id int32) {
	j, s := &r.program.jobs[id], &r.jobs[id]
	s.done, s.end = true, r.now
	if by := &r.done[j.by]; !j.fence {
		by.done = append(by.done, r.now)
	}
	if r.horizon > 0 {
		r.close(j.by)
	}
	r.threads[j.by].inFlight--
	r.finish(j.by)
	r.after.n++
	r.running[r.program.queues[j.queue].device]--
	r.queues[j.queue].running--
	if s.watching == 0 {
		r.at(r.now, r.post(), evSeen, id)
	}
	r.feedAll()
}

// watch lets the framework do for a job what it does while that runs. What would take longer than the job it does on several processors at once, as
// where these are the GPU.
func (r *playing) watch(id int32, begin, end, work analyze.Nanos) {
	parts := 1 + min(work/max(1, end-begin), analyze.Nanos(r.processors)-1)
	r.jobs[id].watching = int(parts)
	for range parts {
		r.at(max(begin, end-work/parts), work/parts, evNoticed, id)
	}
}

// notice ends what the framework does for a job while it runs, as to set up how it hears of its end: before that it does not.
func (r *playing) notice(id int32) {
	s := &r.jobs[id]
	if s.watching--; s.watching == 0 && s.done {
		s.late = r.now - s.end
		r.after.sum += s.late
		r.at(r.now, r.post(), evSeen, id)
	}
}

// seen lets go those who wait, as long after the GPU's end as they were let go then, or later by what the framework waited.
func (r *playing) seen(id int32) {
	j, s := &r.program.jobs[id], &r.jobs[id]
	s.seen = true
	for s.waiter > 0 {
		t := s.waiter - 1
		s.waiter = r.threads[t].behind
		r.over(t, s.end+s.late+r.notify(r.op(t), id)-r.now, 0)
	}
	complete := j.complete
	if r.Handlers {
		complete -= j.handlers
	}
	r.at(max(r.now, s.end+s.late+complete), 0, evComplete, id)
}

func (r *playing) complete(id int32) {
	q := &r.queues[r.program.jobs[id].queue]
	q.used--
	if len(q.waiting) > 0 && (r.Depth || q.used < r.program.queues[r.program.jobs[id].queue].capacity) {
		r.step(q.waiting.pop())
	}
}
