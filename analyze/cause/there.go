package cause

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/replay"
)

// unmatched is the error for what is asked for of which there is nothing in the trace; nil when there is some of each. It needs no replay: where nothing
// is predicted, a name that is not there is still a mistake, and not the reason. Whatever there is, *, is none, also where there is nothing.
func (a *Analysis) unmatched(wanted []replay.Wanted) error {
	for _, w := range wanted {
		there := a.there(w.Kind)
		switch {
		case slices.ContainsFunc(there, func(name string) bool { return replay.Matches(w.Pattern, name) }), len(there) == 0 && replay.Matches(w.Pattern, ""):
		case len(there) == 0:
			return fmt.Errorf("no %s matches %q: there is none of that kind in the trace", w.Kind, w.Pattern)
		default:
			return fmt.Errorf("no %s matches %q: there are %s", w.Kind, w.Pattern, strings.Join(there[:min(8, len(there))], ", "))
		}
	}
	return nil
}

// there are the names of a kind in the trace, as a replay has them, each once.
func (a *Analysis) there(kind string) (names []string) {
	known := map[string]bool{}
	add := func(name string) {
		if !known[name] {
			known[name] = true
			names = append(names, name)
		}
	}
	switch kind {
	case replay.KindKernel:
		for b := range a.Trace.Buffers() {
			for _, s := range kernels.Split(b, a.Trace.Window) {
				add(s.Kernel)
			}
		}
	case replay.KindCall:
		for _, c := range a.Trace.Calls {
			add(c.Selector)
		}
	case replay.KindLock:
		for i := range a.Trace.Locks {
			add(evidence.KeyOf(&a.Trace.Locks[i]).Label())
		}
	case replay.KindThread:
		for _, t := range a.Trace.Threads {
			add(evidence.ThreadName(t))
		}
	case replay.KindInFlight:
		return replay.Flights
	case KindCause:
		for i := range a.Verdict.Causes {
			add(a.Verdict.Causes[i].Cause)
		}
	default:
		panic(fmt.Sprintf("a kind that nobody knows: %q", kind))
	}
	return names
}
