package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// threadIntervals are the times that the statistical tests compare, each as a list per thread.
type threadIntervals struct {
	window                           analyze.Interval
	gpu, encoders, waits, roundTrips map[*analyze.Thread][]analyze.Interval
	commits, openEncoders            []analyze.Call
}

// intervalsOf collects the times that the statistical tests of a trace compare.
func intervalsOf(t *analyze.Trace) *threadIntervals {
	by := &threadIntervals{window: t.TimeRange, gpu: map[*analyze.Thread][]analyze.Interval{},
		encoders: map[*analyze.Thread][]analyze.Interval{}, waits: longWaits(t), roundTrips: roundTripsByThread(t)}
	for b := range t.Buffers() {
		thread := b.Committed.Thread
		if thread != nil && b.GPU.Known() {
			by.gpu[thread] = append(by.gpu[thread], b.GPU.Intersect(t.TimeRange))
		}
		if thread != nil && b.Committed.Known() {
			by.commits = append(by.commits, b.Committed)
		}
		for e := range analyze.Each(b.Encoders) {
			if of := e.Created.Thread; of != nil && e.Created.Known() && e.Ended.Known() && e.Ended.Thread == of {
				open := analyze.Interval{Begin: e.Created.Begin, End: e.Ended.End}
				by.openEncoders = append(by.openEncoders, analyze.Call{Interval: open, Thread: of})
				by.encoders[of] = append(by.encoders[of], open.Intersect(t.TimeRange))
			}
		}
	}
	return by
}

// longWaits returns each thread's waits for the GPU that are at least policy.ShortestWait long. Shorter waits only
// found their work completed.
func longWaits(t *analyze.Trace) map[*analyze.Thread][]analyze.Interval {
	by := map[*analyze.Thread][]analyze.Interval{}
	for w := range analyze.Each(t.Waits) {
		if w.Length() >= policy.ShortestWait.Nanos() {
			by[w.Thread] = append(by[w.Thread], w.Interval)
		}
	}
	return by
}

// roundTripsByThread returns each thread's round trips: from creating the first command buffer after a wait to the
// end of the next wait for the GPU. Even very short waits end a round trip, because a thread that lacked a processor
// may find its work completed.
func roundTripsByThread(trace *analyze.Trace) map[*analyze.Thread][]analyze.Interval {
	made := map[*analyze.Thread][]analyze.Nanos{}
	for b := range trace.Buffers() {
		if t := b.Created.Thread; t != nil && b.Created.Known() {
			made[t] = append(made[t], b.Created.Begin)
		}
	}
	for _, list := range made {
		slices.Sort(list)
	}
	trips, next := map[*analyze.Thread][]analyze.Interval{}, map[*analyze.Thread]int{}
	for w := range analyze.Each(trace.Waits) { // by their beginning
		list, first := made[w.Thread], next[w.Thread]
		if first == len(list) || list[first] >= w.Begin {
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

// WaitsUnion returns the times in which at least one thread waited for the GPU.
func WaitsUnion(t *analyze.Trace) *Busy { return unionOf(longWaits(t)) }

func unionOf(by map[*analyze.Thread][]analyze.Interval) *Busy {
	var all []analyze.Interval
	for _, of := range by {
		all = append(all, of...)
	}
	return NewBusy(all)
}
