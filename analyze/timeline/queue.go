package timeline

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
)

// queueTracks has the tracks of one command queue: GPU work, in lanes or by channel, and the number of command
// buffers in flight.
type queueTracks struct {
	onGPU    track
	lanes    []*lane
	channels map[string][]*lane
	flight   *counter
}

// A queueName identifies a queue in all slices (parts) of a run; known is false for the track of command buffers
// without a queue.
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

// queueWork is what one queue did during a slice (part) of the run.
type queueWork struct {
	first    *analyze.CommandBuffer
	ran      []gpuRun // the GPU's runs that belong to the slice
	inFlight changes  // number of command buffers that were committed and not completed, over the slice
}

// A gpuRun is a command buffer that the GPU ran, with the begin of its GPU time.
type gpuRun struct {
	began  analyze.Nanos
	buffer *analyze.CommandBuffer
}

// queuesOf writes the work of all queues during a slice (part) of the run. It first collects the needed data of all
// command buffers in one pass: when a command buffer is written, it is no longer in the processor's cache.
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
			// the slice does not list the queue: the command buffer has none, or only an earlier slice lists it
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

// forget drops the collected data of a slice (part) of the run but retains the memory for the next slice.
func (q *queueWork) forget() {
	clear(q.ran)
	q.first, q.ran = nil, q.ran[:0]
	q.inFlight.empty()
}

// queueRoom returns an empty queueWork, reused from the previous slice (part) of the run if possible. `taken` is the
// number of those that the current slice uses already.
func (w *Writer) queueRoom(taken int) *queueWork {
	if taken == len(w.rooms) {
		w.rooms = append(w.rooms, &queueWork{})
	}
	return w.rooms[taken]
}

// flies counts a command buffer as in flight: +1 at its commit and −1 at its completion, if these happened in the
// slice. A command buffer that never completes does not count; otherwise the number would stay too high.
func flies(c *changes, s *analyze.Slice, b *analyze.CommandBuffer) {
	from, to := b.Committed.Begin, max(b.GPU.End, b.Completed.Begin)
	if !b.Committed.Known() {
		return
	}
	if s.Includes(from) && (to > from || !s.Last()) {
		c.add(from, 1)
	}
	if to > from && s.Includes(to) {
		c.add(to, -1)
	}
}

// queue writes the tracks of one queue during a slice (part) of the run: the number of command buffers in flight, and
// the GPU work of those that belong to the slice.
func (w *Writer) queue(rank int, q *analyze.Queue, did *queueWork) {
	of := w.queues[nameOf(q)]
	if of == nil {
		process, parent := did.first.Process, trackID(0)
		if process != nil {
			parent = w.file.process(process)
		}
		title := queueTitle(q)
		of = &queueTracks{channels: map[string][]*lane{}, onGPU: track{parent: parent, process: process, name: "GPU " +
			title, rank: 2*rank + 1}}
		of.flight = &counter{of: track{parent: parent, process: process, name: "in flight, " + title,
			counts: countBuffers, rank: 2 * rank}}
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
	w.file.channels(of, inRows)
	for _, r := range did.ran {
		if b := r.buffer; len(b.Rows) == 0 {
			w.work.write(w.file, w.file.laneAt(&of.lanes, of.onGPU, b.GPU), b)
		}
	}
	of.flight.write(w.file, &did.inFlight)
}
