package serial

import (
	"sort"

	"mtrace/analyze"
)

// waitsSoon is how soon after it asked a thread waits for the answer. Who says that there is room again, in the queue of what it is given,
// goes to work first.
const waitsSoon analyze.Nanos = 1_000_000

// asking finds the objects by which the submitter is asked for something: it waits for their signal, and who gives that waits for the
// submitter at once, or it is not known by whom it was given.
func (h *handover) asking(waits []analyze.SignalWait) map[uint64]bool {
	begins := map[*analyze.Thread][]analyze.Nanos{} // of waits for the submitter's signal
	for i := range waits {
		if w := &waits[i]; w.Signaller == h.to && w.Thread != h.to && !w.GivenBack {
			begins[w.Thread] = append(begins[w.Thread], w.Begin)
		}
	}
	type use struct{ calls, soon int }
	uses := map[uint64]*use{}
	for i := range waits {
		w := &waits[i]
		if w.Thread != h.to || w.GivenBack {
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
		k := sort.Search(len(own), func(k int) bool { return own[k] >= called-asksBefore })
		if k < len(own) && own[k] <= called+waitsSoon {
			u.soon++
		}
	}
	asked := map[uint64]bool{}
	for object, u := range uses {
		asked[object] = u.soon*2 >= u.calls
	}
	return asked
}
