package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// trend finds threads whose steps take longer and longer, and names the activities that grow.
func trend(in *Input) *Insight {
	all := map[*analyze.Thread]*steps{}
	var order []*steps
	for thread, log := range commitLogs(in.Trace) {
		if s := growingSteps(thread, log); s != nil {
			all[thread] = s
			order = append(order, s)
		}
	}
	if len(order) == 0 {
		return nil
	}
	in.addTimes(all)
	slices.SortFunc(order, func(a, b *steps) int {
		return cmp.Or(cmp.Compare(b.whole.time[lastPart]-b.whole.time[0], a.whole.time[lastPart]-a.whole.time[0]),
			cmp.Compare(a.thread.ID, b.thread.ID))
	})
	var cost analyze.Nanos
	for _, s := range order {
		for part := range policy.TrendParts {
			cost += s.whole.time[part] - s.whole.time[0]
		}
	}
	s := order[0]
	i := &Insight{Severity: in.weigh(cost), Cost: cost,
		Evidence: fmt.Sprintf("from the first fifth of the run to the last, "+
			"a step of thread %d %s, %s, grows from %s to %s",
			s.thread.ID, s.thread.Name, s.description(), s.whole.mean(0), s.whole.mean(lastPart))}
	var growing []string
	for _, g := range s.growers()[:min(len(s.growers()), policy.NamedSites)] {
		growing = append(growing, g.text(s.whole.count[0]))
	}
	if len(growing) > 0 {
		i.Evidence += "; what grows: " + strings.Join(growing, "; ") + s.work()
	}
	if len(order) > 1 {
		i.Evidence += fmt.Sprintf("; the steps of %s grow, too", analyze.Plural(len(order)-1, "more thread"))
	}
	return i
}

// addTimes adds the times of each thread's activities to the part of the run in which they began. `all` has only
// threads whose steps grow.
func (in *Input) addTimes(all map[*analyze.Thread]*steps) {
	t := in.Trace
	call := func(what string, c *analyze.Call) {
		if s := all[c.Thread]; s != nil && c.Known() {
			s.add(what, c.Begin, c.Length())
		}
	}
	for b := range t.Buffers() {
		s := all[b.Committed.Thread]
		if s == nil || !b.Committed.Known() {
			continue
		}
		call("commit", &b.Committed)
		call("creating a command buffer", &b.Created)
		if b.GPU.Known() && !b.Failed() {
			s.add(kernelsOf(b)+" on the GPU", b.Committed.Begin, b.Took(b.GPU))
		}
		s.addWork(b)
		for i := range b.Encoders {
			e := &b.Encoders[i]
			if e.Created.Known() && e.Ended.Known() {
				s.add("encoding into an encoder", e.Created.Begin, e.Ended.End-e.Created.Begin)
			}
		}
	}
	for i := range t.CPUWaits.Locks {
		call("waiting for a lock in "+t.CPUWaits.Locks[i].Selector, &t.CPUWaits.Locks[i].Call)
	}
	for i := range t.Memory.Allocations {
		a := &t.Memory.Allocations[i]
		call(a.Selector, &analyze.Call{Interval: analyze.Interval{Begin: a.At, End: a.At + a.Took}, Thread: a.Thread})
	}
	for i := range t.Compilations {
		call(t.Compilations[i].Selector, &t.Compilations[i].Call)
	}
	in.addOutside(all)
}

// addOutside adds the time that threads spent outside of Metal: the gaps between their command buffers, waits and
// other recorded calls.
func (in *Input) addOutside(all map[*analyze.Thread]*steps) {
	inside := map[*analyze.Thread][]analyze.Interval{}
	add := func(thread *analyze.Thread, i analyze.Interval) {
		if all[thread] != nil && i.Known() {
			inside[thread] = append(inside[thread], i)
		}
	}
	for b := range in.Trace.Buffers() {
		if b.Created.Thread == b.Committed.Thread && b.Created.Known() {
			add(b.Committed.Thread, analyze.Interval{Begin: b.Created.Begin, End: b.Committed.End})
		} else {
			add(b.Committed.Thread, b.Committed.Interval)
		}
	}
	for i := range in.Trace.Waits {
		add(in.Trace.Waits[i].Thread, in.Trace.Waits[i].Interval)
	}
	for i := range in.Trace.CPUWaits.Locks {
		add(in.Trace.CPUWaits.Locks[i].Thread, in.Trace.CPUWaits.Locks[i].Interval)
	}
	for i := range in.Trace.Memory.Allocations {
		a := &in.Trace.Memory.Allocations[i]
		add(a.Thread, analyze.Interval{Begin: a.At, End: a.At + a.Took})
	}
	for i := range in.Trace.Compilations {
		add(in.Trace.Compilations[i].Thread, in.Trace.Compilations[i].Interval)
	}
	for thread, list := range inside {
		slices.SortFunc(list, func(a, b analyze.Interval) int { return cmp.Compare(a.Begin, b.Begin) })
		end := list[0].Begin
		for _, i := range list {
			if i.Begin > end {
				all[thread].add("time outside of Metal", end, i.Begin-end)
			}
			end = max(end, i.End)
		}
	}
}
