package extract

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A call is a step of a thread in the recorded run.
type call struct {
	analyze.Interval
	program.Step
	detail program.Detail
	lock   *analyze.LockWait // for a Lock step, the recorded wait
	given  analyze.Nanos     // for a SetEvent step, when the value was set
}

// at returns an empty interval at an instant.
func at(t analyze.Nanos) analyze.Interval { return analyze.Interval{Begin: t, End: t} }

// calls returns the calls of each thread, from which steps are built.
func (b *builder) calls() map[*analyze.Thread][]call {
	by := map[*analyze.Thread][]call{}
	add := func(c analyze.Call, s program.Step, d program.Detail, lock *analyze.LockWait) {
		if c.Thread != nil && c.Known() && c.Begin >= b.window.Begin && c.End <= b.window.End {
			by[c.Thread] = append(by[c.Thread], call{c.Interval, s, d, lock, c.Begin})
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
			add(c.Enqueued, program.Step{Kind: program.Enqueue, Job: i, Cost: c.Enqueued.Length()}, program.Detail{}, nil)
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
		if evidence.ForOthers(b.ev.Trace, w) {
			s.Kind = program.WaitOther
		}
		add(w.Call, s, d, nil)
	}
	for _, c := range trace.Compilations {
		add(c.Call, program.Step{Kind: program.Compile, Job: program.Unknown, Cost: c.Length()}, program.Detail{}, nil)
	}
	for s := range analyze.Each(trace.Signals) {
		add(analyze.Call{Interval: at(s.At), Thread: s.Thread},
			program.Step{Kind: program.SetEvent, Job: program.Unknown}, program.Detail{}, nil)
	}
	for l := range b.lockWaits() {
		add(l.Call, program.Step{Kind: program.Lock, Job: program.Unknown, Cost: l.Length()},
			program.Detail{HeldUp: l.Own, Turns: evidence.IsTurn(l)}, l)
	}
	return by
}

// waitFor returns the step of a wait for a command buffer.
func waitFor(w analyze.Interval, c *analyze.CommandBuffer, job int32) (s program.Step, d program.Detail) {
	s = program.Step{Kind: program.Wait, Job: job}
	if w.Begin > c.GPU.End {
		s.Cost = w.Length()
	} else {
		s.Notify, d.Waited = w.End-c.GPU.End, min(max(c.GPU.End, c.Completed.Begin), w.End)-w.Begin
	}
	return s, d
}

// inOrder sorts a thread's calls. At the same instant, a signal comes before a wait, and an outer call before the calls
// in it.
func inOrder(list []call) {
	slices.SortStableFunc(list, func(x, y call) int {
		return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(notSignal(x.Kind), notSignal(y.Kind)),
			cmp.Compare(y.End, x.End))
	})
}

func notSignal(k program.Kind) int {
	if k == program.Signal {
		return 0
	}
	return 1
}

// firstCompiles returns when a thread began to work on command buffers, or to compile before that.
func firstCompiles(list []call) analyze.Nanos {
	return list[max(0, slices.IndexFunc(list, func(c call) bool { return c.Kind != program.Lock }))].Begin
}

// withoutStart removes what a thread did before it began to work on command buffers, if it ever did.
func withoutStart(list []call) []call {
	return list[max(0, slices.IndexFunc(list, func(c call) bool {
		return c.Kind != program.Lock &&
			c.Kind != program.Compile
	})):]
}

// withoutNested removes calls nested in others. A wait for a lock nested in a commit counts as a part of the commit
// that disappears with the lock. Steps that other threads wait for move to the end of the outer call.
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

// acquireCosts returns the time to create a command buffer in each queue that was full at times, excluding the
// blocking. It is the fastest tenth of the creations that did not find the queue full: even those may have waited while
// other threads took the last free command buffers.
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
			costs[q] = all[len(all)/policy.Quick]
		}
	}
	return costs
}
