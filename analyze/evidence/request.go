package evidence

import (
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
