package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Handling is when a queue's completed work waited for the program's completion handlers.
func (ev *Evidence) Handling() map[*analyze.Queue]*Busy {
	usual := ev.UsualCompletion()
	by := map[*analyze.Queue][]analyze.Interval{}
	for _, b := range ev.Trace.CommandBuffers {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Wakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	unions := make(map[*analyze.Queue]*Busy, len(by))
	for q, list := range by {
		unions[q] = NewBusy(list)
	}
	return unions
}
