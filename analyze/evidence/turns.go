package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TakingTurns is what shows that threads use the GPU one after the other.
type TakingTurns struct {
	Exclusion *Exclusion
	Coverage  float64 // share of the time in which one of them has its turn
	Lost      analyze.Nanos
}

// Turns finds that threads never wait for the GPU at the same time although one of them always does, and the GPU has room: then
// each goes on when the one before has done waiting, as when it keeps a lock meanwhile. Threads that merely miss each other
// leave gaps. It is nil when that is not so.
func (ev *Evidence) Turns() *TakingTurns { return ev.turns("waits", ev.WaitsUnion()) }

// TurnsOfRoundTrips is the same of round trips: where processors are short, who keeps a lock may be without one before it waits for the
// GPU, and the waits alone leave gaps.
func (ev *Evidence) TurnsOfRoundTrips() *TakingTurns {
	var all []analyze.Interval
	for _, of := range ev.roundTrips() {
		all = append(all, of...)
	}
	return ev.turns("round trips", NewBusy(all))
}

// roundTrips are the times, thread by thread, from making the first command buffer after a wait to the end of the next wait for the GPU.
func (ev *Evidence) roundTrips() map[*analyze.Thread][]analyze.Interval {
	made := map[*analyze.Thread][]analyze.Nanos{}
	for b := range ev.Trace.Buffers() {
		if t := b.Created.Thread; t != nil && b.Created.Known() {
			made[t] = append(made[t], b.Created.Begin)
		}
	}
	for _, list := range made {
		slices.Sort(list)
	}
	trips, next := map[*analyze.Thread][]analyze.Interval{}, map[*analyze.Thread]int{}
	for w := range analyze.Each(ev.Trace.Waits) { // by their beginning
		list, first := made[w.Thread], next[w.Thread]
		if w.Length() < policy.ShortestWait.Nanos() || first == len(list) || list[first] >= w.Begin {
			continue
		}
		trips[w.Thread] = append(trips[w.Thread], analyze.Interval{Begin: list[first], End: w.End})
		for first < len(list) && list[first] < w.End {
			first++
		}
		next[w.Thread] = first
	}
	return trips
}

func (ev *Evidence) turns(what string, union *Busy) *TakingTurns {
	var x *Exclusion
	for i := range ev.Exclusion {
		if ev.Exclusion[i].What == what {
			x = &ev.Exclusion[i]
		}
	}
	if x == nil || !policy.NearlyAll(x.Index, 1) || x.QValue > policy.FalseDiscovery.Value || ev.Pending > policy.WorthNaming.Value && !ev.HasRoom {
		return nil
	}
	spans := union.Spans()
	if len(spans) == 0 {
		return nil
	}
	t := &TakingTurns{Exclusion: x, Coverage: Share(union.Total(), spans[len(spans)-1].End-spans[0].Begin)}
	if !policy.NearlyAll(t.Coverage, 1) {
		return nil
	}
	for _, th := range ev.Taking {
		if s, known := ev.spans[th.Thread]; known && th.CommandBuffers > 0 {
			t.Lost += min(union.Within(th.Thread.Working)-s[onGPU].Total()-s[onOthers].Total(), th.WorkTime[analyze.PartOutside])
		}
	}
	if ev.Share(t.Lost) < policy.Little.Value {
		return nil
	}
	return t
}

// WaitsUnion is when any thread waited for the GPU.
func (ev *Evidence) WaitsUnion() *Busy {
	var all []analyze.Interval
	for w := range analyze.Each(ev.Trace.Waits) {
		if w.Length() >= policy.ShortestWait.Nanos() {
			all = append(all, w.Interval)
		}
	}
	return NewBusy(all)
}
