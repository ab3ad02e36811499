package evidence

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Handover is the work that threads give to one other that submits it for them, and whose signal they wait for.
//
// A thread that waits for another's signal waits for a result, or for work, and the signals alone do not say which: a
// pool that has nothing to do waits for the submitter's next job as others wait for its answer. It is taken for a
// result only if
//
//   - the waiting thread hands something over: what it signals before it waits, the submitter waits for; or the
//     submitter goes on, when it has nothing to do, by its signals; or, when it is never idle, before it commits it
//     fetches something from where the waiting thread had been; or several threads give the same signal, for which
//     nobody else waits, and then wait at places of their own; or it makes command buffers only while such threads
//     wait (findByTiming). One thread alone must take turns with it, too;
//   - the submitter does something for each: between its signal to one and its signal to the next it uses Metal, or it
//     has committed a command buffer for each of those that it answers together, or these wait at places of their own.
//     One that lets a whole pool go at once does not, nor does one that has nothing to do itself while others wait for
//     room for what they load;
//   - the waiting threads wait for a part of their time. Who loads data for the submitter waits for room now and then,
//     and hands nothing over.
type Handover struct {
	To      *analyze.Thread
	Threads map[*analyze.Thread]bool // that hand something over
	Replies []reply                  // to them, by when they were given
	Others  int                      // waits of other threads that the submitter's signal ended
	Unseen  bool                     // what they hand over is not in the trace: see findByTiming
	// waits for the submitter's signal, of two threads at least, where it is not known whether they asked for something
	MayAnswer int
	// share of the waiting time that ended with something done for the thread alone, while the submitter was not idle
	Served  float64
	Waited  float64 // share of their time for which those that hand something over wait so
	Batched int     // replies that were given together with others

	trace    *analyze.Trace
	waits    []analyze.SignalWait
	commits  []*analyze.CommandBuffer // of the submitter, by commit
	inCommit *Busy                    // when it commits
	asked    map[uint64]bool          // objects by which it is asked, or, with false, is not
	// threads that wait for the submitter's signal at a place of their own
	addressed map[*analyze.Thread]bool
}

// A reply ends a thread's wait for what it handed over.
type reply struct {
	analyze.Call               // the wait
	At           analyze.Nanos // when the signal was given
	Own          analyze.Nanos // GPU time, in the wait, of what was committed since the reply before
}

// Holds says whether threads hand their work over.
func (h *Handover) Holds() bool {
	return h != nil && len(h.Replies) >= policy.Pattern.Count() && h.Served >= policy.DominantShare.Value &&
		h.Waited >= policy.ChanceShare.Value
}

// FindHandover finds the thread that submits for others. The handover may not hold: see Holds. It is nil if no thread
// made nearly all commits.
func FindHandover(t *analyze.Trace, waits []analyze.SignalWait) *Handover {
	commits, all := map[*analyze.Thread]int{}, 0
	h := &Handover{trace: t, waits: waits, Threads: map[*analyze.Thread]bool{}, asked: map[uint64]bool{},
		addressed: map[*analyze.Thread]bool{}}
	for b := range t.Buffers() {
		if by := b.Committed.Thread; by != nil {
			all++
			if commits[by]++; commits[by] > commits[h.To] {
				h.To = by
			}
		}
	}
	if len(h.waits) == 0 || h.To == nil || !policy.NearlyAll(commits[h.To], all) {
		return nil
	}
	h.findCommits()
	h.findAddressed()
	h.findAsked()
	h.findThreads()
	if len(h.Threads) < 2 && !h.alternates() {
		clear(h.Threads)
		h.findByTiming()
	}
	for w := range h.answers() {
		switch {
		case h.Threads[w.Thread]:
			h.Replies = append(h.Replies, reply{Call: w.Call, At: cmp.Or(w.Signalled, w.End)})
		case !h.inCommit.holds(w.Signalled): // there it wakes Metal's own threads
			h.Others++
		}
	}
	slices.SortStableFunc(h.Replies, func(x, y reply) int { return cmp.Compare(x.At, y.At) })
	h.serve()
	return h
}

// findCommits finds what the submitter commits, and when.
func (h *Handover) findCommits() {
	var own []analyze.Interval
	for b := range h.trace.Buffers() {
		if b.Committed.Thread == h.To && b.Committed.Known() {
			h.commits, own = append(h.commits, b), append(own, b.Committed.Interval)
		}
	}
	slices.SortStableFunc(h.commits, func(x, y *analyze.CommandBuffer) int {
		return cmp.Compare(x.Committed.Begin,
			y.Committed.Begin)
	})
	h.inCommit = NewBusy(own)
}

// answers goes over the waits of others that the submitter's signal ended.
func (h *Handover) answers() iter.Seq[*analyze.SignalWait] {
	return func(yield func(*analyze.SignalWait) bool) {
		for w := range analyze.Each(h.waits) {
			if w.Signaller == h.To && w.Thread != h.To && !w.GivenBack && !yield(w) {
				return
			}
		}
	}
}

// used are the instants at which the submitter used Metal, in ascending order.
func (h *Handover) used() (at []analyze.Nanos) {
	for b := range h.trace.Buffers() {
		if b.Created.Thread == h.To {
			at = append(at, b.Created.End)
		}
		for e := range analyze.Each(b.Encoders) {
			if e.Created.Thread == h.To {
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
	for w := range analyze.Each(h.trace.Waits) {
		if w.Thread == h.To {
			at = append(at, w.End)
		}
	}
	slices.Sort(at)
	return at
}

// serve finds what the submitter did for each reply, or for those that it gave together: without using Metal in
// between.
func (h *Handover) serve() {
	used := h.used()
	var own []analyze.Interval
	for w := range analyze.Each(h.waits) {
		if w.Thread == h.To {
			own = append(own, w.Interval)
		}
	}
	idle := NewBusy(own)
	var all, served, active, before analyze.Nanos
	for from, k := 0, 0; from < len(h.Replies); {
		first := h.Replies[from].At
		last, _ := slices.BinarySearch(used, before+1)
		next, _ := slices.BinarySearch(used, first+1)
		to := from + 1
		for to < len(h.Replies) && (next == len(used) || h.Replies[to].At < used[next]) {
			to++
		}
		together, n := h.Replies[from:to], 0
		for ; k < len(h.commits) && h.commits[k].Committed.Begin <= first; k++ {
			if h.commits[k].Committed.Begin > before {
				r := &together[min(n, len(together)-1)]
				r.Own += overlap(h.commits[k].GPU, r.Interval)
				n++
			}
		}
		forEach := n >= len(together) && len(together) < len(h.Threads)
		if len(together) > 1 {
			h.Batched += len(together)
		}
		for i, r := range together {
			all += r.Length()
			// threads that wait at places of their own meet at no barrier: one command buffer may answer several
			if last < next && (i == 0 || forEach || h.addressed[r.Thread]) {
				served += r.Length() - idle.Within(r.Interval)
			}
		}
		from, before = to, together[len(together)-1].At
	}
	for t := range h.Threads {
		active += t.Active.Length()
	}
	h.Served, h.Waited = Share(served, all), Share(all, active)
}
