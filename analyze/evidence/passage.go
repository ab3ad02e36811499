package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A needless wait costs more than the wait itself. It also costs the time of the code between the wait and the next
// one and, in an interpreter, releasing and reacquiring the interpreter's lock. If the GPU completed the awaited work
// long before, this indirect cost is the only one.

// A CallKind classifies a thread's calls for computing the indirect cost of needless waits.
type CallKind uint8

const (
	CallOther    CallKind = iota
	CallLock              // a wait for a lock
	CallWait              // a wait for work that the thread needs
	CallNeedless          // a wait that a thread would not make if it waited only for its own work
)

// A TimedCall is one call of a thread. Calls of one thread must not overlap.
type TimedCall struct {
	analyze.Interval
	Kind CallKind
}

// A passage is the time between two consecutive waits of a thread, at least one of them needless. It may contain
// waits for locks, but no other calls.
type passage struct {
	After, Wait int           // indexes of the two waits
	Own         analyze.Nanos // the thread's own time in it
	// share (0 to 1) of Own that needless waits cause. Waits for locks in the passage are caused by needless waits
	// completely
	Hangs float64
}

// Passages finds the passages between waits in a thread's calls. If both waits are needless, they cause all of the
// thread's own time in between. If one is necessary, the thread may also do useful work: then the needless one causes
// only as much time as is usual between two needless waits.
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
		usual = others[len(others)/policy.FastestDivisor]
	}
	for i := range found {
		if p := &found[i]; p.Hangs == 0 {
			p.Hangs = min(1, Share(usual, max(1, p.Own)))
		}
	}
	return found
}

// outermost sorts calls by begin and drops calls that are nested in others.
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
