package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// queueTracks are the tracks of one queue, with the state of each.
type queueTracks struct {
	onGPU    track
	lanes    []*lane
	channels map[string][]*lane
	flight   *counter
}

// A queueName identifies a queue in all slices of a run.
type queueName struct {
	process *analyze.Process
	id      uint32
	known   bool
}

func nameOf(q *analyze.Queue) queueName {
	if q == nil {
		return queueName{}
	}
	return queueName{q.Process, q.ID, true}
}

func queueTitle(q *analyze.Queue) string {
	switch {
	case q == nil:
		return "queue not known"
	case q.Label != "":
		return "queue " + q.Label
	}
	return fmt.Sprintf("queue %d", q.ID)
}

// queueWork is the work of one queue in a slice of the run.
type queueWork struct {
	first    *analyze.CommandBuffer
	ran      []gpuRun // those that belong to the slice
	inFlight changes  // number of command buffers that were committed and not completed, over the slice
}

// A gpuRun is a command buffer that the GPU ran.
type gpuRun struct {
	began  analyze.Nanos
	buffer *analyze.CommandBuffer
}

// queuesOf writes the work of the queues in a slice. It reads each command buffer once here, and later once more to
// write it: by then it is no longer in the cache.
func (w *Writer) queuesOf(s *analyze.Slice) {
	did := map[*analyze.Queue]*queueWork{}
	of := func(b *analyze.CommandBuffer) *queueWork {
		q := did[b.Queue]
		if q == nil {
			q = w.queueRoom(len(did))
			q.first = b
			did[b.Queue] = q
		}
		return q
	}
	order := slices.Clone(s.Trace.Queues)
	for _, b := range s.Buffers {
		q := of(b)
		if q.first == b && !slices.Contains(order, b.Queue) {
			// a queue that is not in the trace, or only in earlier slices
			order = append(order, b.Queue)
		}
		if b.GPU.Known() {
			q.ran = append(q.ran, gpuRun{b.GPU.Begin, b})
		}
	}
	for b := range s.Trace.Buffers() {
		flies(&of(b).inFlight, s, b)
	}
	for rank, q := range order {
		if work := did[q]; work != nil {
			w.queue(rank, q, work)
		}
	}
	for _, q := range did {
		q.forget()
	}
}

// forget drops all data of a slice but keeps the memory.
func (q *queueWork) forget() {
	clear(q.ran)
	q.first, q.ran = nil, q.ran[:0]
	q.inFlight.empty()
}

// queueRoom returns memory for one more queue's work, reused from the previous slice; taken is how many are in use.
func (w *Writer) queueRoom(taken int) *queueWork {
	if taken == len(w.rooms) {
		w.rooms = append(w.rooms, &queueWork{})
	}
	return w.rooms[taken]
}

// flies adds a command buffer's commit and completion, as far as they are in the slice. A command buffer that never
// completes, in no slice, does not count as in flight.
func flies(c *changes, s *analyze.Slice, b *analyze.CommandBuffer) {
	from, to := b.Committed.Begin, max(b.GPU.End, b.Completed.Begin)
	if !b.Committed.Known() {
		return
	}
	if s.Held(from) && (to > from || !s.Last()) {
		c.add(from, 1)
	}
	if to > from && s.Held(to) {
		c.add(to, -1)
	}
}

// queue writes the tracks of one queue: how many command buffers were in flight, and when the GPU ran those that belong
// to the slice.
func (w *Writer) queue(rank int, q *analyze.Queue, did *queueWork) {
	of := w.queues[nameOf(q)]
	if of == nil {
		process, parent := did.first.Process, trackID(0)
		if process != nil {
			parent = w.process(process)
		}
		title := queueTitle(q)
		of = &queueTracks{channels: map[string][]*lane{}, onGPU: track{parent: parent, process: process, name: "GPU " +
			title, rank: 2*rank + 1}}
		of.flight = &counter{of: track{parent: parent, process: process, name: "in flight, " + title, counts: countBuffers,
			rank: 2 * rank}}
		w.queues[nameOf(q)] = of
	}
	byBegin := func(a, b gpuRun) int { return cmp.Compare(a.began, b.began) }
	if !slices.IsSortedFunc(did.ran, byBegin) {
		slices.SortStableFunc(did.ran, byBegin)
	}
	var inRows []*analyze.CommandBuffer
	for _, r := range did.ran {
		if len(r.buffer.Rows) > 0 {
			inRows = append(inRows, r.buffer)
		}
	}
	w.channels(of, inRows)
	for _, r := range did.ran {
		if b := r.buffer; len(b.Rows) == 0 {
			w.onGPU(w.laneAt(&of.lanes, of.onGPU, b.GPU), b)
		}
	}
	w.count(of.flight, &did.inFlight)
}

// laneAt returns the first lane that is free when the interval begins, or a new one.
func (w *Writer) laneAt(lanes *[]*lane, on track, i analyze.Interval) trackID {
	l := freeLane(*lanes, i.Begin)
	if l == nil {
		l = &lane{track: w.newTrack(on)}
		*lanes = append(*lanes, l)
	}
	l.until = i.End
	return l.track
}
