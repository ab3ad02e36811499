package replay

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// Links tie what a thread waits for to what another does. Without them a thread waits for a signal as long as it did, and keeps a lock as long, whatever
// becomes of that what it waited for, or did under the lock: good enough to take a cause out, and not to say what a faster kernel brings.

// A heard is a signal in a replay: one that several threads wait for has come when all have given it that must, as where they meet.
type heard struct {
	left    int
	waiting line
}

// lockWaits are the threads' waits for locks; where threads are tied, those for turns, too, and not those that end with a wait for the GPU.
func (ev *builder) lockWaits() iter.Seq[*analyze.LockWait] {
	return func(yield func(*analyze.LockWait) bool) {
		for l := range analyze.Each(ev.Locks) {
			if ev.kept[l] == nil && !yield(l) {
				return
			}
		}
		if !ev.linked {
			return
		}
		for l := range analyze.Each(ev.TurnWaits()) {
			if !yield(l) {
				return
			}
		}
	}
}

// linkedSteps are what threads do for each other beside their calls: signals that they give, and their waits for these. Threads that make no calls take
// part, too, with what they recorded as their own time: those that load data.
func (ev *builder) linkedSteps(p *program, by map[*analyze.Thread][]step, window analyze.Interval) map[*analyze.Thread][]step {
	links := map[*analyze.Thread][]step{}
	type signal struct {
		by     *analyze.Thread
		object uint64
		at     analyze.Nanos
	}
	numbers := map[signal]int32{}
	add := func(t *analyze.Thread, i analyze.Interval, o op) {
		o.job = unknown
		links[t] = append(links[t], step{i, o})
	}
	for _, w := range ev.linkedWaits(by, window) {
		key := signal{w.Signaller, w.Object, w.Signalled}
		n, given := numbers[key]
		if !given {
			n = int32(len(p.needs))
			numbers[key], p.needs = n, append(p.needs, 1)
			add(w.Signaller, analyze.Interval{Begin: w.Signalled, End: w.Signalled}, op{kind: opGive, piece: n})
		}
		if m := ev.Meetings; m != nil && m.Threads[w.Thread] && m.Threads[w.Signaller] { // who waits has come
			p.needs[n]++
			add(w.Thread, analyze.Interval{Begin: w.Begin, End: w.Begin}, op{kind: opGive, piece: n})
		}
		add(w.Thread, w.Interval, op{kind: opHear, piece: n, waited: w.Signalled - w.Begin, notify: w.End - w.Signalled})
	}
	ends := map[*analyze.Wait]int32{}
	for l := range analyze.Each(ev.Locks) {
		w := ev.kept[l]
		if w == nil || l.Begin < window.Begin || l.End > window.End {
			continue
		}
		n, given := ends[w]
		if !given {
			n = int32(len(p.needs))
			ends[w], p.needs = n, append(p.needs, 1)
			add(w.Thread, analyze.Interval{Begin: w.End, End: w.End}, op{kind: opGive, piece: n})
		}
		add(l.Thread, l.Interval, op{kind: opHear, piece: n, waited: l.Length(), notify: max(0, l.End-w.End)})
	}
	for t, list := range links {
		if len(by[t]) == 0 {
			by[t] = list
			delete(links, t)
		}
	}
	return links
}

// linkedWaits are the waits for signals of threads that make calls, outside of these, and of those that give them signals.
func (ev *builder) linkedWaits(by map[*analyze.Thread][]step, window analyze.Interval) (list []*analyze.SignalWait) {
	calls := map[*analyze.Thread]*evidence.Busy{}
	for t, steps := range by {
		if !slices.ContainsFunc(steps, func(s step) bool { return s.kind != opLock }) {
			continue
		}
		var all []analyze.Interval
		for _, s := range steps {
			all = append(all, s.Interval)
		}
		calls[t] = evidence.NewBusy(all)
	}
	handlers := ev.handlerThreads()
	others := map[*analyze.Thread]bool{} // that make no calls
	for range 2 {
		list = list[:0]
		for w := range analyze.Each(ev.ForSignals) {
			s := w.Signaller
			if s == nil || s == w.Thread || w.GivenBack || w.TimedOut || w.Signalled <= w.Begin || w.Signalled > w.End || handlers[s] || w.Begin < window.Begin || w.End > window.End {
				continue
			}
			if own, makes := calls[w.Thread]; makes && own.Within(w.Interval) == 0 || others[w.Thread] && (others[s] || calls[s] != nil) {
				list = append(list, w)
				if calls[s] == nil {
					others[s] = true
				}
			}
		}
	}
	return list
}

// handlerThreads are those that mostly signal from completion handlers: what they wait for is the GPU.
func (ev *builder) handlerThreads() map[*analyze.Thread]bool {
	var ends []analyze.Interval
	for b := range ev.Trace.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() {
			ends = append(ends, analyze.Interval{Begin: b.GPU.End, End: b.Completed.End})
		}
	}
	handled := evidence.NewBusy(ends)
	inside, all := map[*analyze.Thread]int{}, map[*analyze.Thread]int{}
	for w := range analyze.Each(ev.ForSignals) {
		if all[w.Signaller]++; handled.Within(analyze.Interval{Begin: w.Signalled, End: w.Signalled + 1}) > 0 {
			inside[w.Signaller]++
		}
	}
	threads := map[*analyze.Thread]bool{}
	for t, n := range inside {
		threads[t] = policy.AtLeast(policy.Most, n, all[t])
	}
	return threads
}

// withLinks puts such steps among a thread's. A wait that is a part of another call is that call's affair, and what is given inside one is given at its end.
func withLinks(list, links []step) []step {
	if len(links) == 0 {
		return list
	}
	links = slices.DeleteFunc(slices.Clone(links), func(l step) bool {
		i, _ := slices.BinarySearchFunc(list, l.Begin, func(s step, at analyze.Nanos) int { return cmp.Compare(s.End, at) })
		for ; i < len(list) && list[i].Begin < l.End; i++ {
			if list[i].End > l.Begin && l.kind == opHear {
				return true
			}
		}
		return false
	})
	all := append(slices.Clone(list), links...)
	slices.SortStableFunc(all, func(x, y step) int { return cmp.Or(cmp.Compare(x.Begin, y.Begin), cmp.Compare(x.End, y.End)) })
	for i := 1; i < len(all); i++ {
		if before := all[i-1].End; all[i].Begin < before && all[i].kind.links() {
			all[i].Interval = analyze.Interval{Begin: before, End: max(before, all[i].End)}
		}
	}
	return all
}

// links says whether it is such a step, and no call.
func (k opKind) links() bool { return k == opGive || k == opHear || k == opRelease }

// waits is 0 of a signal that a thread gives, which comes before what it begins at the same time to wait for, and 1 of all else.
func (k opKind) waits() int {
	if k == opGive {
		return 0
	}
	return 1
}

// hasLinks says whether there is any.
func (p *program) hasLinks() bool {
	for _, o := range p.ops() {
		if o.kind.links() {
			return true
		}
	}
	return false
}

func (r *playing) give(t int32, o *op) {
	h := &r.heard[o.piece]
	if h.left--; h.left == 0 {
		for len(h.waiting) > 0 {
			w := h.waiting.pop()
			r.over(w, r.op(w).notify, 0)
		}
	}
	r.over(t, 0, 0)
}

func (r *playing) hear(t int32, o *op) {
	if h := &r.heard[o.piece]; h.left > 0 {
		h.waiting.push(t)
		return
	}
	r.over(t, 0, 0)
}

// release gives a lock back, which who waits for it has when it is awake.
func (r *playing) release(t int32, o *op) {
	if l := &r.locked[o.handed]; l.held && l.by == t+1 {
		if l.by = 0; len(l.waiting) > 0 {
			r.at(r.now+o.notify, 0, evUnlock, o.handed)
		} else {
			l.held = false
		}
	}
	r.over(t, 0, 0)
}
