package serial

import (
	"slices"

	"mtrace/analyze"
)

// A program is what the threads did, in their order, stripped of the time they waited: what a replay runs again.
type program struct {
	threads  [][]op
	begins   []analyze.Nanos // when each thread began, after the first
	jobs     []job
	queues   []queueOf
	engines  []int           // by device: command buffers that it ran at the same time
	limited  []bool          // by device: it is known that it runs no more than engines
	commits  []int           // by thread
	recorded []analyze.Nanos // by thread, when it ended in the recorded run
}

type queueOf struct{ capacity, device int }

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
)

// An op is one step of a thread: gap of its own, then the call, which takes cost and may block.
type op struct {
	kind   opKind
	job    int32 // −1 when it is not known what is waited for: then cost is all
	gap    analyze.Nanos
	encode analyze.Nanos // part of gap that is encoding
	turn   analyze.Nanos // part of gap in which another thread waited for the GPU
	cost   analyze.Nanos
	solo   analyze.Nanos // cost if no other thread held it up
	nested analyze.Nanos // part of cost that was spent waiting for locks
	notify analyze.Nanos // of waits: from the GPU's end to the return
}

// A job is one command buffer.
type job struct {
	queue    int32
	duration analyze.Nanos
	latency  analyze.Nanos // from ready to begun, when the GPU had room
	complete analyze.Nanos // from the GPU's end to the completion being seen
	handlers analyze.Nanos // part of complete that the program's handlers took
	after    []int32       // jobs whose events it waits for
	enqueued bool
}

// mostJobs bounds a replay; of more, the middle of the run is replayed.
const mostJobs = 4000

// program extracts what the threads did; nil when there is too little, or no GPU times.
func (a *Analysis) program(f *facts) *program {
	p := &program{}
	window := a.replayWindow()
	index := map[*analyze.CommandBuffer]int32{}
	queues := map[*analyze.Queue]int32{}
	devices := map[*device]int{}
	latency, completion := a.usualLatency(), a.usualCompletion()
	for _, b := range a.Trace.CommandBuffers {
		x := a.released[b]
		if x == nil || !b.GPU.Known() || b.Queue == nil || b.Committed.Begin < window.Begin || b.Committed.End > window.End {
			continue
		}
		d := a.deviceOf(b)
		if _, known := devices[d]; !known {
			devices[d] = len(p.engines)
			p.addDevice(a, f, d)
		}
		q, known := queues[b.Queue]
		if !known {
			q = int32(len(p.queues))
			queues[b.Queue] = q
			capacity := DefaultCapacity
			if b.Queue.Capacity > 0 {
				capacity = b.Queue.Capacity
			}
			p.queues = append(p.queues, queueOf{capacity, devices[d]})
		}
		j := job{queue: q, duration: b.GPU.Length(), latency: min(latency, max(0, b.GPU.Begin-x.at)), enqueued: b.Enqueued.Known()}
		if b.Completed.Known() {
			j.complete = max(0, b.Completed.Begin-b.GPU.End)
			if b.Handlers > 0 {
				j.handlers = max(0, j.complete-completion)
			}
		}
		index[b] = int32(len(p.jobs))
		p.jobs = append(p.jobs, j)
	}
	if len(p.jobs) < enoughBuffers {
		return nil
	}
	a.dependencies(p, index)
	a.steps(p, index, window)
	if p.rate(p.recorded) == 0 {
		return nil
	}
	return p
}

// addDevice says how many command buffers a device runs at the same time: as many as it was seen to. That it runs no more is
// known only if ready work had to wait for it, or it never rested.
func (p *program) addDevice(a *Analysis, f *facts, d *device) {
	for _, u := range a.GPU.Devices {
		if u.Device == d.model {
			p.engines = append(p.engines, max(1, u.Capacity))
			p.limited = append(p.limited, f.saturated || share(u.Backlog, u.Active.Length()) >= 0.05)
		}
	}
}

// replayWindow is the middle of the run, if all of it is too much.
func (a *Analysis) replayWindow() analyze.Interval {
	var commits []analyze.Nanos
	for b := range a.released {
		commits = append(commits, b.Committed.Begin)
	}
	slices.Sort(commits)
	if len(commits) <= mostJobs {
		return analyze.Interval{Begin: -1 << 62, End: 1 << 62}
	}
	from := (len(commits) - mostJobs) / 2
	return analyze.Interval{Begin: commits[from], End: commits[from+mostJobs-1]}
}

// usualLatency is the median time that the GPU took to begin what was ready when it had nothing else to do; if that was seldom,
// the median time from the end of the work before.
func (a *Analysis) usualLatency() analyze.Nanos {
	var all []analyze.Nanos
	for b, x := range a.released {
		if b.GPU.Known() && b.GPU.Begin > x.at && a.deviceOf(b).all.Within(analyze.Interval{Begin: x.at, End: b.GPU.Begin}) == 0 {
			all = append(all, b.GPU.Begin-x.at)
		}
	}
	if len(all) < enoughIntervals {
		return a.turnaround()
	}
	slices.Sort(all)
	return all[len(all)/2]
}

// turnaround is the median time from when work was ready and the work before it had ended to its beginning.
func (a *Analysis) turnaround() analyze.Nanos {
	var all []analyze.Nanos
	for _, d := range a.deviceOrder {
		ends := make([]analyze.Nanos, 0, len(d.running))
		for _, r := range d.running {
			ends = append(ends, r.End)
		}
		slices.Sort(ends)
		for _, r := range d.running {
			x := a.released[r.buffer]
			if x == nil {
				continue
			}
			from := x.at
			if i, _ := slices.BinarySearch(ends, r.Begin+1); i > 0 {
				from = max(from, ends[i-1])
			}
			all = append(all, max(0, r.Begin-from))
		}
	}
	return median(all)
}

// usualCompletion is the median time from the GPU's end to the completion being seen where the program had no handlers.
func (a *Analysis) usualCompletion() analyze.Nanos {
	var all []analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers == 0 {
			all = append(all, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(all) < enoughBuffers {
		return 20_000
	}
	slices.Sort(all)
	return all[len(all)/2]
}

func (a *Analysis) dependencies(p *program, index map[*analyze.CommandBuffer]int32) {
	for b, i := range index {
		if s := a.released[b].signaler; s != nil {
			if at, known := index[s]; known {
				p.jobs[i].after = append(p.jobs[i].after, at)
			}
		}
	}
}

// steps lists what each thread did, by time.
func (a *Analysis) steps(p *program, index map[*analyze.CommandBuffer]int32, window analyze.Interval) {
	type step struct {
		analyze.Interval
		op
		encode analyze.Interval
	}
	by := map[*analyze.Thread][]step{}
	add := func(c analyze.Call, o op, encode analyze.Interval) {
		if c.Thread != nil && c.Known() && c.Begin >= window.Begin && c.End <= window.End {
			by[c.Thread] = append(by[c.Thread], step{c.Interval, o, encode})
		}
	}
	commitSolo := a.soloCommit()
	for b, i := range index {
		add(b.Created, op{kind: opAcquire, job: i, cost: a.acquireCost(b)}, analyze.Interval{})
		if b.Enqueued.Known() {
			add(b.Enqueued, op{kind: opEnqueue, job: i, cost: b.Enqueued.Length()}, analyze.Interval{})
		}
		encode := analyze.Interval{}
		if n := len(b.Encoders); n > 0 {
			encode = analyze.Interval{Begin: b.Encoders[0].Created.Begin, End: b.Encoders[n-1].Ended.End}
		}
		cost := b.Committed.Length()
		add(b.Committed, op{kind: opCommit, job: i, cost: cost, solo: min(cost, commitSolo)}, encode)
	}
	for k := range a.Trace.Waits {
		w := &a.Trace.Waits[k]
		o := op{kind: opWait, job: -1, cost: w.Length()}
		if i, known := index[w.Buffer]; known && w.Buffer != nil && w.Selector != "waitUntilScheduled" && !w.Unfinished {
			o.job, o.cost = i, 0
			if o.notify = w.End - max(w.Begin, w.Buffer.GPU.End); w.Begin > w.Buffer.GPU.End {
				o.cost, o.notify = o.notify, 0
			}
		}
		if from := Awaited(w); from != nil && from != w.Thread {
			o.kind = opForeign
		}
		add(w.Call, o, analyze.Interval{})
	}
	for _, c := range a.Trace.Compilations {
		add(c.Call, op{kind: opCompile, job: -1, cost: c.Length()}, analyze.Interval{})
	}
	for _, l := range a.Trace.Locks {
		add(l.Call, op{kind: opLock, job: -1, cost: l.Length()}, analyze.Interval{})
	}
	first := analyze.Nanos(1 << 62)
	union := a.waitsUnion()
	var threads []*analyze.Thread
	for t, list := range by {
		slices.SortStableFunc(list, func(x, y step) int {
			if c := compare(x.Begin, y.Begin); c != 0 {
				return c
			}
			return compare(y.End, x.End)
		})
		first = min(first, list[0].Begin)
		threads = append(threads, t)
	}
	slices.SortFunc(threads, func(x, y *analyze.Thread) int { return compare(uint64(x.ID), uint64(y.ID)) })
	for _, t := range threads {
		list := by[t]
		at := list[0].Begin
		p.begins = append(p.begins, at-first)
		var ops []op
		for _, s := range list {
			if s.Begin < at && len(ops) > 0 { // inside the one before
				if last := &ops[len(ops)-1]; s.kind == opLock && last.kind == opCommit && s.End <= at {
					last.nested += s.Length()
					last.solo = min(last.solo, last.cost-last.nested)
				}
				continue
			}
			s.gap = s.Begin - at
			s.op.encode = min(s.gap, s.encode.Length())
			s.op.turn = union.Within(analyze.Interval{Begin: at, End: s.Begin})
			at = s.End
			ops = append(ops, s.op)
		}
		commits := 0
		for _, o := range ops {
			if o.kind == opCommit {
				commits++
			}
		}
		p.recorded = append(p.recorded, at-first)
		p.commits = append(p.commits, commits)
		p.threads = append(p.threads, ops)
	}
}

// rate is the sum of the threads' rates: command buffers per nanosecond of each one's time.
func (p *program) rate(ends []analyze.Nanos) (sum float64) {
	for i, n := range p.commits {
		if d := ends[i] - p.begins[i]; d > 0 {
			sum += float64(n) / float64(d)
		}
	}
	return sum
}

// acquireCost is what making b took, without waiting for a full queue.
func (a *Analysis) acquireCost(b *analyze.CommandBuffer) analyze.Nanos {
	if a.blockedOnQueue[b] {
		return 1000
	}
	return b.Created.Length()
}

// soloCommit is what a commit takes when no other thread is inside, if commits are served one at a time; otherwise no bound.
func (a *Analysis) soloCommit() analyze.Nanos {
	for i := range a.Interference {
		if t := &a.Interference[i]; t.What == "commit" && t.OneAtATime() {
			return t.Solo
		}
	}
	return 1 << 62
}
