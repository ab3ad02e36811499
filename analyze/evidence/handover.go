package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A handover is the work that threads give to one other that submits it for them, and whose signal they wait for.
//
// A thread that waits for another's signal waits for a result, or for work, and the signals alone do not say which: a pool that has
// nothing to do waits for the submitter's next job as others wait for its answer. It is taken for a result only if
//
//   - the waiting thread hands something over: what it signals before it waits, the submitter waits for; or the submitter goes on,
//     when it has nothing to do, by its signals; or, when it is never idle, before it commits it fetches something from where the
//     waiting thread had been; or it makes command buffers only while such threads wait (findByTiming);
//   - the submitter does something for each: between its signal to one and its signal to the next it uses Metal, or it has committed a
//     command buffer for each of those that it answers together. One that lets a whole pool go at once does not, nor does one that has nothing to
//     do itself while others wait for room for what they load;
//   - the waiting threads wait for a part of their time. Who loads data for the submitter waits for room now and then, and hands nothing over.
type handover struct {
	To        *analyze.Thread
	Threads   map[*analyze.Thread]bool // that hand something over
	Replies   []reply                  // to them, by when they were given
	Others    int                      // waits of other threads that the submitter's signal ended
	Unseen    bool                     // what they hand over is not in the trace: see findByTiming
	MayAnswer int                      // waits for the submitter's signal, of two threads at least, where it is not known whether they asked for something
	Served    float64                  // share of the waiting time that ended with something done for the thread alone, while the submitter was not idle
	Waited    float64                  // share of their time for which those that hand something over wait so
	Batched   int                      // replies that were given together with others

	asked map[uint64]bool // objects by which it is asked, or, with false, is not
}

// A reply ends a thread's wait for what it handed over.
type reply struct {
	analyze.Call               // the wait
	At           analyze.Nanos // when the signal was given
	Own          analyze.Nanos // GPU time, in the wait, of what was committed since the reply before
}

// Holds says whether threads hand their work over.
func (h *handover) Holds() bool {
	return h != nil && len(h.Replies) >= policy.Pattern.Count() && len(h.Threads) >= 2 && h.Served >= policy.Broad.Value && h.Waited >= policy.Little.Value
}

// signalWaits are waits for signals with those of a thread that was woken for nothing, and waited again, as one.
func signalWaits(waits []analyze.SignalWait) []analyze.SignalWait {
	var all []analyze.SignalWait
	last := map[*analyze.Thread]int{}
	for _, w := range waits {
		if i, before := last[w.Thread]; before {
			if b := &all[i]; b.Object == w.Object && w.Gave == 0 && w.Begin-b.End <= policy.Wakeup.Nanos() {
				b.End, b.Signaller, b.Signalled, b.GivenBack, b.Fetched, b.TimedOut = w.End, w.Signaller, w.Signalled, w.GivenBack, w.Fetched, w.TimedOut
				continue
			}
		}
		last[w.Thread] = len(all)
		all = append(all, w)
	}
	return all
}

// findHandover finds who submits for others; the handover may not hold. It is nil when no thread made nearly all commits.
func (ev *Evidence) findHandover() *handover {
	commits, most, all := map[*analyze.Thread]int{}, 0, 0
	h := &handover{Threads: map[*analyze.Thread]bool{}}
	for b := range ev.Trace.Buffers() {
		if t := b.Committed.Thread; t != nil {
			commits[t]++
			if all++; commits[t] > most {
				h.To, most = t, commits[t]
			}
		}
	}
	if len(ev.ForSignals) == 0 || h.To == nil || !policy.NearlyAll(most, all) {
		return nil
	}
	h.asked = h.asking(ev.ForSignals)
	for object := range ev.Trace.Asked {
		if _, here := h.asked[object]; !here {
			h.asked[object] = true
		}
	}
	h.findThreads(ev.ForSignals)
	if len(h.Threads) < 2 {
		h.findByTiming(ev.Trace, ev.ForSignals)
	}
	inCommit := h.inCommit(ev.Trace)
	for w := range analyze.Each(ev.ForSignals) {
		switch {
		case w.Signaller != h.To || w.Thread == h.To || w.GivenBack:
		case h.Threads[w.Thread]:
			r := reply{Call: w.Call, At: w.Signalled}
			if r.At == 0 {
				r.At = w.End
			}
			h.Replies = append(h.Replies, r)
		case !isInside(inCommit, w.Signalled): // there it wakes Metal's own threads
			h.Others++
		}
	}
	slices.SortStableFunc(h.Replies, func(x, y reply) int { return cmp.Compare(x.At, y.At) })
	h.serve(ev.Trace, ev.ForSignals)
	return h
}

// findThreads finds who hands something over to the submitter.
func (h *handover) findThreads(waits []analyze.SignalWait) {
	type signs struct {
		waits, gave     int
		waited, fetched analyze.Nanos // a wait for the lock of an answer that has come is short, and for nothing that was fetched
	}
	by := map[*analyze.Thread]*signs{}
	for i := range waits {
		w := &waits[i]
		if w.Signaller != h.To || w.Thread == h.To || w.GivenBack {
			continue
		}
		s := by[w.Thread]
		if s == nil {
			s = &signs{}
			by[w.Thread] = s
		}
		if s.waits++; w.Gave != 0 && h.asked[w.Gave] {
			s.gave++
		}
		s.waited += w.Length()
		if w.Fetched {
			s.fetched += w.Length()
		}
	}
	for t, s := range by {
		if !policy.AtLeast(policy.Negligible, s.waited, t.Active.Length()) { // as one does that waits, at its end, for that of the submitter
			continue
		}
		if policy.AtLeast(policy.Most, s.gave, s.waits) || s.waits >= policy.Handful.Count() && policy.AtLeast(policy.Most, s.fetched, s.waited) {
			h.Threads[t] = true
		}
	}
}

// commits are the command buffers that the submitter committed, by commit.
func (h *handover) commits(t *analyze.Trace) (list []*analyze.CommandBuffer) {
	for b := range t.Buffers() {
		if b.Committed.Thread == h.To && b.Committed.Known() {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.Committed.Begin, y.Committed.Begin) })
	return list
}

// used are the instants at which the submitter used Metal, in ascending order.
func (h *handover) used(t *analyze.Trace) (at []analyze.Nanos) {
	for b := range t.Buffers() {
		if b.Created.Thread == h.To {
			at = append(at, b.Created.End)
		}
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Thread == h.To {
				at = append(at, e.Created.Begin)
				for _, d := range e.Dispatches {
					at = append(at, d.At)
				}
			}
		}
		if b.Committed.Thread == h.To {
			at = append(at, b.Committed.Begin)
		}
	}
	for i := range t.Waits {
		if w := &t.Waits[i]; w.Thread == h.To {
			at = append(at, w.End)
		}
	}
	slices.Sort(at)
	return at
}

// serve finds what the submitter did for each reply, or for those that it gave together: without using Metal in between.
func (h *handover) serve(t *analyze.Trace, waits []analyze.SignalWait) {
	used, commits := h.used(t), h.commits(t)
	var own []analyze.Interval
	for w := range analyze.Each(waits) {
		if w.Thread == h.To {
			own = append(own, w.Interval)
		}
	}
	idle := NewBusy(own)
	var all, served, before analyze.Nanos
	for from := 0; from < len(h.Replies); {
		first := &h.Replies[from]
		k := sort.Search(len(used), func(k int) bool { return used[k] > before })
		does := k < len(used) && used[k] <= first.At
		next := sort.Search(len(used), func(k int) bool { return used[k] > first.At })
		to := from + 1
		for to < len(h.Replies) && (next == len(used) || h.Replies[to].At < used[next]) {
			to++
		}
		k = sort.Search(len(commits), func(k int) bool { return commits[k].Committed.Begin > before })
		n := 0
		for ; k < len(commits) && commits[k].Committed.Begin <= first.At; k++ {
			h.Replies[from+min(n, to-from-1)].Own += overlap(commits[k].GPU, h.Replies[from+min(n, to-from-1)].Interval)
			n++
		}
		forEach := n >= to-from && to-from < len(h.Threads)
		if to-from > 1 {
			h.Batched += to - from
		}
		for i := from; i < to; i++ {
			all += h.Replies[i].Length()
			if does && (i == from || forEach) {
				served += h.Replies[i].Length() - idle.Within(h.Replies[i].Interval)
			}
		}
		before = h.Replies[to-1].At
		from = to
	}
	var active analyze.Nanos
	for t := range h.Threads {
		active += t.Active.Length()
	}
	h.Served, h.Waited = Share(served, all), Share(all, active)
}
