package evidence

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Handover is the work that several threads pass to one thread, which submits it to the GPU for them. Each then waits
// for that thread's signal.
//
// Such a wait alone does not tell whether the thread waits for a result or for new work: an idle pool waits for the
// submitter's next job just as clients wait for its answer. The wait counts as a wait for a result only if all of the
// following hold.
//
// 1. The waiting thread passes a request to the submitter, which shows in one of these ways: the submitter waits for
// the signal that the thread gives before it waits; an idle submitter resumes after the thread's signal; a submitter
// that is never idle fetches something from an object of the thread before it commits; several threads give the same
// signal, which no other thread waits for, and then each waits at its own object; or the submitter creates command
// buffers only while such threads wait (findByTiming). A single thread must also alternate with the submitter.
//
// 2. The submitter does something for each waiting thread: it uses Metal between its signals to two threads, or it has
// committed one command buffer for each thread that it answers together, or these threads wait at their own objects. A
// thread that releases a whole pool at once does not, nor does an idle thread for which others wait because they have
// no room for loaded data.
//
// 3. The waiting threads wait for a good part of their time. A thread that loads data for the submitter waits for room
// only now and then.
type Handover struct {
	To      *analyze.Thread
	Threads map[*analyze.Thread]bool // that send requests to the submitter
	Replies []reply                  // to these threads, in order of time
	Others  int                      // waits of other threads that the submitter's signal ended
	Unseen  bool                     // the trace does not show the requests: see findByTiming
	// waits of at least two threads for the submitter's signal that findByTiming examined; 0 if the requests were
	// visible
	MayAnswer int
	// share of the waiting time that ended with an answer for that thread alone, without the submitter's idle time
	Served  float64
	Waited  float64 // share of their time that the requesting threads spend in such waits
	Batched int     // replies that were given together with others

	trace    *analyze.Trace
	waits    []analyze.SignalWait
	commits  []*analyze.CommandBuffer // of the submitter, sorted by commit
	inCommit *Busy                    // when the submitter commits
	// by address of a semaphore or condition variable: whether the submitter receives requests through it
	asked map[uint64]bool
	// threads that wait for the submitter's signal at an object at which no other thread waits
	addressed map[*analyze.Thread]bool
}

// A reply ends a thread's wait for the work that it passed to the submitter.
type reply struct {
	analyze.Call               // the wait
	At           analyze.Nanos // when the signal was given
	Own          analyze.Nanos // GPU time, within the wait, of work that was committed since the previous reply
}

// Holds reports whether the other threads really pass their work to the submitter: there are enough replies, and for
// much of their time the threads wait for a reply to their own request. h may be nil.
func (h *Handover) Holds() bool {
	return h != nil && len(h.Replies) >= policy.Pattern.Count() && h.Served >= policy.DominantShare.Value &&
		h.Waited >= policy.ChanceShare.Value
}

// FindHandover finds the thread that makes nearly all commits of the process, and the threads for which it submits.
// It returns nil if there is no such thread. Only Holds tells whether the other threads really pass work to it.
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
		case !h.inCommit.holds(w.Signalled): // a commit also wakes Metal's own threads
			h.Others++
		}
	}
	slices.SortStableFunc(h.Replies, func(x, y reply) int { return cmp.Compare(x.At, y.At) })
	h.serve()
	return h
}

// findCommits collects the submitter's command buffers in order of commit, and the times in which it was inside
// commit.
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

// answers yields the waits of other threads that a signal of the submitter ended.
func (h *Handover) answers() iter.Seq[*analyze.SignalWait] {
	return func(yield func(*analyze.SignalWait) bool) {
		for w := range analyze.Each(h.waits) {
			if w.Signaller == h.To && w.Thread != h.To && !w.GivenBack && !yield(w) {
				return
			}
		}
	}
}

// used returns, in ascending order, the times at which the submitter used Metal: created, encoded, committed or
// waited.
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

// serve determines which work the submitter did for each reply, and from it Served, Waited and Batched. Replies
// without any use of Metal between them were given together, as one batch.
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
			// a thread with a wait object of its own is not at a barrier, so one command buffer may answer several
			// such threads
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
