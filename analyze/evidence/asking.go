package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// findAsked finds the objects by which the submitter is asked for something: it waits for their signal, and who gives
// that waits for the submitter at once, or it is not known by whom it was given.
func (h *Handover) findAsked() {
	begins := map[*analyze.Thread][]analyze.Nanos{} // of waits for the submitter's signal
	for w := range h.answers() {
		begins[w.Thread] = append(begins[w.Thread], w.Begin)
	}
	uses := map[uint64]*struct{ calls, soon int }{}
	for w := range analyze.Each(h.waits) {
		if w.Thread != h.To || w.GivenBack {
			continue
		}
		u := entry(uses, w.Object)
		own := begins[w.Signaller]
		if w.Signaller == nil || len(own) == 0 {
			continue
		}
		u.calls++
		called := cmp.Or(w.Signalled, w.End)
		if k, _ := slices.BinarySearch(own, called-policy.Wakeup.Nanos()); k < len(own) &&
			own[k] <= called+policy.AnswerDelay.Nanos() {
			u.soon++
		}
	}
	for object := range h.trace.Range.RequestObjects {
		h.asked[object] = true
	}
	for object, u := range uses {
		h.asked[object] = policy.AtLeast(policy.Most, u.soon, u.calls)
	}
	for object := range h.askedAddressed() {
		if _, waitedFor := uses[object]; !waitedFor {
			h.asked[object] = true
		}
	}
}

// findAddressed finds the threads that wait for the submitter's signal at a place of their own. The submitter chose
// which of them to wake, as one does that answers a request.
func (h *Handover) findAddressed() {
	places, shared := map[uint64]*analyze.Thread{}, map[uint64]bool{}
	for w := range analyze.Each(h.waits) {
		if w.Thread == h.To || w.Object == 0 {
			continue
		}
		if t, known := places[w.Object]; known && t != w.Thread {
			shared[w.Object] = true
		}
		places[w.Object] = w.Thread
	}
	answers, own := map[*analyze.Thread]int{}, map[*analyze.Thread]int{}
	for w := range h.answers() {
		if h.inCommit.holds(w.Signalled) {
			continue // a thread of Metal's own
		}
		if answers[w.Thread]++; w.Object != 0 && !shared[w.Object] {
			own[w.Thread]++
		}
	}
	for t, n := range answers {
		if n >= policy.Handful.Count() && policy.NearlyAll(own[t], n) {
			h.addressed[t] = true
		}
	}
}

// askedAddressed are the objects that threads signal before they wait for an answer at a place of their own, where
// several do. A submitter that is never idle does not wait at such an object.
func (h *Handover) askedAddressed() map[uint64]bool {
	by := map[uint64]map[*analyze.Thread]bool{}
	for w := range h.answers() {
		if w.Gave == 0 || !h.addressed[w.Thread] {
			continue
		}
		if by[w.Gave] == nil {
			by[w.Gave] = map[*analyze.Thread]bool{}
		}
		by[w.Gave][w.Thread] = true
	}
	objects := map[uint64]bool{}
	for object, threads := range by {
		objects[object] = len(threads) >= 2
	}
	for w := range analyze.Each(h.waits) {
		if w.Thread != h.To {
			delete(objects, w.Object) // other threads wait for it
		}
	}
	for object, several := range objects {
		if !several {
			delete(objects, object)
		}
	}
	return objects
}

// Asked are the objects by which the one that submits is asked for something; none when no threads were seen to ask.
// Other parts of the run are told of them by analyze.Options.Asked.
func (h *Handover) Asked() (objects []uint64) {
	if h.Holds() && !h.Unseen {
		for object, asked := range h.asked {
			if asked {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// findThreads finds who hands something over to the submitter.
func (h *Handover) findThreads() {
	type signs struct {
		waits, gave int
		// a wait for the lock of an answer that has come is short, and for nothing that was fetched
		waited, fetched analyze.Nanos
	}
	by := map[*analyze.Thread]*signs{}
	for w := range h.answers() {
		s := entry(by, w.Thread)
		if s.waits++; w.Gave != 0 && h.asked[w.Gave] {
			s.gave++
		}
		if s.waited += w.Length(); w.Fetched {
			s.fetched += w.Length()
		}
	}
	for t, s := range by {
		if !policy.AtLeast(policy.Negligible, s.waited, t.Active.Length()) {
			// as one does that waits, at its end, for that of the submitter
			continue
		}
		if policy.AtLeast(policy.Most, s.gave, s.waits) || s.waits >= policy.Handful.Count() &&
			policy.AtLeast(policy.Most, s.fetched, s.waited) {
			h.Threads[t] = true
		}
	}
}

// findByTiming finds who waits for the submitter's answers by when the submitter works. What is handed over may not
// show: through a flag that the submitter polls, a pipe, a queue that is never empty so that nobody waits for it. Then
// this does: who works on request makes command buffers only while somebody waits for an answer. Who feeds a pool makes
// them also while all of the pool are busy, and not more seldom than at other times.
func (h *Handover) findByTiming() {
	by := map[*analyze.Thread]*struct {
		answers, frameworks int
		asked               []analyze.Interval
	}{}
	for w := range h.answers() {
		n := entry(by, w.Thread)
		n.asked = append(n.asked, analyze.Interval{Begin: w.Begin - policy.Wakeup.Nanos(), End: w.End})
		if h.inCommit.holds(w.Signalled) { // a thread of Metal's own, woken to see to the commit
			n.frameworks++
		} else {
			n.answers++
		}
	}
	threads := map[*analyze.Thread]bool{}
	var asked []analyze.Interval
	for t, n := range by {
		if n.answers >= policy.Handful.Count() && n.answers > policy.Outlier.Count()*n.frameworks {
			threads[t], asked = true, append(asked, n.asked...)
		}
	}
	if len(threads) < 2 {
		return
	}
	h.MayAnswer = len(asked)
	if onRequest(h.made(), asked) {
		h.Threads, h.Unseen = threads, true
	}
}

// made is when the submitter made its command buffers.
func (h *Handover) made() (at []analyze.Nanos) {
	for _, b := range h.commits {
		if b.Created.Thread == h.To && b.Created.Known() {
			at = append(at, b.Created.Begin)
		}
	}
	return at
}

// alternates says whether the submitter makes its command buffers while one that hands something over waits, and waits
// for that one as often. One alone that seems to hand something over may else only say that it has room for more.
func (h *Handover) alternates() bool {
	var asked []analyze.Interval
	for w := range h.answers() {
		if h.Threads[w.Thread] {
			asked = append(asked, analyze.Interval{Begin: w.Begin - policy.Wakeup.Nanos(), End: w.End})
		}
	}
	union, made, inside, slept := NewBusy(asked), h.made(), 0, 0
	for _, at := range made {
		if union.holds(at) {
			inside++
		}
	}
	for w := range analyze.Each(h.waits) {
		if w.Thread == h.To && h.Threads[w.Signaller] && !w.GivenBack {
			slept++
		}
	}
	return policy.NearlyAll(inside, len(made)) && policy.AtLeast(policy.Most, slept, len(asked))
}

// onRequest says whether what was made was made while somebody had asked, and hardly ever while nobody had, as chance
// would not have it.
func onRequest(made []analyze.Nanos, asked []analyze.Interval) bool {
	if len(asked) < policy.Pattern.Count() {
		return false
	}
	union := NewBusy(asked)
	spans := union.Spans()
	window := analyze.Interval{Begin: spans[0].Begin, End: spans[len(spans)-1].End}
	slices.Sort(made)
	from, _ := slices.BinarySearch(made, window.Begin)
	to, _ := slices.BinarySearch(made, window.End)
	made = made[from:to]
	unasked := func(by analyze.Nanos) (n int) {
		for _, at := range made {
			if at += by; at >= window.End {
				at -= window.Length()
			}
			if !union.holds(at) {
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
	return expected >= policy.Handful.Value && float64(found) <= (1-policy.DominantShare.Value)*expected &&
		float64(asFew+1)/(policy.Permutations+1) <= policy.FalseDiscovery.Value
}
