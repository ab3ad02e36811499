package extract

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A call is a recorded call of a thread, with the program step that the call becomes.
type call struct {
	analyze.Interval
	program.Step
	detail program.Detail
	lock   *analyze.LockWait // for a Lock step, the recorded wait
	given  analyze.Nanos     // for a SetEvent step, when the value was set
}

// at returns the empty interval at the time `t`.
func at(t analyze.Nanos) analyze.Interval { return analyze.Interval{Begin: t, End: t} }

// calls returns, by thread, the recorded calls from which the program's steps are built, unsorted.
func (b *builder) calls() map[*analyze.Thread][]call {
	by := map[*analyze.Thread][]call{}
	add := func(c analyze.Call, s program.Step, d program.Detail, lock *analyze.LockWait) {
		if c.Thread != nil && c.Known() && c.Begin >= b.window.Begin && c.End <= b.window.End {
			list := by[c.Thread]
			if len(list) == cap(list) {
				list = slices.Grow(list, len(list)+1) // append alone would copy the large calls more often
			}
			by[c.Thread] = append(list, call{c.Interval, s, d, lock, c.Begin})
		}
	}
	trace := b.ev.Trace
	commitSolo, acquire, encoded := b.ev.Tests.SoloCommit(), acquireCosts(b.ev), trace.Encoded()
	for job, c := range b.buffers {
		i := int32(job)
		cost := c.Created.Length()
		if usual, full := acquire[c.Queue]; full {
			cost = min(cost, usual)
		}
		add(c.Created, program.Step{Kind: program.Acquire, Job: i, Cost: cost}, program.Detail{}, nil)
		if c.Enqueued.Known() {
			add(c.Enqueued, program.Step{Kind: program.Enqueue, Job: i, Cost: c.Enqueued.Length()},
				program.Detail{}, nil)
		}
		cost, encode := c.Committed.Length(), analyze.Nanos(0)
		if n := len(c.Encoders); n > 0 {
			encode = max(0, c.Encoders[n-1].Ended.End-c.Encoders[0].Created.Begin)
		}
		add(c.Committed, program.Step{Kind: program.Commit, Job: i, Cost: cost},
			program.Detail{Solo: min(cost, commitSolo), Encode: encode}, nil)
	}
	for w := range analyze.Each(trace.Waits) {
		s, d := program.Step{Kind: program.Wait, Job: program.Unknown, Cost: w.Length()}, program.Detail{}
		if i, known := b.job(w.Buffer); known && !w.Scheduled && !w.Unfinished {
			c := b.buffers[i]
			s, d = waitFor(w.Interval, c, i)
			s.Barrier = encoded && c.Empty()
			d.Polls = w.Polls > 0
		}
		if evidence.ForOtherThread(b.ev.Trace, w) {
			s.Kind = program.WaitOther
		}
		add(w.Call, s, d, nil)
	}
	for _, w := range b.ev.Syncs.Handlers {
		if i, known := b.job(w.Buffer.Index); known && w.Begin < w.Buffer.GPU.End {
			s, d := waitFor(w.Interval, w.Buffer, i)
			s.Kind = program.WaitOther
			add(w.Call, s, d, nil)
		}
	}
	b.addListened(add)
	for _, c := range trace.Compilations {
		add(c.Call, program.Step{Kind: program.Compile, Job: program.Unknown, Cost: c.Length()}, program.Detail{}, nil)
	}
	for s := range analyze.Each(trace.Signals) {
		add(analyze.Call{Interval: at(s.At), Thread: s.Thread},
			program.Step{Kind: program.SetEvent, Job: program.Unknown}, program.Detail{}, nil)
	}
	for l := range b.lockWaits() {
		add(l.Call, program.Step{Kind: program.Lock, Job: program.Unknown, Cost: l.Length()},
			program.Detail{HeldUp: l.Exclusive, Turns: evidence.IsTurn(l)}, l)
	}
	return by
}

// waitFor returns the step for a recorded wait w for command buffer c. If the GPU had completed c when the wait began,
// the wait takes its recorded time in the replay. Otherwise the replay computes when the GPU completes c, and only the
// time from then to the end of the wait (Notify) is as recorded.
func waitFor(w analyze.Interval, c *analyze.CommandBuffer, job int32) (s program.Step, d program.Detail) {
	s = program.Step{Kind: program.Wait, Job: job}
	if w.Begin > c.GPU.End {
		s.Cost = w.Length()
	} else {
		s.Notify, d.Waited = w.End-c.GPU.End, min(max(c.GPU.End, c.Completed.Begin), w.End)-w.Begin
	}
	return s, d
}

// sortCalls sorts a thread's calls by their begin. If two begin at the same time, a signal or an answer comes before a
// wait, so that threads do not deadlock, and an outer call before the calls nested in it.
func sortCalls(list []call) {
	slices.SortStableFunc(list, func(x, y call) int {
		return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(notSignal(x.Kind), notSignal(y.Kind)),
			cmp.Compare(y.End, x.End))
	})
}

func notSignal(k program.Kind) int {
	if k == program.Signal || k == program.Answer {
		return 0
	}
	return 1
}

// firstCompiles returns the begin of a thread's first call that is no wait for a lock. It may be a compilation, which
// withoutStart leaves out.
func firstCompiles(list []call) analyze.Nanos {
	return list[max(0, slices.IndexFunc(list, func(c call) bool { return c.Kind != program.Lock }))].Begin
}

// withoutStart removes a thread's start-up from its calls: the compilations and waits for locks before its first
// other call.
func withoutStart(list []call) []call {
	return list[max(0, slices.IndexFunc(list, func(c call) bool {
		return c.Kind != program.Lock &&
			c.Kind != program.Compile
	})):]
}

// withoutNested removes calls inside other calls, because the outer call's time includes theirs. A wait for a lock
// inside a commit is noted as the part of the commit that disappears without locks. A nested step for which other
// threads wait (such as a signal) must not be lost, so it moves to the end of the outer call.
func withoutNested(list []call) []call {
	kept := list[:0]
	for _, c := range list {
		if n := len(kept); n > 0 && c.Begin < kept[n-1].End {
			switch c.Kind {
			case program.SetEvent, program.Serve, program.Answer:
				c.Interval = at(kept[n-1].End)
				kept = append(kept, c)
				continue
			}
			if outer := &kept[n-1]; c.Kind == program.Lock && outer.Kind == program.Commit && c.End <= outer.End {
				outer.detail.Nested += c.Cost
				outer.detail.Solo = min(outer.detail.Solo, outer.Cost-outer.detail.Nested)
			}
			continue
		}
		kept = append(kept, c)
	}
	return kept
}

// acquireCosts returns how long creating a command buffer takes without blocking, for each queue that was full at
// times. It uses the fastest tenth of the creations that did not find the queue full. Slower creations may have
// blocked, too, because other threads took the last free command buffers meanwhile.
func acquireCosts(ev *evidence.Evidence) map[*analyze.Queue]analyze.Nanos {
	full := map[*analyze.Queue][]analyze.Nanos{}
	blocked := make([]bool, ev.Trace.IndexCount())
	for _, made := range ev.Queues.Full {
		full[made.Buffer.Queue], blocked[made.Buffer.Index] = nil, true
	}
	for c := range ev.Trace.Buffers() {
		if _, any := full[c.Queue]; any && c.Created.Known() && !blocked[c.Index] {
			full[c.Queue] = append(full[c.Queue], c.Created.Length())
		}
	}
	costs := map[*analyze.Queue]analyze.Nanos{}
	for q, all := range full {
		if costs[q] = policy.UsualAcquire; len(all) > 0 {
			slices.Sort(all)
			costs[q] = all[len(all)/policy.FastestDivisor]
		}
	}
	return costs
}
