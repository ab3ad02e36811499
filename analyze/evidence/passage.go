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
