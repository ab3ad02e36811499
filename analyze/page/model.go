package page

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// modelled is a call made up from an encoder, a commit or a wait, for sources such as Instruments that do not record
// calls.
type modelled struct {
	piece
	thread *analyze.Thread
	stack  *analyze.Stack
}

// timelineOf returns encoders, commits and waits as calls, sorted by end, for a run whose source does not record
// calls.
func timelineOf(t *analyze.Trace) (all []modelled) {
	add := func(call *analyze.Call, i analyze.Interval, part analyze.Part, name string) {
		if call.Thread != nil && i.Length() > 0 {
			all = append(all, modelled{piece{block: block{Interval: i, kind: uint8(part), name: name}}, call.Thread,
				call.Stack})
		}
	}
	for b := range t.Buffers() {
		for i := range b.Encoders {
			e := &b.Encoders[i]
			add(&e.Created, analyze.Interval{Begin: e.Created.Begin, End: e.Ended.End}, analyze.PartEncode,
				cmp.Or(e.Label, "encoding"))
		}
		add(&b.Committed, b.Committed.Interval, analyze.PartCommit, "commit")
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		all = append(all, modelled{piece{block: block{Interval: w.Interval}, hidden: true}, w.Thread, nil})
	}
	all = slices.DeleteFunc(all, func(m modelled) bool { return m.thread == nil })
	slices.SortStableFunc(all, func(a, b modelled) int {
		return cmp.Or(cmp.Compare(a.End, b.End),
			cmp.Compare(b.Begin, a.Begin))
	})
	return all
}
