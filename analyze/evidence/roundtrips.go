package evidence

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// RoundTrips divides the time of synchronous threads: those that create the next command buffer only after the
// previous one has completed. The times add up exactly to the time from a thread's first creation to its last
// completion. From Start to Notify the thread's work is in flight; the thread may wait or compute meanwhile.
type RoundTrips struct {
	Threads     int           // number of threads that commit
	Synchronous int           // number of these threads that have one command buffer in flight at a time
	Buffers     int           // command buffers of the synchronous threads
	Encode      analyze.Nanos // creation to commit
	Start       analyze.Nanos // commit to the GPU's start
	GPU         analyze.Nanos // the GPU's work
	Gaps        analyze.Nanos // between the GPU's start and end of a command buffer, the time without work for it
	Notify      analyze.Nanos // the GPU's end to completion
	Between     analyze.Nanos // completion to the next creation
	MostFlying  int           // largest number of command buffers in flight at the same time, over all threads
}

// Total returns the sum of all parts of the synchronous threads' time.
func (c *RoundTrips) Total() analyze.Nanos {
	return c.Encode + c.Start + c.GPU + c.Gaps + c.Notify + c.Between
}

// RoundTripsOf finds the synchronous threads among those that committed in the trace. A thread does not count
// if any of its creations, GPU times or completions is not known.
func RoundTripsOf(t *analyze.Trace) *RoundTrips {
	byThread := map[*analyze.Thread][]*analyze.CommandBuffer{} // in order of creation, as in the trace
	var flying counter
	for b := range t.Buffers() {
		if !b.Committed.Known() {
			continue
		}
		if end := max(b.GPU.End, b.Completed.Begin); end > b.Committed.Begin {
			flying.add(analyze.Interval{Begin: b.Committed.Begin, End: end})
		}
		if th := b.Committed.Thread; th != nil && b.Created.Known() && b.Committed.End >= t.TimeRange.Begin &&
			b.Committed.End <= t.TimeRange.End {
			byThread[th] = append(byThread[th], b)
		}
	}
	c := &RoundTrips{Threads: len(byThread), MostFlying: flying.most()}
	for _, list := range byThread {
		c.add(list)
	}
	return c
}

// add adds a thread's command buffers, sorted by creation, if the thread is synchronous; otherwise it adds nothing.
func (c *RoundTrips) add(list []*analyze.CommandBuffer) {
	if len(list) < policy.FewestOccurrences.Count() {
		return
	}
	for i, b := range list {
		if !b.GPU.Known() || b.GPU.Begin < b.Committed.End || b.Completed.Begin < b.GPU.End || i > 0 &&
			b.Created.Begin < list[i-1].Completed.Begin {
			return
		}
	}
	c.Synchronous++
	c.Buffers += len(list)
	for i, b := range list {
		took := b.Took(b.GPU)
		c.Encode += b.Committed.End - b.Created.Begin
		c.Start += b.GPU.Begin - b.Committed.End
		c.GPU += took
		c.Gaps += b.GPU.Length() - took
		c.Notify += b.Completed.Begin - b.GPU.End
		if i > 0 {
			c.Between += b.Created.Begin - list[i-1].Completed.Begin
		}
	}
}
