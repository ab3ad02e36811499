package serial

import (
	"slices"
	"sort"

	"mtrace/analyze"
)

// A handover is the work that threads give to one other that submits it for them, and whose signal they wait for.
//
// A thread that waits for another's signal waits for a result, or for work, and the signals alone do not say which: a pool that has
// nothing to do waits for the submitter's next job as others wait for its answer. It is taken for a result only if
//
//   - the waiting thread hands something over: what it signals before it waits, the submitter waits for; or the submitter goes on,
//     when it has nothing to do, by its signals; or, when it is never idle, before it commits it fetches something from where the
//     waiting thread had been;
//   - the submitter does something for each: between its signal to one and its signal to the next it uses Metal. One that lets a whole
//     pool go at once does not.
type handover struct {
	to      *analyze.Thread
	threads map[*analyze.Thread]bool // that hand something over
	replies []reply                  // to them, by when they were given
	others  int                      // waits of other threads that the submitter's signal ended
	served  float64                  // share of the waiting time that ended with something done for the thread alone
}

// A reply ends a thread's wait for what it handed over.
type reply struct {
	analyze.Call               // the wait
	at           analyze.Nanos // when the signal was given
	own          analyze.Nanos // GPU time, in the wait, of what was committed since the reply before
}

const (
	// waitsAgain is how soon a thread waits again that was woken for nothing: all who wait for a condition variable are woken by a
	// broadcast, and all but one find that it was not for them. One that is known to hand work over waits for the same answer until it
	// hands over more, though it may lack a processor to find that out.
	waitsAgain, waitsOn analyze.Nanos = 50_000, 50_000_000
	// enoughReplies is how many replies it takes to say that threads hand over their work.
	enoughReplies = 10
	// mostServed is how much of the waiting time must end with something done for the thread alone.
	mostServed = 0.6
)

// holds says whether threads hand their work over.
func (h *handover) holds() bool {
	return h != nil && len(h.replies) >= enoughReplies && len(h.threads) >= 2 && h.served >= mostServed
}

// signalWaits are waits for signals with those of a thread that was woken for nothing, and waited again, as one.
func signalWaits(waits []analyze.SignalWait, again func(*analyze.Thread) analyze.Nanos) []analyze.SignalWait {
	var all []analyze.SignalWait
	last := map[*analyze.Thread]int{}
	for _, w := range waits {
		if i, before := last[w.Thread]; before {
			if b := &all[i]; b.Object == w.Object && w.Gave == 0 && w.Begin-b.End <= again(w.Thread) {
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
func (a *Analysis) findHandover() *handover {
	commits, most, all := map[*analyze.Thread]int{}, 0, 0
	h := &handover{threads: map[*analyze.Thread]bool{}}
	first := analyze.Nanos(1<<63 - 1)
	for _, b := range a.Trace.CommandBuffers {
		if t := b.Committed.Thread; t != nil {
			commits[t]++
			if all++; commits[t] > most {
				h.to, most = t, commits[t]
			}
			first = min(first, b.Committed.Begin)
		}
	}
	if len(a.forSignals) == 0 || h.to == nil || float64(most) < submitsAll*float64(all) {
		return nil
	}
	h.findThreads(a.forSignals, first)
	a.forSignals = signalWaits(a.forSignals, func(t *analyze.Thread) analyze.Nanos {
		if h.threads[t] {
			return waitsOn
		}
		return 0
	})
	for i := range a.forSignals {
		w := &a.forSignals[i]
		switch {
		case w.Signaller != h.to || w.Thread == h.to || w.GivenBack:
		case h.threads[w.Thread]:
			r := reply{Call: w.Call, at: w.Signalled}
			if r.at == 0 {
				r.at = w.End
			}
			h.replies = append(h.replies, r)
		default:
			h.others++
		}
	}
	slices.SortStableFunc(h.replies, func(x, y reply) int { return compare(x.at, y.at) })
	h.serve(a.Trace)
	return h
}

// findThreads finds who hands something over to the submitter, whose first commit is given.
func (h *handover) findThreads(waits []analyze.SignalWait, first analyze.Nanos) {
	type signs struct {
		waits, gave, called int
		waited, fetched     analyze.Nanos // a wait for the lock of an answer that has come is short, and for nothing that was fetched
	}
	by := map[*analyze.Thread]*signs{}
	of := func(t *analyze.Thread) *signs {
		if by[t] == nil {
			by[t] = &signs{}
		}
		return by[t]
	}
	awaited := map[uint64]bool{}
	for i := range waits {
		if w := &waits[i]; w.Thread == h.to && !w.GivenBack {
			awaited[w.Object] = true
			if w.Signaller != nil && w.Signaller != h.to && w.End > first {
				of(w.Signaller).called++
			}
		}
	}
	for i := range waits {
		if w := &waits[i]; w.Signaller == h.to && w.Thread != h.to && !w.GivenBack {
			s := of(w.Thread)
			if s.waits++; w.Gave != 0 && awaited[w.Gave] {
				s.gave++
			}
			s.waited += w.Length()
			if w.Fetched {
				s.fetched += w.Length()
			}
		}
	}
	all, called, callers := 0, 0, 0
	for _, s := range by {
		if s.waits > 0 && s.called > 0 {
			all, called, callers = all+s.waits, called+s.called, callers+1
		}
	}
	for t, s := range by {
		gives := s.gave*2 >= s.waits || s.waits >= 3 && s.fetched*2 >= s.waited || s.gave >= max(3, s.waits/20)
		if s.waits > 0 && (gives || s.waits >= 3 && s.called > 0 && callers >= 2 && called >= max(3, all/20)) {
			h.threads[t] = true
		}
	}
	// Who waits for the same as these waits for an answer too, though its turn may not have come yet.
	answers := map[uint64]bool{}
	for i := range waits {
		if w := &waits[i]; h.threads[w.Thread] && w.Gave != 0 && awaited[w.Gave] && w.Signaller == h.to {
			answers[w.Object] = true
		}
	}
	for i := range waits {
		if w := &waits[i]; w.Signaller == h.to && w.Thread != h.to && answers[w.Object] {
			h.threads[w.Thread] = true
		}
	}
}

// serve finds what the submitter did for each reply.
func (h *handover) serve(t *analyze.Trace) {
	var active []analyze.Nanos // instants at which the submitter used Metal
	var commits []*analyze.CommandBuffer
	for _, b := range t.CommandBuffers {
		if b.Created.Thread == h.to {
			active = append(active, b.Created.End)
		}
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Thread == h.to {
				active = append(active, e.Created.Begin)
				for _, d := range e.Dispatches {
					active = append(active, d.At)
				}
			}
		}
		if b.Committed.Thread == h.to {
			active = append(active, b.Committed.Begin)
			commits = append(commits, b)
		}
	}
	for i := range t.Waits {
		if w := &t.Waits[i]; w.Thread == h.to {
			active = append(active, w.End)
		}
	}
	slices.Sort(active)
	slices.SortStableFunc(commits, func(x, y *analyze.CommandBuffer) int { return compare(x.Committed.Begin, y.Committed.Begin) })
	var all, served analyze.Nanos
	var before analyze.Nanos
	for i := range h.replies {
		r := &h.replies[i]
		if k := sort.Search(len(active), func(k int) bool { return active[k] > before }); k < len(active) && active[k] <= r.at {
			served += r.Length()
		}
		all += r.Length()
		k := sort.Search(len(commits), func(k int) bool { return commits[k].Committed.Begin > before })
		for ; k < len(commits) && commits[k].Committed.Begin <= r.at; k++ {
			r.own += overlap(commits[k].GPU, r.Interval)
		}
		before = r.at
	}
	h.served = share(served, all)
}
