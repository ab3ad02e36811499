package evidence

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// event names an event of a process.
type event struct {
	process *analyze.Process
	id      uint32
}

// A signal is a value that an event was given: by a command buffer when it was done, or by a thread.
type signal struct {
	value  uint64
	at     analyze.Nanos
	buffer *analyze.CommandBuffer // nil when a thread gave it
	thread *analyze.Thread
}

// index is that of the command buffer that gave it.
func (s *signal) index() analyze.CommandBufferIndex {
	if s.buffer == nil {
		return analyze.NoCommandBuffer
	}
	return s.buffer.Index
}

// An epoch is the time of an event from one resetting of its value to the next. Its signals are by value; earliest is, for each,
// the index of the one that came first of it and those of larger values.
type epoch struct {
	begin    analyze.Nanos
	signals  []signal
	earliest []int
}

// epochs are the epochs of an event, by time. An event that is only counted up, as most are, has one.
type epochs []epoch

// signals finds what gave each event its values.
func (ev *Evidence) signals() map[event]epochs {
	by := map[event][]signal{}
	for b := range ev.Trace.Buffers() {
		for _, s := range b.Signals {
			if b.GPU.Known() {
				e := event{b.Process, s.Event}
				by[e] = append(by[e], signal{s.Value, b.GPU.End, b, nil})
			}
		}
	}
	for _, s := range ev.Trace.Signals {
		e := event{s.Process, s.Event}
		by[e] = append(by[e], signal{s.Value, s.At, nil, s.Thread})
	}
	events := make(map[event]epochs, len(by))
	for e, list := range by {
		events[e] = split(list)
	}
	return events
}

// split makes the epochs of an event. Only a thread gives an event a value that is smaller than it had.
func split(list []signal) (all epochs) {
	slices.SortStableFunc(list, func(x, y signal) int { return cmp.Compare(x.at, y.at) })
	most := uint64(0)
	for from, i := 0, 0; i <= len(list); i++ {
		if i < len(list) && (list[i].buffer != nil || list[i].value >= most) {
			most = max(most, list[i].value)
			continue
		}
		if i > from {
			all = append(all, newEpoch(slices.Clone(list[from:i])))
		}
		if from = i; i < len(list) {
			most = list[i].value
		}
	}
	if len(all) > 0 {
		all[0].begin = -1 << 62
	}
	return all
}

func newEpoch(list []signal) epoch {
	e := epoch{begin: list[0].at, signals: list, earliest: make([]int, len(list))}
	slices.SortStableFunc(list, func(x, y signal) int { return cmp.Compare(x.value, y.value) })
	for i := len(list) - 1; i >= 0; i-- {
		e.earliest[i] = i
		if i+1 < len(list) && list[e.earliest[i+1]].at < list[i].at {
			e.earliest[i] = e.earliest[i+1]
		}
	}
	return e
}

// first is what let b go, which waits for the value: the earliest signal of it or of a larger one. It is nil when none is in the
// trace that can have done it.
func (all epochs) first(b *analyze.CommandBuffer, value uint64) *signal {
	began := b.GPU.Begin
	if !b.GPU.Known() {
		began = 1 << 62
	}
	i := sort.Search(len(all), func(i int) bool { return all[i].begin > began })
	if i == 0 {
		return nil
	}
	e := &all[i-1]
	k, _ := slices.BinarySearchFunc(e.signals, value, func(s signal, v uint64) int { return cmp.Compare(s.value, v) })
	if k == len(e.signals) {
		return nil
	}
	s := &e.signals[e.earliest[k]]
	switch {
	case s.buffer == b:
		return nil
	case s.buffer != nil && s.at > began+policy.SignalSlack.Nanos() && s.buffer.GPU.Begin > began, s.buffer == nil && s.at > began+policy.SignalSlack.Nanos():
		return nil
	}
	return s
}
