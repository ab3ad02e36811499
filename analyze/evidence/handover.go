package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Delegation is the work that several threads pass to one thread, or to a pool of threads, which submits it to the
// GPU for them. Each then waits for a signal of the thread that served it.
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
//
// Threads that submit count as one pool only if they share their clients; see sharesClients.
type Delegation struct {
	To      *analyze.Thread          // the submitter; of a pool, the thread with most commits
	Pool    map[*analyze.Thread]bool // To alone, or all threads of the pool
	Threads map[*analyze.Thread]bool // the threads that send requests to the submitter
	Replies []reply                  // the submitter's replies to Threads, in order of time
	Others  int                      // waits of other threads that the submitter's signal ended
	Unseen  bool                     // the trace does not show the requests: see findByTiming
	// number of waits for the submitter's signal that may be waits for an answer, but whose request the trace does not
	// show; see findByTiming. 0 if requests are visible, or if only one thread waits
	MayAnswer int
	// share (0 to 1) of the time that threads waited for replies in which the submitter worked for the waiting thread,
	// and was not idle
	Served  float64
	Waited  float64 // share of their time that the requesting threads spend in such waits
	Batched int     // number of replies that the submitter gave together with others

	trace    *analyze.Trace
	waits    []analyze.SignalWait
	commits  []*analyze.CommandBuffer // the command buffers of the pool, sorted by commit
	inCommit *Busy                    // the times in which the submitter is in commit
	// by address of a semaphore or condition variable: whether the submitter receives requests through it
	isRequestObject map[uint64]bool
	// threads that wait for the submitter's signal at an object at which no other thread waits
	addressed map[*analyze.Thread]bool
}

// A reply is the signal of the submitter (the thread that commits for others) that ends another thread's wait for its
// work.
type reply struct {
	analyze.Call                 // the wait
	By           *analyze.Thread // the submitter that answered
	At           analyze.Nanos   // when the signal was given
	// GPU time, within the wait, of work that By committed since its previous reply
	Own analyze.Nanos
}

// Confirmed reports whether the other threads really pass their work to the submitter: there are enough replies, and
// the threads spend much of their time waiting for a reply to their own request. h may be nil.
func (h *Delegation) Confirmed() bool {
	return h != nil && len(h.Replies) >= policy.FewestOccurrences.Count() && h.Served >= policy.DominantShare.Value &&
		h.Waited >= policy.ChanceShare.Value
}

// FindDelegation finds the thread, or the pool of threads, that makes nearly all commits of the process, and the
// threads for which it submits. It returns nil if there is none. The result may be wrong: call Confirmed to see whether
// other threads really pass work to it.
func FindDelegation(t *analyze.Trace, waits []analyze.SignalWait) *Delegation {
	commits, all := map[*analyze.Thread]int{}, 0
	h := &Delegation{trace: t, waits: waits, Threads: map[*analyze.Thread]bool{}, isRequestObject: map[uint64]bool{},
		addressed: map[*analyze.Thread]bool{}}
	for b := range t.Buffers() {
		if by := b.Committed.Thread; by != nil {
			all++
			if commits[by]++; commits[by] > commits[h.To] {
				h.To = by
			}
		}
	}
	if len(h.waits) == 0 || h.To == nil || !h.findPool(commits, all) {
		return nil
	}
	h.findCommits()
	h.findAddressed()
	h.findAsked()
	h.findThreads()
	switch {
	case len(h.Pool) > 1:
		if !h.sharesClients() {
			return nil
		}
	case len(h.Threads) < 2 && !h.alternates():
		clear(h.Threads)
		h.findByTiming()
	}
	for w := range h.answers() {
		switch {
		case h.Threads[w.Thread]:
			h.Replies = append(h.Replies, reply{Call: w.Call, By: w.Signaller, At: cmp.Or(w.Signalled, w.End)})
		case !h.inCommit.contains(w.Signalled): // a commit also wakes Metal's own threads
			h.Others++
		}
	}
	slices.SortStableFunc(h.Replies, func(x, y reply) int { return cmp.Compare(x.At, y.At) })
	h.serve()
	return h
}

// findPool finds the threads that submit: one thread that makes nearly all commits, or several threads with a fair
// share of them each. It returns false if together they do not make nearly all commits.
func (h *Delegation) findPool(commits map[*analyze.Thread]int, all int) bool {
	h.Pool = map[*analyze.Thread]bool{h.To: true}
	if policy.NearlyAll(commits[h.To], all) {
		return true
	}
	sum := 0
	for t, n := range commits {
		if policy.AtLeast(policy.LargeShare, n*len(commits), all) {
			h.Pool[t] = true
			sum += n
		}
	}
	return policy.NearlyAll(sum, all)
}

// sharesClients reports whether the threads of the pool serve the same clients: each client waits at an object of its
// own, and several threads of the pool answer it. Threads that submit for different clients, or only for themselves,
// are no pool, nor are consumers of one producer.
func (h *Delegation) sharesClients() bool {
	answered := map[*analyze.Thread]map[*analyze.Thread]int{}
	for w := range h.answers() {
		if h.Threads[w.Thread] {
			if answered[w.Thread] == nil {
				answered[w.Thread] = map[*analyze.Thread]int{}
			}
			answered[w.Thread][w.Signaller]++
		}
	}
	shared := 0
	for t, by := range answered {
		several := 0
		for _, n := range by {
			if n >= policy.FewestThreadOccurrences.Count() {
				several++
			}
		}
		if several > 1 && h.addressed[t] {
			shared++
		}
	}
	return shared > 1 && policy.NearlyAll(shared, len(h.Threads))
}

// findCommits collects the pool's command buffers in order of commit, and the times in which its threads were inside
// commit.
func (h *Delegation) findCommits() {
	var own []analyze.Interval
	for b := range h.trace.Buffers() {
		if h.Pool[b.Committed.Thread] && b.Committed.Known() {
			h.commits, own = append(h.commits, b), append(own, b.Committed.Interval)
		}
	}
	slices.SortStableFunc(h.commits, func(x, y *analyze.CommandBuffer) int {
		return cmp.Compare(x.Committed.Begin,
			y.Committed.Begin)
	})
	h.inCommit = NewBusy(own)
}

// used returns, in ascending order, the times at which a submitter used Metal: created, encoded, committed or waited.
func (h *Delegation) used(by *analyze.Thread) (at []analyze.Nanos) {
	for b := range h.trace.Buffers() {
		if b.Created.Thread == by {
			at = append(at, b.Created.End)
		}
		for e := range analyze.Each(b.Encoders) {
			if e.Created.Thread == by {
				at = append(at, e.Created.Begin)
				for _, d := range e.Dispatches {
					at = append(at, d.At)
				}
			}
		}
		if b.Committed.Thread == by {
			at = append(at, b.Committed.Begin)
		}
	}
	for w := range analyze.Each(h.trace.Waits) {
		if w.Thread == by {
			at = append(at, w.End)
		}
	}
	slices.Sort(at)
	return at
}

// serve determines which work the submitters did for each reply, and from it Served, Waited and Batched.
func (h *Delegation) serve() {
	var all, served, active analyze.Nanos
	for by := range h.Pool {
		waited, forThem := h.serveBy(by)
		all, served = all+waited, served+forThem
	}
	for t := range h.Threads {
		active += t.Active.Length()
	}
	h.Served, h.Waited = Share(served, all), Share(all, active)
}

// serveBy determines which command buffers submitter `by` committed for each of its replies (signals that end other
// threads' waits). It returns the total time of these waits, and the part in which the submitter worked for the waiting
// thread (served). Replies between which the submitter did not use Metal form one batch.
func (h *Delegation) serveBy(by *analyze.Thread) (all, served analyze.Nanos) {
	used := h.used(by)
	var own []analyze.Interval
	for w := range analyze.Each(h.waits) {
		if w.Thread == by {
			own = append(own, w.Interval)
		}
	}
	idle := NewBusy(own)
	var replies []*reply
	for r := range analyze.Each(h.Replies) {
		if r.By == by {
			replies = append(replies, r)
		}
	}
	var commits []*analyze.CommandBuffer
	for _, b := range h.commits {
		if b.Committed.Thread == by {
			commits = append(commits, b)
		}
	}
	var before analyze.Nanos
	for from, k := 0, 0; from < len(replies); {
		first := replies[from].At
		last, _ := slices.BinarySearch(used, before+1)
		next, _ := slices.BinarySearch(used, first+1)
		to := from + 1
		for to < len(replies) && (next == len(used) || replies[to].At < used[next]) {
			to++
		}
		together, n := replies[from:to], 0
		for ; k < len(commits) && commits[k].Committed.Begin <= first; k++ {
			if commits[k].Committed.Begin > before {
				r := together[min(n, len(together)-1)]
				r.Own += overlap(commits[k].GPU, r.Interval)
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
				served += r.Length() - idle.LengthWithin(r.Interval)
			}
		}
		from, before = to, together[len(together)-1].At
	}
	return all, served
}
