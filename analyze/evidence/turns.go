package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TakingTurns is what shows that threads wait for the GPU one after the other.
type TakingTurns struct {
	Exclusion *Exclusion
	Coverage  float64 // share of the time in which one of them waits
	Lost      analyze.Nanos
}

// Turns finds that threads never wait for the GPU at the same time although one of them always does, and the GPU has room: then
// each goes on when the one before has done waiting, as when it keeps a lock meanwhile. Threads that merely miss each other
// leave gaps. It is nil when that is not so.
func (ev *Evidence) Turns() *TakingTurns {
	var x *Exclusion
	for i := range ev.Exclusion {
		if ev.Exclusion[i].What == "waits" {
			x = &ev.Exclusion[i]
		}
	}
	if x == nil || !policy.NearlyAll(x.Index, 1) || x.QValue > policy.FalseDiscovery.Value || ev.Pending > policy.WorthNaming.Value && !ev.HasRoom {
		return nil
	}
	union := ev.WaitsUnion()
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
	for i := range ev.Trace.Waits {
		if w := &ev.Trace.Waits[i]; w.Length() >= policy.ShortestWait.Nanos() {
			all = append(all, w.Interval)
		}
	}
	return NewBusy(all)
}
