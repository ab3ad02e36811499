package evidence

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"iter"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// findAsked finds the objects (semaphores, condition variables) with which other threads send requests to the
// submitter, the thread that commits all GPU work, and marks them in h.isRequestObject. The submitter waits at such an
// object, and most of the object's signals come from a thread that at once waits for the submitter's answer. A signal
// without a following wait for an answer is no request: it announces new data or free space.
func (h *Delegation) findAsked() {
	begins := map[*analyze.Thread][]analyze.Nanos{} // when the thread's waits for the submitter's signal began
	for w := range h.answers() {
		begins[w.Thread] = append(begins[w.Thread], w.Begin)
	}
	uses := map[uint64]*struct{ calls, soon int }{}
	for w := range analyze.Each(h.waits) {
		if !h.Pool[w.Thread] || w.AcquirerReleased {
			continue
		}
		u := entry(uses, w.Object)
		own := begins[w.Signaller]
		if w.Signaller == nil || len(own) == 0 {
			continue
		}
		u.calls++
		called := cmp.Or(w.Signalled, w.End)
		if k, _ := slices.BinarySearch(own, called-policy.LongestWakeup.Nanos()); k < len(own) &&
			own[k] <= called+policy.LongestAnswerDelay.Nanos() {
			u.soon++
		}
	}
	for object := range h.trace.Range.RequestObjects {
		h.isRequestObject[object] = true
	}
	for object, u := range uses {
		h.isRequestObject[object] = policy.AtLeast(policy.Majority, u.soon, u.calls)
	}
	for object := range h.askedAddressed() {
		if _, waitedFor := uses[object]; !waitedFor {
			h.isRequestObject[object] = true
		}
	}
}

// findAddressed finds the threads that wait for the signal of the submitter (the thread that commits all GPU work) at
// an object of their own: a semaphore, for example, at which no other thread waits. With such objects the submitter
// chooses which thread to wake, as a server does that answers requests.
func (h *Delegation) findAddressed() {
	places, shared := map[uint64]*analyze.Thread{}, map[uint64]bool{}
	for w := range analyze.Each(h.waits) {
		if h.Pool[w.Thread] || w.Object == 0 {
			continue
		}
		if t, known := places[w.Object]; known && t != w.Thread {
			shared[w.Object] = true
		}
		places[w.Object] = w.Thread
	}
	answers, own := map[*analyze.Thread]int{}, map[*analyze.Thread]int{}
	for w := range h.answers() {
		if h.inCommit.contains(w.Signalled) {
			continue // a thread of Metal itself
		}
		if answers[w.Thread]++; w.Object != 0 && !shared[w.Object] {
			own[w.Thread]++
		}
	}
	for t, n := range answers {
		if n >= policy.FewestThreadOccurrences.Count() && policy.NearlyAll(own[t], n) {
			h.addressed[t] = true
		}
	}
}

// askedAddressed finds requests to a submitter (the thread that commits all GPU work) that is never idle, so it never
// waits for a request. A request then shows only at the clients: at least two threads signal the same semaphore or
// condition variable, and each then waits for an answer at an object of its own. The signalled objects are returned,
// except those at which a thread other than the submitter waits.
func (h *Delegation) askedAddressed() map[uint64]bool {
	by := map[uint64]map[*analyze.Thread]bool{}
	for w := range h.answers() {
		if w.LastSignalled == 0 || !h.addressed[w.Thread] {
			continue
		}
		if by[w.LastSignalled] == nil {
			by[w.LastSignalled] = map[*analyze.Thread]bool{}
		}
		by[w.LastSignalled][w.Thread] = true
	}
	objects := map[uint64]bool{}
	for object, threads := range by {
		objects[object] = len(threads) >= 2
	}
	for w := range analyze.Each(h.waits) {
		if !h.Pool[w.Thread] {
			delete(objects, w.Object) // other threads wait there, too
		}
	}
	for object, several := range objects {
		if !several {
			delete(objects, object)
		}
	}
	return objects
}

// RequestObjects returns the addresses of the objects with which threads send requests to the submitter, or none if the
// trace shows no requests. Loads of other time ranges of the run get them in analyze.Options.RequestObjects, because a
// range may be too short to find them.
func (h *Delegation) RequestObjects() (objects []uint64) {
	if h.Confirmed() && !h.Unseen {
		for object, asked := range h.isRequestObject {
			if asked {
				objects = append(objects, object)
			}
		}
	}
	return objects
}

// findThreads adds to h.Threads the threads that send requests to the submitter. Either the thread signals a request
// object before most of its waits, or the submitter fetched a request before answers that ended most of the thread's
// waiting time.
func (h *Delegation) findThreads() {
	type signs struct {
		waits, gave int
		// `waited` is the total time of the thread's waits, and `fetched` that of waits for which the submitter fetched
		// a request. Times are compared, and not numbers, because threads also make many short waits without a request,
		// for example for the lock that protects an answer which is ready.
		waited, fetched analyze.Nanos
	}
	by := map[*analyze.Thread]*signs{}
	for w := range h.answers() {
		s := entry(by, w.Thread)
		if s.waits++; w.LastSignalled != 0 && h.isRequestObject[w.LastSignalled] {
			s.gave++
		}
		if s.waited += w.Length(); w.Fetched {
			s.fetched += w.Length()
		}
	}
	for t, s := range by {
		if !policy.AtLeast(policy.NegligibleShare, s.waited, t.Active.Length()) {
			// the thread hardly waits for the submitter; it may, for example, only wait for the submitter to end
			continue
		}
		if policy.AtLeast(policy.Majority, s.gave, s.waits) || s.waits >= policy.FewestThreadOccurrences.Count() &&
			policy.AtLeast(policy.Majority, s.fetched, s.waited) {
			h.Threads[t] = true
		}
	}
}

// findByTiming finds the threads that wait for answers of the submitter (the thread that commits all GPU work) if their
// requests are not in the trace: the submitter may poll a flag, read a pipe, or take requests from a queue that is
// never empty. Such a submitter creates command buffers only while some thread waits for an answer. A submitter that
// also creates them while no thread waits is a producer that feeds a pool of threads; then h.Threads stays empty.
func (h *Delegation) findByTiming() {
	by := map[*analyze.Thread]*struct {
		answers, frameworks int
		asked               []analyze.Interval
	}{}
	for w := range h.answers() {
		n := entry(by, w.Thread)
		n.asked = append(n.asked, analyze.Interval{Begin: w.Begin - policy.LongestWakeup.Nanos(), End: w.End})
		if h.inCommit.contains(w.Signalled) { // Metal's own thread, woken to process the commit
			n.frameworks++
		} else {
			n.answers++
		}
	}
	threads := map[*analyze.Thread]bool{}
	var asked []analyze.Interval
	for t, n := range by {
		if n.answers >= policy.FewestThreadOccurrences.Count() && n.answers > policy.OutlierRatio.Count()*n.frameworks {
			threads[t], asked = true, append(asked, n.asked...)
		}
	}
	if len(threads) < 2 {
		return
	}
	h.MayAnswer = len(asked)
	if onRequest(h.createdTimes(), asked) {
		h.Threads, h.Unseen = threads, true
	}
}

// createdTimes returns the times at which the submitter created its command buffers, unsorted.
func (h *Delegation) createdTimes() (at []analyze.Nanos) {
	for _, b := range h.commits {
		if h.Pool[b.Created.Thread] && b.Created.Known() {
			at = append(at, b.Created.Begin)
		}
	}
	return at
}

// alternates reports whether the submitter and the requesting threads take turns: the submitter creates nearly all
// command buffers while a requesting thread waits, and the submitter also waits for that thread. FindDelegation
// requires this if only one thread seems to send requests, because the thread's signals may only mean that it has
// space for more data.
func (h *Delegation) alternates() bool {
	var asked []analyze.Interval
	for w := range h.answers() {
		if h.Threads[w.Thread] {
			asked = append(asked, analyze.Interval{Begin: w.Begin - policy.LongestWakeup.Nanos(), End: w.End})
		}
	}
	union, made, inside, slept := NewBusy(asked), h.createdTimes(), 0, 0
	for _, at := range made {
		if union.contains(at) {
			inside++
		}
	}
	for w := range analyze.Each(h.waits) {
		if h.Pool[w.Thread] && h.Threads[w.Signaller] && !w.AcquirerReleased {
			slept++
		}
	}
	return policy.NearlyAll(inside, len(made)) && policy.AtLeast(policy.Majority, slept, len(asked))
}

// onRequest reports whether nearly all command buffers were created while some thread waited for an answer. `made`
// has their creation times, and asked the intervals of these waits. It compares the count with the counts after
// shifting the times at random, so that threads that wait nearly always do not count as requesting.
func onRequest(made []analyze.Nanos, asked []analyze.Interval) bool {
	if len(asked) < policy.FewestOccurrences.Count() {
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
			if !union.contains(at) {
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
	return expected >= policy.FewestThreadOccurrences.Value && float64(found) <= (1-policy.DominantShare.Value)*expected &&
		float64(asFew+1)/(policy.Permutations+1) <= policy.FalseDiscovery.Value
}

// answers yields the waits of other threads that a signal of a submitter ended.
func (h *Delegation) answers() iter.Seq[*analyze.SignalWait] {
	return func(yield func(*analyze.SignalWait) bool) {
		for w := range analyze.Each(h.waits) {
			if h.Pool[w.Signaller] && !h.Pool[w.Thread] && !w.AcquirerReleased && !yield(w) {
				return
			}
		}
	}
}
