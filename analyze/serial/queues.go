package serial

import (
	"slices"
	"sort"

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

	slots   counter                     // from the command buffer's creation to its completion
	holders map[*analyze.Thread]counter // the same, by who created it
}

// A counter counts how many intervals are open at a time.
type counter struct{ begins, ends []analyze.Nanos }

func (c *counter) add(i analyze.Interval) {
	c.begins = append(c.begins, i.Begin)
	c.ends = append(c.ends, i.End)
}

func (c *counter) sort() {
	slices.Sort(c.begins)
	slices.Sort(c.ends)
}

// at is how many intervals began before t and end after it.
func (c *counter) at(t analyze.Nanos) int {
	begun := sort.Search(len(c.begins), func(i int) bool { return c.begins[i] >= t })
	ended := sort.Search(len(c.ends), func(i int) bool { return c.ends[i] > t })
	return max(0, begun-ended)
}

func (c *counter) most() int {
	open, most, e := 0, 0, 0
	for _, b := range c.begins {
		for e < len(c.ends) && c.ends[e] <= b {
			open--
			e++
		}
		open++
		most = max(most, open)
	}
	return most
}

// completion is when the program could see that b had completed, at the latest when a wait for it returned; 0 when it is not known.
func (a *Analysis) completion(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	return a.waitedFor[b]
}

// returns finds when the first wait for each command buffer returned.
func (a *Analysis) returns() {
	a.waitedFor = map[*analyze.CommandBuffer]analyze.Nanos{}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if w.Buffer == nil || w.Selector == "waitUntilScheduled" || w.Unfinished || w.Buffer.Completed.Known() {
			continue
		}
		if at, known := a.waitedFor[w.Buffer]; !known || w.End < at {
			a.waitedFor[w.Buffer] = w.End
		}
	}
}

// lastCompleted is, for each queue, when the last of the command buffers that are known to have completed was committed. Those
// that were committed later were in flight when the trace ended.
func (a *Analysis) lastCompleted() map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for _, b := range a.Trace.CommandBuffers {
		if b.Committed.Known() && a.completion(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}

// useOfQueues counts command buffers in flight, and the time in which threads waited for a free one.
func (a *Analysis) useOfQueues() {
	window := a.Trace.Window
	index := map[*analyze.Queue]*QueueUse{}
	for _, q := range a.Trace.Queues {
		u := &QueueUse{Queue: q, holders: map[*analyze.Thread]counter{}}
		a.Queues = append(a.Queues, u)
		index[q] = u
	}
	a.returns()
	completed := a.lastCompleted()
	flights := map[*QueueUse]*counter{}
	sums := map[*QueueUse]analyze.Nanos{}
	for _, b := range a.Trace.CommandBuffers {
		u := index[b.Queue]
		if u == nil {
			continue
		}
		end := a.completion(b)
		known := end != 0
		if !known {
			end = window.End
		}
		if held := known || completed[b.Queue] > 0 && b.Committed.Begin > completed[b.Queue]; held && b.Created.Known() && end >= b.Created.End {
			u.slots.add(analyze.Interval{Begin: b.Created.End, End: end})
			h := u.holders[b.Created.Thread]
			h.add(analyze.Interval{Begin: b.Created.End, End: end})
			u.holders[b.Created.Thread] = h
		}
		flight := clip(analyze.Interval{Begin: b.Committed.Begin, End: end}, window)
		if !b.Committed.Known() || flight.End < flight.Begin {
			continue
		}
		u.CommandBuffers++
		if b.Committed.Thread != nil && !slices.Contains(u.Threads, b.Committed.Thread.ID) {
			u.Threads = append(u.Threads, b.Committed.Thread.ID)
		}
		if flights[u] == nil {
			flights[u] = &counter{}
		}
		flights[u].add(flight)
		sums[u] += flight.Length()
	}
	for _, u := range a.Queues {
		slices.Sort(u.Threads)
		u.slots.sort()
		for t, h := range u.holders {
			h.sort()
			u.holders[t] = h
		}
		u.InFlightMean = share(sums[u], window.Length())
		if f := flights[u]; f != nil {
			f.sort()
			u.InFlightMax = f.most()
		}
	}
	a.acquisitions(index)
}

// An acquisition is the creation of a command buffer that blocked on a full queue.
type acquisition struct {
	analyze.Call
	buffer *analyze.CommandBuffer
}

// acquisitions finds the creations of command buffers that blocked on a full queue, and who held its command buffers.
func (a *Analysis) acquisitions(index map[*analyze.Queue]*QueueUse) {
	a.blockedOnQueue = map[*analyze.CommandBuffer]bool{}
	threads := map[*analyze.Thread]*ThreadTime{}
	for _, t := range a.Threads {
		threads[t.Thread] = t
	}
	for _, b := range a.Trace.CommandBuffers {
		u, t := index[b.Queue], threads[b.Created.Thread]
		if u == nil || t == nil || !b.Created.Known() {
			continue
		}
		took := clip(b.Created.Interval, a.Trace.Window)
		held := u.slots.at(took.Begin)
		if held < u.capacity() || took.Length() == 0 {
			continue
		}
		a.blockedOnQueue[b] = true
		a.fullQueue = append(a.fullQueue, acquisition{analyze.Call{Interval: took, Thread: b.Created.Thread}, b})
		u.AtCapacity += took.Length()
		own := u.holders[b.Created.Thread]
		t.AcquireOthers += took.Length() * analyze.Nanos(held-min(held, own.at(took.Begin))) / analyze.Nanos(held)
	}
	for _, t := range a.Threads { // a call's time may have been cut
		t.AcquireOthers = min(t.AcquireOthers, t.Time[analyze.PartAcquire])
	}
}

func (u *QueueUse) capacity() int {
	if u.Queue.Capacity > 0 {
		return u.Queue.Capacity
	}
	return DefaultCapacity
}
