package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// DefaultCapacity is how many uncompleted command buffers a queue may have when the program asked for no other number
// (MTLDevice.newCommandQueue).
const DefaultCapacity = 64

// QueueUse is how a queue was used.
type QueueUse struct {
	Queue          *analyze.Queue
	Threads        []analyze.ThreadID // that committed to it
	CommandBuffers int                // committed to it
	InFlightMean   float64            // committed and not completed, over the window
	InFlightMax    int
	AtCapacity     analyze.Nanos // thread time in which making a command buffer blocked because all were in use

	slots   counter                      // from the command buffer's creation to its completion
	holders map[*analyze.Thread]*counter // the same, by who created it
	flights counter                      // from commits to completions, in the window
}

// An acquisition is the creation of a command buffer that blocked on a full queue.
type acquisition struct {
	analyze.Call
	Buffer *analyze.CommandBuffer
}

// useOfQueues counts command buffers in flight, and the time in which threads waited for a free one.
func (ev *Evidence) useOfQueues() {
	window := ev.Trace.Window
	index := map[*analyze.Queue]*QueueUse{}
	for _, q := range ev.Trace.Queues {
		u := &QueueUse{Queue: q, holders: map[*analyze.Thread]*counter{}}
		ev.Queues = append(ev.Queues, u)
		index[q] = u
	}
	ev.returns()
	completed := ev.lastCompleted()
	for b := range ev.Trace.Buffers() {
		u := index[b.Queue]
		if u == nil {
			continue
		}
		end := ev.Completion(b)
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
		flight := analyze.Interval{Begin: b.Committed.Begin, End: end}.Within(window)
		if !b.Committed.Known() || flight.End < flight.Begin {
			continue
		}
		if ev.Trace.Began(b.Committed.Begin) {
			u.CommandBuffers++
		}
		if b.Committed.Thread != nil && !slices.Contains(u.Threads, b.Committed.Thread.ID) {
			u.Threads = append(u.Threads, b.Committed.Thread.ID)
		}
		if known || !ev.Waitless() {
			// Instruments records no end of some, which does not say that they were in flight until the trace ended
			u.flights.add(flight)
			u.InFlightMean += float64(flight.Length())
		}
	}
	for _, u := range ev.Queues {
		slices.Sort(u.Threads)
		u.slots.sort()
		for _, h := range u.holders {
			h.sort()
		}
		u.InFlightMean, u.InFlightMax = u.InFlightMean/float64(max(1, window.Length())), u.flights.most()
	}
	ev.acquisitions(index)
}

// acquisitions finds the creations of command buffers that blocked on a full queue, and who held its command buffers.
func (ev *Evidence) acquisitions(index map[*analyze.Queue]*QueueUse) {
	full := map[*analyze.Queue]*QueueUse{} // at times
	for q, u := range index {
		if u.slots.most() >= u.Capacity() {
			full[q] = u
		}
	}
	for b := range ev.Trace.Buffers() {
		u, t := full[b.Queue], ev.times[b.Created.Thread]
		if u == nil || t == nil || !b.Created.Known() {
			continue
		}
		took := b.Created.Interval.Within(ev.Trace.Window)
		held := u.slots.at(took.Begin)
		if held < u.Capacity() || took.Length() == 0 {
			continue
		}
		ev.FullQueue = append(ev.FullQueue, acquisition{analyze.Call{Interval: took, Thread: b.Created.Thread}, b})
		u.AtCapacity += took.Length()
		own := u.holders[b.Created.Thread]
		t.AcquireOthers += took.Length() * analyze.Nanos(held-min(held, own.at(took.Begin))) / analyze.Nanos(held)
	}
	for _, t := range ev.Threads { // a call's time may have been cut
		t.AcquireOthers = min(t.AcquireOthers, t.Time[analyze.PartAcquire])
	}
}

// Capacity is how many uncompleted command buffers the queue may have.
func (u *QueueUse) Capacity() int { return cmp.Or(u.Queue.Capacity, DefaultCapacity) }
