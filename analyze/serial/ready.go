package serial

import (
	"slices"

	"mtrace/analyze"
)

// A release is when, and by what, a command buffer was let go to the GPU: by its own commit, by the commit of one that was
// enqueued before it, or by the event that it waits for.
type release struct {
	at       analyze.Nanos
	head     analyze.Interval // held up by one enqueued before it and committed later
	event    analyze.Interval // held up by an event that a command buffer signals
	signaler *analyze.CommandBuffer
	headBy   *analyze.CommandBuffer // what held it up in head
	waits    int                    // events it waits for
}

// signalSlack is how long before its end on the GPU a command buffer may have signalled: the last of it is not work.
const signalSlack analyze.Nanos = 100_000

// event names a value of an event of a process.
type event struct {
	process *analyze.Process
	value   analyze.EventValue
}

// releases finds when each committed command buffer could have begun, had the GPU been free.
func (a *Analysis) releases() {
	a.released = map[*analyze.CommandBuffer]*release{}
	signals := map[event]*analyze.CommandBuffer{}
	byQueue := map[*analyze.Queue][]*analyze.CommandBuffer{}
	for _, b := range a.Trace.CommandBuffers {
		for _, s := range b.Signals {
			signals[event{b.Process, s}] = b
		}
		if b.Committed.Known() {
			a.released[b] = &release{at: b.Committed.End, waits: len(b.WaitsFor)}
			if b.Queue != nil {
				byQueue[b.Queue] = append(byQueue[b.Queue], b)
			}
		}
	}
	for _, list := range byQueue {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int { return compare(place(x), place(y)) })
		var head *analyze.CommandBuffer // the latest committed of those before
		for _, b := range list {
			r := a.released[b]
			if head != nil && head.Committed.Begin > b.Committed.End {
				r.head = analyze.Interval{Begin: b.Committed.End, End: head.Committed.Begin}
				r.at, r.headBy = max(r.at, head.Committed.End), head
			}
			if head == nil || b.Committed.Begin > head.Committed.Begin {
				head = b
			}
		}
	}
	for b, r := range a.released {
		for _, v := range b.WaitsFor {
			s := signals[event{b.Process, v}]
			if s == nil || s == b || !s.GPU.Known() || b.GPU.Known() && s.GPU.End > b.GPU.Begin+signalSlack {
				continue
			}
			until := s.GPU.End
			if b.GPU.Known() {
				until = min(until, b.GPU.Begin)
			}
			if i := (analyze.Interval{Begin: b.Committed.End, End: until}); i.Length() > r.event.Length() {
				r.event, r.signaler = i, s
				r.at = max(r.at, i.End)
			}
		}
	}
}

// place is a command buffer's place in its queue's order: where it was enqueued, which commit does if nothing else did.
func place(b *analyze.CommandBuffer) analyze.Nanos {
	if b.Enqueued.Known() {
		return min(b.Enqueued.Begin, b.Committed.Begin)
	}
	return b.Committed.Begin
}
