package timeline

import (
	"cmp"
	"fmt"
	"iter"
	"slices"

	"mtrace/analyze"
)

// queueTracks are the tracks of one queue, and how far each of them is.
type queueTracks struct {
	onGPU    track
	lanes    []*lane
	channels map[string][]*lane
	flight   *counter
}

// A queueName tells queues apart in all slices of a run.
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

// queuesOf writes what the queues did in a slice.
func (w *Writer) queuesOf(s *analyze.Slice) {
	by := func(buffers iter.Seq[*analyze.CommandBuffer]) map[*analyze.Queue][]*analyze.CommandBuffer {
		queues := map[*analyze.Queue][]*analyze.CommandBuffer{}
		for b := range buffers {
			queues[b.Queue] = append(queues[b.Queue], b)
		}
		return queues
	}
	all, held := by(s.Trace.Buffers()), by(slices.Values(s.Buffers))
	order := slices.Clone(s.Trace.Queues)
	for _, b := range s.Buffers { // of a queue that is not in the trace, or that only earlier slices have
		if !slices.Contains(order, b.Queue) {
			order = append(order, b.Queue)
		}
	}
	for rank, q := range order {
		if len(all[q])+len(held[q]) > 0 {
			w.queue(s, rank, q, all[q], held[q])
		}
	}
}

// queue writes the tracks of one queue: of all command buffers of the slice how many were in flight, and when the GPU ran those that the slice holds.
func (w *Writer) queue(s *analyze.Slice, rank int, q *analyze.Queue, all, held []*analyze.CommandBuffer) {
	of := w.queues[nameOf(q)]
	if of == nil {
		process, parent := slices.Concat(held, all)[0].Process, trackID(0)
		if process != nil {
			parent = w.process(process)
		}
		title := queueTitle(q)
		of = &queueTracks{channels: map[string][]*lane{}, onGPU: track{parent: parent, process: process, name: "GPU " + title, rank: 2*rank + 1}}
		of.flight = &counter{of: track{parent: parent, process: process, name: "in flight, " + title, counts: countBuffers, rank: 2 * rank}}
		w.queues[nameOf(q)] = of
	}
	ran := slices.DeleteFunc(slices.Clone(held), func(b *analyze.CommandBuffer) bool { return !b.GPU.Known() })
	slices.SortStableFunc(ran, func(a, b *analyze.CommandBuffer) int { return cmp.Compare(a.GPU.Begin, b.GPU.Begin) })
	w.channels(of, slices.DeleteFunc(slices.Clone(ran), func(b *analyze.CommandBuffer) bool { return len(b.Rows) == 0 }))
	for _, b := range ran {
		if len(b.Rows) == 0 {
			w.onGPU(w.laneAt(&of.lanes, of.onGPU, b.GPU), b)
		}
	}
	w.count(of.flight, inFlight(s, all))
}

// laneAt is the first lane that is free when the interval begins, or a new one.
func (w *Writer) laneAt(lanes *[]*lane, on track, i analyze.Interval) trackID {
	l := freeLane(*lanes, i.Begin)
	if l == nil {
		l = &lane{track: w.newTrack(on)}
		*lanes = append(*lanes, l)
	}
	l.until = i.End
	return l.track
}
