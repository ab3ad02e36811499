package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A needless wait also has an indirect cost. It consists of the code between one wait and the next and, in an
// interpreter, of releasing and reacquiring its lock around each wait. A program in which each thread waits only for
// its own work has neither. If the GPU has completed the awaited work long before, the indirect cost is the only cost
// of needless waits.

// A CallKind classifies calls for computing this cost.
type CallKind uint8

const (
	CallOther    CallKind = iota
	CallLock              // a wait for a lock
	CallWait              // a wait for work that the thread needs
	CallNeedless          // a wait that a thread would not make if it waited only for its own work
)

// A TimedCall is one of a thread's calls. Calls of one thread do not overlap.
type TimedCall struct {
	analyze.Interval
	Kind CallKind
}

// A passage is the interval between two waits of a thread, with no calls in between except waits for locks, where at
// least one of the two waits is needless.
type passage struct {
	After, Wait int           // indexes of the two waits
	Own         analyze.Nanos // the thread's own time in it
	// share of Own that needless waits cause; waits for locks in the passage always count as caused by them
	Hangs float64
}

// Passages finds the passages in a thread's calls. Between two needless waits, needless waits cause all of the thread's
// own time. Next to a necessary wait the thread may do other work as well, so they cause only the usual time between
// two needless waits.
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

// outermost sorts calls and drops those nested in others.
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
