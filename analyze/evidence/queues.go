package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// DefaultCapacity is the maximum number of uncompleted command buffers of a queue whose creation names no maximum
// (newCommandQueue).
const DefaultCapacity = 64

// QueueUse tells how a queue was used.
type QueueUse struct {
	Queue          *analyze.Queue
	Threads        []analyze.ThreadID // the threads that committed to the queue
	CommandBuffers int                // number committed to the queue
	InFlightMean   float64            // mean number committed and not completed, over the trace's time range
	InFlightMax    int
	// thread time in which creating a command buffer blocked because the queue already had its maximum number
	AtCapacity analyze.Nanos

	slots   counter                      // one interval per command buffer, from creation to completion
	holders map[*analyze.Thread]*counter // the intervals in slots, by the thread that created the command buffer
	flights counter                      // one interval per command buffer, from commit to completion, within the trace
}

// QueueUses tells how the queues of a trace were used.
type QueueUses struct {
	All  []*QueueUse
	Full []Acquisition // creations of command buffers that blocked because the queue was full
	// thread time in Full, weighted by the share of the queue's command buffers that other threads had created
	behindOthers map[*analyze.Thread]analyze.Nanos
}

// An Acquisition is the creation of a command buffer that blocked because the queue was full.
type Acquisition struct {
	analyze.Call
	Buffer *analyze.CommandBuffer
}

// CountInFlight counts the command buffers in flight in each queue. It also adds up the time for which creating a
// command buffer blocked because the queue was full.
func CountInFlight(t *analyze.Trace, completions Completions) *QueueUses {
	window := t.TimeRange
	uses := &QueueUses{behindOthers: map[*analyze.Thread]analyze.Nanos{}}
	index := map[*analyze.Queue]*QueueUse{}
	for _, q := range t.Queues {
		u := &QueueUse{Queue: q, holders: map[*analyze.Thread]*counter{}}
		uses.All = append(uses.All, u)
		index[q] = u
	}
	completed := completions.lastCompleted(t)
	for b := range t.Buffers() {
		u := index[b.Queue]
		if u == nil {
			continue
		}
		end := completions.At(b)
		known := end != 0
		if !known {
			end = window.End
		}
		if held := known || completed[b.Queue] > 0 && b.Committed.Begin > completed[b.Queue]; held && b.Created.Known() &&
			end >= b.Created.End {
			slot := analyze.Interval{Begin: b.Created.End, End: end}
			u.slots.add(slot)
			entry(u.holders, b.Created.Thread).add(slot)
		}
		flight := analyze.Interval{Begin: b.Committed.Begin, End: end}.Intersect(window)
		if !b.Committed.Known() || flight.End < flight.Begin {
			continue
		}
		if t.Began(b.Committed.Begin) {
			u.CommandBuffers++
		}
		if b.Committed.Thread != nil && !slices.Contains(u.Threads, b.Committed.Thread.ID) {
			u.Threads = append(u.Threads, b.Committed.Thread.ID)
		}
		if known || t.Source.HasWaits() {
			// Instruments misses the ends of some command buffers: leave those out, as they were not in flight until
			// the trace ended
			u.flights.add(flight)
			u.InFlightMean += float64(flight.Length())
		}
	}
	for _, u := range uses.All {
		slices.Sort(u.Threads)
		u.slots.sort()
		for _, h := range u.holders {
			h.sort()
		}
		u.InFlightMean, u.InFlightMax = u.InFlightMean/float64(max(1, window.Length())), u.flights.most()
	}
	uses.findAcquisitions(t, index)
	return uses
}

// findAcquisitions finds the creations of command buffers that blocked because the queue was full, and adds up how
// much of that time is due to command buffers of other threads.
func (uses *QueueUses) findAcquisitions(trace *analyze.Trace, index map[*analyze.Queue]*QueueUse) {
	full := map[*analyze.Queue]*QueueUse{} // the queues that were full at least once
	for q, u := range index {
		if u.slots.most() >= u.Capacity() {
			full[q] = u
		}
	}
	for b := range trace.Buffers() {
		u, t := full[b.Queue], b.Created.Thread
		if u == nil || t == nil || !b.Created.Known() {
			continue
		}
		took := b.Created.Interval.Intersect(trace.TimeRange)
		held := u.slots.at(took.Begin)
		if held < u.Capacity() || took.Length() == 0 {
			continue
		}
		uses.Full = append(uses.Full, Acquisition{analyze.Call{Interval: took, Thread: t}, b})
		u.AtCapacity += took.Length()
		own := u.holders[t]
		uses.behindOthers[t] += took.Length() * analyze.Nanos(held-min(held, own.at(took.Begin))) / analyze.Nanos(held)
	}
}

// Only returns the queue that got all command buffers, or nil if none or several did.
func (uses *QueueUses) Only() (only *analyze.Queue) {
	for _, u := range uses.All {
		if u.CommandBuffers == 0 {
			continue
		}
		if only != nil {
			return nil
		}
		only = u.Queue
	}
	return only
}

// Capacity returns how many uncompleted command buffers the queue may have before creating another one blocks.
func (u *QueueUse) Capacity() int { return cmp.Or(u.Queue.Capacity, DefaultCapacity) }
