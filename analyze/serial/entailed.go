package serial

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// What hangs on a wait goes with it: the loop that leads from one wait to the next and, in an interpreter, giving its lock back and taking
// it again around each. A program that waits for its own work alone does neither. Where the GPU has long done what is waited for, as with
// many processors, this is all that waits cost.

// withoutVain joins waits for an interpreter's lock that follow each other at once into the one that got it. The mutex and the
// condition variable that the lock is made of are one lock.
func withoutVain(list []step) []step {
	kept := list[:0]
	for _, s := range list {
		if n := len(kept); n > 0 && s.forInterpreter() && kept[n-1].forInterpreter() && s.Begin-kept[n-1].End <= policy.AtOnce.Nanos() {
			s.Begin = kept[n-1].Begin
			s.cost = s.Length()
			kept[n-1] = s
			continue
		}
		kept = append(kept, s)
	}
	return kept
}

func (s *step) forInterpreter() bool { return s.kind == opLock && s.wait.OfInterpreter() }

// A callKind says what a call is for what hangs on waits.
type callKind uint8

const (
	callOther    callKind = iota
	callLock              // a wait for a lock
	callWait              // a wait for work that the thread needs
	callNeedless          // one that a program does not make that waits for its own work alone
)

// A timedCall is one of a thread's calls; those of a thread follow each other.
type timedCall struct {
	analyze.Interval
	kind callKind
}

// A passage leads from one wait to the next, with nothing but waits for locks between, where one of the two is needless.
type passage struct {
	after, wait int           // the calls that are waits
	own         analyze.Nanos // the thread's own time in it
	hangs       float64       // share of that which hangs on needless waits; waits for locks in it do anyway
}

// passages are those of a thread's calls. Between two needless waits all hangs on them; beside one that is needed the thread may do more,
// and what it usually takes between two needless ones is meant.
func passages(calls []timedCall) (found []passage) {
	var loops, others []analyze.Nanos
	last := -1
	for i, c := range calls {
		switch c.kind {
		case callWait, callNeedless:
			if last >= 0 && (c.kind == callNeedless || calls[last].kind == callNeedless) {
				p := passage{after: last, wait: i}
				for k := last + 1; k <= i; k++ {
					p.own += max(0, calls[k].Begin-calls[k-1].End)
				}
				if c.kind == calls[last].kind {
					p.hangs, loops = 1, append(loops, p.own)
				} else {
					others = append(others, p.own)
				}
				found = append(found, p)
			}
			last = i
		case callOther:
			last = -1
		}
	}
	usual := median(loops)
	if len(loops) == 0 && len(others) > 0 {
		slices.Sort(others)
		usual = others[len(others)/policy.Quick]
	}
	for i := range found {
		if p := &found[i]; p.hangs == 0 {
			p.hangs = min(1, share(usual, max(1, p.own)))
		}
	}
	return found
}

// findEntailed marks what hangs on needless waits among a thread's steps.
func findEntailed(list []step) {
	calls := make([]timedCall, len(list))
	for i := range list {
		calls[i] = timedCall{list[i].Interval, list[i].callKind()}
	}
	for _, p := range passages(calls) {
		for i := p.after + 1; i <= p.wait; i++ {
			list[i].hangs = p.hangs
		}
	}
}

func (s *step) callKind() callKind {
	switch {
	case s.kind == opForeign || s.kind == opWait && s.barrier:
		return callNeedless
	case s.kind == opWait:
		return callWait
	case s.kind == opLock:
		return callLock
	}
	return callOther
}

// hanging is what hangs on one thread's waits for others' work.
type hanging struct {
	when *Busy         // from the end of one wait to the beginning of the next
	own  analyze.Nanos // the thread's own time in that
}

// hangingOn finds what hangs on the waits for others' work of the threads that wait for everybody's.
func (a *Analysis) hangingOn(everybody map[*analyze.Thread]bool) map[*analyze.Thread]*hanging {
	calls := map[*analyze.Thread][]timedCall{}
	add := func(c *analyze.Call, kind callKind) {
		if everybody[c.Thread] && c.Known() {
			calls[c.Thread] = append(calls[c.Thread], timedCall{c.Interval, kind})
		}
	}
	t, encoded := a.Trace, a.Trace.Encoded()
	for i := range t.Waits {
		kind := callWait
		if w := &t.Waits[i]; Awaited(w) != nil && Awaited(w) != w.Thread || encoded && w.Buffer != nil && w.Buffer.Empty() {
			kind = callNeedless
		}
		add(&t.Waits[i].Call, kind)
	}
	for i := range t.Locks {
		add(&t.Locks[i].Call, callLock)
	}
	for _, b := range t.CommandBuffers {
		add(&b.Created, callOther)
		add(&b.Committed, callOther)
	}
	for i := range t.Compilations {
		add(&t.Compilations[i].Call, callOther)
	}
	found := map[*analyze.Thread]*hanging{}
	for thread, list := range calls {
		list = outermost(list)
		h := &hanging{}
		var when []analyze.Interval
		for _, p := range passages(list) {
			when = append(when, analyze.Interval{Begin: list[p.after].End, End: list[p.wait].Begin})
			h.own += scaled(p.own, p.hangs)
		}
		if len(when) > 0 {
			h.when = NewBusy(when)
			found[thread] = h
		}
	}
	return found
}

// outermost puts calls in order and leaves out those inside others.
func outermost(list []timedCall) []timedCall {
	slices.SortFunc(list, func(x, y timedCall) int {
		if c := compare(x.Begin, y.Begin); c != 0 {
			return c
		}
		return compare(y.End, x.End)
	})
	kept := list[:0]
	for _, c := range list {
		if n := len(kept); n == 0 || c.Begin >= kept[n-1].End {
			kept = append(kept, c)
		}
	}
	return kept
}
