package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// eventKey identifies a Metal event (MTLEvent, MTLSharedEvent) of a process.
type eventKey struct {
	process *analyze.Process
	id      uint32
}

// A signal is the setting of an event to a value, by a command buffer when it completed or by a thread.
type signal struct {
	value  uint64
	at     analyze.Nanos
	buffer *analyze.CommandBuffer // nil if a thread set the value
	thread *analyze.Thread
	most   uint64 // the largest value since the event's value last decreased
}

// index returns the index of the command buffer that set the value, or NoCommandBuffer if a thread set it.
func (s *signal) index() analyze.CommandBufferIndex {
	if s.buffer == nil {
		return analyze.NoCommandBuffer
	}
	return s.buffer.Index
}

// epochs has the signals of one event in order of time, split where the event's value decreases. Most events only
// count up and have one epoch.
type epochs [][]signal

// signalsOf returns the signals of each event in the trace.
func signalsOf(trace *analyze.Trace) map[eventKey]epochs {
	by := map[eventKey][]signal{}
	for b := range trace.Buffers() {
		for _, s := range b.Signals {
			if b.GPU.Known() {
				e := eventKey{b.Process, s.Event}
				by[e] = append(by[e], signal{value: s.Value, at: b.GPU.End, buffer: b})
			}
		}
	}
	for _, s := range trace.Signals {
		e := eventKey{s.Process, s.Event}
		by[e] = append(by[e], signal{value: s.Value, at: s.At, thread: s.Thread})
	}
	events := make(map[eventKey]epochs, len(by))
	for e, list := range by {
		events[e] = split(list)
	}
	return events
}

// split splits the signals of an event into epochs: within an epoch the value does not decrease. Only a thread can
// decrease the value. If a command buffer sets a smaller value, that has no effect in Metal and begins no epoch.
func split(list []signal) (all epochs) {
	slices.SortStableFunc(list, func(x, y signal) int { return cmp.Compare(x.at, y.at) })
	from, most := 0, uint64(0)
	for i := range list {
		s := &list[i]
		if s.buffer == nil && s.value < most {
			all, from, most = append(all, list[from:i]), i, 0
		}
		most = max(most, s.value)
		s.most = most
	}
	return append(all, list[from:])
}

// first returns the signal that released command buffer b, which waits until the event has at least `value`. That is
// the earliest signal of such a value in the epoch (the time until the event's value decreases) in which the GPU began
// b. It returns nil if no signal in the trace can have released b.
func (all epochs) first(b *analyze.CommandBuffer, value uint64) *signal {
	began := b.GPU.Begin
	if !b.GPU.Known() {
		began = 1 << 62
	}
	if len(all) == 0 {
		return nil
	}
	e := all[sort.Search(len(all)-1, func(i int) bool { return all[i+1][0].at > began })]
	k := sort.Search(len(e), func(k int) bool { return e[k].most >= value })
	if k == len(e) {
		return nil
	}
	s := &e[k]
	switch {
	case s.buffer == b:
		return nil
	case s.buffer != nil && s.at > began+policy.SignalSlack.Nanos() && s.buffer.GPU.Begin > began, s.buffer == nil &&
		s.at > began+policy.SignalSlack.Nanos():
		return nil
	}
	return s
}
