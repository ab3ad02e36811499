package evidence

import (
	"math/rand/v2"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// asking finds the objects by which the submitter is asked for something: it waits for their signal, and who gives that waits for the
// submitter at once, or it is not known by whom it was given.
func (h *handover) asking(waits []analyze.SignalWait) map[uint64]bool {
	begins := map[*analyze.Thread][]analyze.Nanos{} // of waits for the submitter's signal
	for i := range waits {
		if w := &waits[i]; w.Signaller == h.To && w.Thread != h.To && !w.GivenBack {
			begins[w.Thread] = append(begins[w.Thread], w.Begin)
		}
	}
	type use struct{ calls, soon int }
	uses := map[uint64]*use{}
	for i := range waits {
		w := &waits[i]
		if w.Thread != h.To || w.GivenBack {
			continue
		}
		u := uses[w.Object]
		if u == nil {
			u = &use{}
			uses[w.Object] = u
		}
		own := begins[w.Signaller]
		if w.Signaller == nil || len(own) == 0 {
			continue
		}
		called := w.Signalled
		if called == 0 {
			called = w.End
		}
		u.calls++
		k := sort.Search(len(own), func(k int) bool { return own[k] >= called-policy.Wakeup.Nanos() })
		if k < len(own) && own[k] <= called+policy.Soon.Nanos() {
			u.soon++
		}
	}
	asked := map[uint64]bool{}
	for object, u := range uses {
		asked[object] = policy.AtLeast(policy.Most, u.soon, u.calls)
	}
	return asked
}

// Asked are the objects by which the one that submits is asked for something; none when no threads were seen to ask. Other parts of the run are
// told of them by analyze.Options.Asked.
func (ev *Evidence) Asked() (objects []uint64) {
	if h := ev.Handover; h.Holds() && !h.Unseen {
		for object, asked := range h.asked {
			if asked {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// What is handed over may not show: through a flag that the submitter polls, a pipe, a queue that is never empty so that nobody waits
// for it. Then this does: who works on request makes command buffers only while somebody waits for an answer. Who feeds a pool makes
// them also while all of the pool are busy, and not more seldom than at other times.

// findByTiming finds who waits for the submitter's answers by when the submitter works.
func (h *handover) findByTiming(t *analyze.Trace, waits []analyze.SignalWait) {
	var made []analyze.Nanos
	for _, b := range h.commits(t) {
		if b.Created.Thread == h.To && b.Created.Known() {
			made = append(made, b.Created.Begin)
		}
	}
	inCommit := h.inCommit(t)
	by := map[*analyze.Thread]*struct{ answers, frameworks int }{}
	for i := range waits {
		w := &waits[i]
		if w.Signaller != h.To || w.Thread == h.To || w.GivenBack {
			continue
		}
		if by[w.Thread] == nil {
			by[w.Thread] = &struct{ answers, frameworks int }{}
		}
		if isInside(inCommit, w.Signalled) { // a thread of Metal's own, woken to see to the commit
			by[w.Thread].frameworks++
		} else {
			by[w.Thread].answers++
		}
	}
	threads := map[*analyze.Thread]bool{}
	for th, n := range by {
		if n.answers >= policy.Handful.Count() && n.answers > policy.Outlier.Count()*n.frameworks {
			threads[th] = true
		}
	}
	if len(threads) < 2 {
		return
	}
	var asked []analyze.Interval
	for i := range waits {
		if w := &waits[i]; threads[w.Thread] && w.Signaller == h.To && !w.GivenBack {
			asked = append(asked, analyze.Interval{Begin: w.Begin - policy.Wakeup.Nanos(), End: w.End})
		}
	}
	h.MayAnswer = len(asked)
	if onRequest(made, asked) {
		h.Threads, h.Unseen = threads, true
	}
}

// onRequest says whether what was made was made while somebody had asked, and hardly ever while nobody had, as chance would not have it.
func onRequest(made []analyze.Nanos, asked []analyze.Interval) bool {
	if len(asked) < policy.Pattern.Count() {
		return false
	}
	union := NewBusy(asked)
	spans := union.Spans()
	window := analyze.Interval{Begin: spans[0].Begin, End: spans[len(spans)-1].End}
	slices.Sort(made)
	made = made[sort.Search(len(made), func(i int) bool { return made[i] >= window.Begin }):]
	made = made[:sort.Search(len(made), func(i int) bool { return made[i] >= window.End })]
	unasked := func(by analyze.Nanos) (n int) {
		for _, at := range made {
			if at += by; at >= window.End {
				at -= window.Length()
			}
			if union.Within(analyze.Interval{Begin: at, End: at + 1}) == 0 {
				n++
			}
		}
		return n
	}
	random := rand.New(rand.NewPCG(uint64(len(made)), 0x68616e646f766572))
	found, sum, asFew := unasked(0), 0, 0
	for range policy.Permutations {
		n := unasked(analyze.Nanos(random.Int64N(int64(window.Length()))))
		if sum += n; n <= found {
			asFew++
		}
	}
	expected := float64(sum) / policy.Permutations
	return expected >= policy.Handful.Value && float64(found) <= (1-policy.Broad.Value)*expected && float64(asFew+1)/(policy.Permutations+1) <= policy.FalseDiscovery.Value
}

// inCommit is when the submitter commits.
func (h *handover) inCommit(t *analyze.Trace) *Busy {
	var own []analyze.Interval
	for _, b := range h.commits(t) {
		own = append(own, b.Committed.Interval)
	}
	return NewBusy(own)
}

func isInside(b *Busy, t analyze.Nanos) bool {
	return b.Within(analyze.Interval{Begin: t, End: t + 1}) > 0
}
