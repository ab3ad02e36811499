package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// What hangs on a wait goes with it: the loop that leads from one wait to the next and, in an interpreter, giving its
// lock back and taking it again around each. A program that waits for its own work alone does neither. Where the GPU
// has long done what is waited for, as with many processors, this is all that waits cost.

// A CallKind says what a call is for what hangs on waits.
type CallKind uint8

const (
	CallOther    CallKind = iota
	CallLock              // a wait for a lock
	CallWait              // a wait for work that the thread needs
	CallNeedless          // one that a program does not make that waits for its own work alone
)

// A TimedCall is one of a thread's calls; those of a thread follow each other.
type TimedCall struct {
	analyze.Interval
	Kind CallKind
}

// A passage leads from one wait to the next, with nothing but waits for locks between, where one of the two is
// needless.
type passage struct {
	After, Wait int           // the calls that are waits
	Own         analyze.Nanos // the thread's own time in it
	Hangs       float64       // share of that which hangs on needless waits; waits for locks in it do anyway
}

// Passages are those of a thread's calls. Between two needless waits all hangs on them; beside one that is needed the
// thread may do more, and what it usually takes between two needless ones is meant.
func Passages(calls []TimedCall) (found []passage) {
	var loops, others []analyze.Nanos
	last := -1
	for i, c := range calls {
		switch c.Kind {
		case CallWait, CallNeedless:
			if last >= 0 && (c.Kind == CallNeedless || calls[last].Kind == CallNeedless) {
				p := passage{After: last, Wait: i}
				for k := last + 1; k <= i; k++ {
					p.Own += max(0, calls[k].Begin-calls[k-1].End)
				}
				if c.Kind == calls[last].Kind {
					p.Hangs, loops = 1, append(loops, p.Own)
				} else {
					others = append(others, p.Own)
				}
				found = append(found, p)
			}
			last = i
		case CallOther:
			last = -1
		}
	}
	usual := Median(loops)
	if len(loops) == 0 && len(others) > 0 {
		slices.Sort(others)
		usual = others[len(others)/policy.Quick]
	}
	for i := range found {
		if p := &found[i]; p.Hangs == 0 {
			p.Hangs = min(1, Share(usual, max(1, p.Own)))
		}
	}
	return found
}

// hanging is what hangs on one thread's waits for others' work.
type hanging struct {
	when *Busy         // from the end of one wait to the beginning of the next
	own  analyze.Nanos // the thread's own time in that
}

// findHanging finds what hangs on the waits for others' work of the threads that wait for everybody's.
func (syncs *Syncs) findHanging(locks []analyze.LockWait, blocked Blocked) {
	calls := map[*analyze.Thread][]TimedCall{}
	add := func(c *analyze.Call, kind CallKind) {
		if syncs.everybody[c.Thread] && c.Known() {
			calls[c.Thread] = append(calls[c.Thread], TimedCall{c.Interval, kind})
		}
	}
	t, encoded := syncs.work.trace, syncs.work.trace.Encoded()
	for w := range analyze.Each(t.Waits) {
		kind := CallWait
		if ForOthers(t, w) || encoded && w.Buffer != analyze.NoCommandBuffer && t.WaitsFor(w).Empty() {
			kind = CallNeedless
		}
		add(&w.Call, kind)
	}
	for l := range analyze.Each(locks) {
		add(&l.Call, CallLock)
	}
	for b := range t.Buffers() {
		add(&b.Created, CallOther)
		add(&b.Committed, CallOther)
	}
	for c := range analyze.Each(t.Compilations) {
		if c.Kind != analyze.KindChildren { // which is no call of Metal's
			add(&c.Call, CallOther)
		}
	}
	syncs.hanging = map[*analyze.Thread]*hanging{}
	atWork := map[*analyze.Process][]analyze.Interval{}
	for thread, list := range calls {
		list = outermost(list)
		h := &hanging{}
		var when []analyze.Interval
		for _, p := range Passages(list) {
			when = append(when, analyze.Interval{Begin: list[p.After].End, End: list[p.Wait].Begin})
			h.own += Scaled(p.Own, p.Hangs)
		}
		if len(when) > 0 {
			h.when = NewBusy(when)
			syncs.hanging[thread] = h
			asleep := NewBusy(blocked[thread].spans(onLock, onGPU, onOthers))
			for _, way := range h.when.Spans() {
				atWork[thread.Process] = append(atWork[thread.Process], asleep.Gaps(way)...)
			}
		}
	}
	syncs.passing = unions(atWork)
}

// Hangs is the part of a wait for a lock that hangs on waits for others' work: all of it on the way from one to the
// next; of a wait for an interpreter's lock elsewhere, the time for which one that was on such a way had it.
func (syncs *Syncs) Hangs(l *analyze.LockWait) analyze.Nanos {
	switch h := syncs.hanging[l.Thread]; {
	case h != nil && h.when.Within(l.Interval) == l.Length():
		return l.Own
	case l.OfInterpreter():
		return min(l.Own, syncs.passing[l.Thread.Process].Within(l.Interval))
	}
	return 0
}

// outermost puts calls in order and leaves out those inside others.
func outermost(list []TimedCall) []TimedCall {
	slices.SortFunc(list, func(x, y TimedCall) int {
		return cmp.Or(cmp.Compare(x.Begin, y.Begin),
			cmp.Compare(y.End, x.End))
	})
	kept := list[:0]
	for _, c := range list {
		if n := len(kept); n == 0 || c.Begin >= kept[n-1].End {
			kept = append(kept, c)
		}
	}
	return kept
}
