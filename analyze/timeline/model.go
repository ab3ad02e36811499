package timeline

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// model makes slices (named intervals on a track) for sources that do not record calls: encoders from creation to
// end, commits and waits. It must run before the trace's other events are written.
func (f *trackFile) model(t *analyze.Trace) {
	var all []modelled
	add := func(on *analyze.Thread, s slice) {
		if on != nil && s.End >= s.Begin {
			all = append(all, modelled{on, s})
		}
	}
	for b := range t.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			add(e.Created.Thread, slice{Interval: analyze.Interval{Begin: e.Created.Begin, End: e.Ended.End},
				name: encoderName(e), category: "encode"})
		}
		if b.Process != nil {
			s := slice{Interval: b.Committed.Interval, name: "commit", category: "commit",
				flows: []uint64{f.flowOf(b.Process, b.ID)}}
			s.say(arg{name: "command buffer", value: uint64(b.ID)})
			add(b.Committed.Thread, s)
		}
	}
	for i := range t.Waits {
		x := &t.Waits[i]
		s := slice{Interval: x.Interval, name: x.Selector, category: "wait"}
		if b := t.WaitsFor(x); b != nil && b.Process != nil {
			s.flowEnd = f.flowOf(b.Process, b.ID)
		}
		add(x.Thread, s)
	}
	slices.SortStableFunc(all, func(a, b modelled) int {
		return cmp.Or(cmp.Compare(a.slice.End, b.slice.End), cmp.Compare(b.slice.Begin, a.slice.Begin))
	})
	on, order := map[*analyze.Thread]*sorter{}, []*sorter(nil)
	for i := range all {
		m := &all[i]
		to := on[m.thread]
		if to == nil {
			id := f.thread(m.thread, m.thread.Name)
			to = f.sorter(id)
			on[m.thread], order = to, append(order, to)
		}
		to.add(&m.slice)
	}
	for _, to := range order {
		to.flush()
	}
}

// modelled is a slice with its thread.
type modelled struct {
	thread *analyze.Thread
	slice  slice
}
