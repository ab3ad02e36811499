package insight

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// waitAfterCommit finds threads that wait for each command buffer before they commit the next, so that they never
// have two in flight.
func waitAfterCommit(in *Input) *Insight {
	if in.rounds.most < policy.SteadyCommandBuffers {
		return skip(tooFew)
	}
	// by command buffer: the last wait of the committing thread for it
	returned := make([]*analyze.Wait, in.Trace.IndexCount())
	for i := range in.Trace.Waits {
		w := &in.Trace.Waits[i]
		if b := in.Trace.WaitsFor(w); b != nil && b.Committed.Thread == w.Thread {
			returned[w.Buffer] = w
		}
	}
	type count struct {
		total, waited int
		where         []*analyze.Wait
	}
	by := map[*analyze.Thread]*count{}
	last := map[*analyze.Thread]*analyze.CommandBuffer{}
	for b := range in.Trace.Buffers() {
		th := b.Committed.Thread
		if !b.Committed.Known() {
			continue
		}
		if by[th] == nil {
			by[th] = &count{}
		}
		if before := last[th]; before != nil {
			by[th].total++
			if w := returned[before.Index]; w != nil && w.End <= b.Committed.Begin {
				by[th].waited++
				by[th].where = append(by[th].where, w)
			}
		}
		last[th] = b
	}
	total, waited, threads := 0, 0, 0
	var where sites
	var cost analyze.Nanos
	for _, t := range in.Analysis.Evidence.Times.Threads {
		c := by[t.Thread]
		if c == nil || c.total < policy.SteadyCommandBuffers-1 || of(c.waited, c.total) < policy.WaitedEachTime {
			continue
		}
		threads++
		total, waited = total+c.total, waited+c.waited
		cost += t.WorkTime[analyze.PartWaitNotify] + t.WorkTime[analyze.PartWaitScheduling]
		for _, w := range c.where {
			where.add(&w.Call, w.Selector, "", 1, w.Length(), 0)
		}
	}
	if threads == 0 {
		return nil
	}
	cost = max(0, cost-in.Analysis.HeldUp()) // other delays would remain even with several command buffers in flight
	return &Insight{Severity: Info, Cost: cost, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %d times %s waited for a command buffer before committing the next one; "+
			"starting the work and waking the threads took %s", waited, total,
			analyze.Plural(threads, "thread"), in.ofThreads(cost))}
}

// tinyBuffers finds programs in which most command buffers have so little work that submitting them costs more than
// the work.
func tinyBuffers(in *Input) *Insight {
	buffers, small := 0, 0
	var gpu analyze.Nanos
	var where sites
	for b := range in.Trace.Buffers() {
		if !b.GPU.Known() || b.Failed() {
			continue
		}
		buffers++
		took := b.Took(b.GPU)
		gpu += took
		if took < policy.SmallCommandBuffer {
			small++
			where.add(&b.Committed, "commit", name(b), 1, took, 0)
		}
	}
	switch {
	case buffers == 0:
		return skip("there are no GPU times")
	case buffers < policy.SteadyCommandBuffers:
		return skip(tooFew)
	case of(small, buffers) < policy.InsightMajority:
		return nil
	}
	i := &Insight{Severity: Warning, Where: where.most(),
		Evidence: fmt.Sprintf("%d of %d command buffers kept the GPU busy for less than %s; the mean of all is %s",
			small,
			buffers, policy.SmallCommandBuffer, gpu/analyze.Nanos(buffers))}
	if launch := in.Analysis.Evidence.Launch.Time; launch > 0 {
		i.Cost = launch * analyze.Nanos(small)
		i.Evidence += fmt.Sprintf("; submission and completion notification of each take %s of a thread's time", launch)
	}
	for _, d := range in.Analysis.Evidence.GPU.Devices {
		if d.Active.Length() > 0 && float64(d.Busy) >= policy.FullGPU*float64(d.Active.Length()) {
			i.Severity = Info
			i.Evidence += fmt.Sprintf("; the GPU is busy for %s of the time nevertheless",
				analyze.FormatShare(float64(d.Busy)/float64(d.Active.Length())))
			break
		}
	}
	return i
}

// idleGaps reports how long the GPU was idle between command buffers, and why: each gap ends with a commit, and the
// committing thread's activity before it is the reason.
func idleGaps(in *Input) *Insight {
	g := &in.Analysis.Evidence.GPU
	active := analyze.Nanos(0)
	for _, d := range g.Devices {
		active += d.Active.Length()
	}
	if active == 0 {
		return skip("there are no GPU times")
	}
	if float64(g.Idle) < policy.IdleGPU*float64(active) || len(g.IdleBy) == 0 {
		return nil
	}
	var why []string
	var where sites
	for k, by := range g.IdleBy[:min(len(g.IdleBy), policy.NamedSites)] {
		if k > 0 && float64(by.Time) < policy.IdleReason*float64(g.Idle) {
			break
		}
		why = append(why, fmt.Sprintf("%s, for %s in %s", feeding(&by), by.Time, analyze.Plural(by.Gaps, "gap")))
	}
	for _, by := range g.IdleBy {
		for stack, time := range by.From {
			where.add(&analyze.Call{Thread: by.Thread, Stack: stack}, "commit", "", 0, time, 0)
		}
	}
	// sort the places, because the order of a map is random and would change the report from run to run
	slices.SortFunc(where.order, func(a, b *Site) int { return strings.Compare(a.At.String(), b.At.String()) })
	return &Insight{Severity: Info, Cost: g.Idle, Where: where.most(),
		Evidence: fmt.Sprintf("the GPU idled for %s, %s of the time from the first work to the last, because %s",
			g.Idle,
			analyze.FormatShare(float64(g.Idle)/float64(active)), strings.Join(why, "; "))}
}

// feeding describes what a thread did during the gaps that its commits ended.
func feeding(by *evidence.IdleCause) string {
	who := "an unknown thread"
	if by.Thread != nil {
		who = strings.TrimSpace(fmt.Sprintf("thread %d %s", by.Thread.ID, by.Thread.Name))
	}
	switch by.Doing {
	case evidence.BetweenEncoders:
		return fmt.Sprintf("there were gaps between the encoders that %s had committed", who)
	case evidence.Scheduling:
		return fmt.Sprintf("the work that %s had committed had not begun", who)
	}
	return fmt.Sprintf("%s was %s", who, by.Doing)
}
