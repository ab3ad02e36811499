package analyze

import (
	"cmp"
	"slices"
)

// Finish completes a trace that a loader has filled. It sorts all lists as the model requires, finds the command
// buffer or thread that ended each wait for an event, sets TimeRange unless the loader did, and checks that the clocks
// of CPU and GPU agree.
func (t *Trace) Finish() {
	order := make([]*CommandBuffer, 0, len(t.CommandBuffers)) // the command buffers in their present order
	for b := range t.Buffers() {
		order = append(order, b)
	}
	f := finishBuffers(t, order)
	for i := range t.Waits {
		if w := &t.Waits[i]; w.Buffer != NoCommandBuffer {
			w.Buffer = order[w.Buffer-1].Index
		}
	}
	finishTrace(t, f, false, allTime)
}

// finishTrace does the work of Finish for a trace whose command buffers finishBuffers has sorted. `gathered` is true
// if waits and allocations are already sorted too. `asked` is the requested time range.
func finishTrace(t *Trace, f finishing, gathered bool, asked Interval) {
	slices.SortFunc(t.Calls, func(a, b *CallStat) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Selector, b.Selector), cmp.Compare(a.Class, b.Class))
	})
	slices.SortFunc(t.Threads, func(a, b *Thread) int {
		return cmp.Or(compareProcesses(a.Process, b.Process), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(t.Queues, func(a, b *Queue) int {
		return cmp.Or(compareProcesses(a.Process, b.Process), cmp.Compare(a.ID, b.ID))
	})
	slices.SortFunc(t.Pipelines, func(a, b *Pipeline) int {
		return cmp.Or(compareProcesses(a.Process, b.Process), cmp.Compare(a.ID, b.ID))
	})
	if !gathered {
		sortUnlessSorted(t.Waits, func(a, b *Wait) int { return byBegin(&a.Call, &b.Call) })
		sortUnlessSorted(t.CPUWaits.Locks, func(a, b *LockWait) int { return byBegin(&a.Call, &b.Call) })
		sortUnlessSorted(t.CPUWaits.Signals, func(a, b *SignalWait) int { return byBegin(&a.Call, &b.Call) })
		sortUnlessSorted(t.CPUWaits.Blocked, func(a, b *BlockedWait) int { return byBegin(&a.Call, &b.Call) })
		sortUnlessSorted(t.Memory.Allocations, func(a, b *Allocation) int { return cmp.Compare(a.At, b.At) })
	}
	sortUnlessSorted(t.Compilations, func(a, b *Compilation) int { return byBegin(&a.Call, &b.Call) })
	sortUnlessSorted(t.CPUWaits.Drawables, byBegin)
	sortUnlessSorted(t.Memory.Residency, byBegin)
	sortUnlessSorted(t.Scopes, func(a, b *Scope) int { return byBegin(&a.Call, &b.Call) })
	sortUnlessSorted(t.Unfinished, func(a, b *UnfinishedCall) int { return byBegin(&a.Call, &b.Call) })
	slices.SortStableFunc(t.Signals, func(a, b Signal) int { return cmp.Compare(a.At, b.At) })
	t.Memory.Freed = sortedByTime(t.Memory.Freed, func(f *Freed) Nanos { return f.At })
	slices.SortStableFunc(t.Memory.Device, func(a, b DeviceMemory) int { return cmp.Compare(a.At, b.At) })
	sortUnlessSorted(t.Listeners, func(a, b *Listener) int { return byBegin(&a.Call, &b.Call) })
	slices.SortStableFunc(t.Memory.Lifetimes, func(a, b Lifetime) int { return cmp.Compare(a.At, b.At) })
	slices.SortStableFunc(t.Memory.Counted, func(a, b AliveSample) int { return cmp.Compare(a.At, b.At) })
	if t.Range.reach = reachOf(t, f, asked); t.TimeRange == (Interval{}) {
		t.TimeRange = t.Range.reach
	}
	resolveEvents(t, f.signalling)
	findHandlerWaits(t)
	findChildWaits(t)
	findWriters(t)
	checkWaits(t, asked)
	if !t.Adds() && !t.isSlice() {
		warnOfClocks(t)
	}
}

// reachOf returns the time from the first to the last event of the trace, cut to `asked`, the requested time.
func reachOf(t *Trace, f finishing, asked Interval) Interval {
	reach := extentOf(t, f.completed)
	if asked != allTime { // the GPU may continue after the last call
		if reach == (Interval{}) {
			reach = f.gpu
		} else if f.gpu.Known() {
			reach = Interval{min(reach.Begin, f.gpu.Begin), max(reach.End, f.gpu.End)}
		}
	}
	return Interval{max(reach.Begin, asked.Begin), min(reach.End, asked.End)}
}

// finishing holds what finishBuffers learns about all command buffers in its one pass over them. There are millions
// of command buffers, each several cache lines long, so each additional pass would be slow.
type finishing struct {
	signalling []CommandBufferIndex // the command buffers that signal events, in the order of creation
	completed  Nanos                // the last completion
	gpu        Interval             // from the first beginning to the last end on a GPU
}

// finishBuffers stores the command buffers of a list in the trace, sorted by creation, and sorts the encoders of
// each. It sets Index of the command buffers in the list, so that waits that refer to them can be renumbered.
func finishBuffers(t *Trace, list []*CommandBuffer) (f finishing) {
	keys, encoders, rows := make([]timeKey, len(list)), 0, 0
	for i, b := range list {
		keys[i] = timeKey{b.Created.Begin, uint32(i)}
		encoders, rows = encoders+len(b.Encoders), rows+len(b.Rows)
	}
	list = byCreation(list, keys)
	t.CommandBuffers = make([]CommandBuffer, len(list))
	allEncoders, allRows := make([]Encoder, 0, encoders), make([]GPUWork, 0, rows)
	for i, from := range list {
		from.Index = CommandBufferIndex(i + 1)
		b := &t.CommandBuffers[i]
		*b = *from
		allEncoders, b.Encoders = take(allEncoders, b.Encoders)
		allRows, b.Rows = take(allRows, b.Rows)
		f.completed = max(f.completed, b.Completed.End)
		if b.GPU.Known() {
			if t.Began(b.Committed.Begin) && t.Includes(b.Committed.Begin) {
				t.Recording.doubts.checkClock(b)
			}
			if f.gpu.End == 0 || b.GPU.Begin < f.gpu.Begin {
				f.gpu.Begin = b.GPU.Begin
			}
			f.gpu.End = max(f.gpu.End, b.GPU.End)
		}
		if len(b.Signals) > 0 {
			f.signalling = append(f.signalling, b.Index)
		}
		if t.Recording.EncoderTiming {
			b.sayUnmeasured()
		}
		if len(b.Encoders) > 1 {
			slices.SortFunc(b.Encoders, func(a, b Encoder) int {
				return cmp.Or(cmp.Compare(a.Created.Begin, b.Created.Begin), cmp.Compare(a.ID, b.ID))
			})
		}
	}
	return f
}

// take appends rows to column, which must have capacity for them, so that nothing is reallocated. It returns the
// longer column and the rows at their new place in it.
func take[T any](column, rows []T) (longer, taken []T) {
	first := len(column)
	column = append(column, rows...)
	return column, column[first:len(column):len(column)]
}

// byCreation returns the list sorted by creation. `keys` holds each element's creation time and index.
func byCreation(list []*CommandBuffer, keys []timeKey) []*CommandBuffer {
	keys = byTime(keys)
	out := make([]*CommandBuffer, len(list))
	for i, k := range keys {
		out[i] = list[k.index]
	}
	for i := 0; i < len(keys); {
		same := i + 1
		for same < len(keys) && keys[same].at == keys[i].at {
			same++
		}
		if same > i+1 {
			slices.SortStableFunc(out[i:same], inCreation)
		}
		i = same
	}
	return out
}

// extentOf returns the time range of the run. It begins with the first call, and ends with the last call, the last
// completion (`completed`) or the last end of a process, whichever is latest. Without calls it is empty.
func extentOf(t *Trace, completed Nanos) Interval {
	w := Interval{1<<63 - 1, -1 << 63}
	for _, th := range t.Threads {
		w.Begin, w.End = min(w.Begin, th.Active.Begin), max(w.End, th.Active.End)
	}
	if w.Begin > w.End {
		return Interval{}
	}
	w.End = max(w.End, completed)
	for _, p := range t.Processes {
		w.End = max(w.End, p.Ended)
	}
	return w
}

// resolveEvents finds, for each wait for a shared event, the command buffer or thread that first set the event to the
// awaited value or a greater one. It sets Wait.Buffer or Wait.Signaled.
func resolveEvents(t *Trace, signalling []CommandBufferIndex) {
	type event struct {
		process *Process
		id      uint32
	}
	type signal struct {
		value  uint64
		buffer CommandBufferIndex
		thread *Thread
	}
	signals := map[event][]signal{}
	for _, i := range signalling {
		b := t.Buffer(i)
		for _, s := range b.Signals {
			k := event{b.Process, s.Event}
			signals[k] = append(signals[k], signal{s.Value, i, nil})
		}
	}
	for _, s := range t.Signals {
		k := event{s.Process, s.Event}
		signals[k] = append(signals[k], signal{s.Value, NoCommandBuffer, s.Thread})
	}
	for _, list := range signals {
		slices.SortStableFunc(list, func(a, b signal) int { return cmp.Compare(a.value, b.value) })
	}
	for i := range t.Waits {
		w := &t.Waits[i]
		if w.Event == (EventValue{}) || w.Thread == nil {
			continue
		}
		list := signals[event{w.Thread.Process, w.Event.Event}]
		at, _ := slices.BinarySearchFunc(list, w.Event.Value,
			func(s signal, v uint64) int { return cmp.Compare(s.value, v) })
		if at < len(list) {
			w.Buffer, w.Signaled = list[at].buffer, list[at].thread
		}
	}
}

// sayUnmeasured sets Encoder.Unmeasured, the reason for missing GPU times, where the trace gives no reason although
// encoder times were requested.
func (b *CommandBuffer) sayUnmeasured() {
	for i := range b.Encoders {
		e := &b.Encoders[i]
		switch {
		case e.GPU.Known() || e.Unmeasured != "":
		case e.Kind == EncoderCompute || e.Kind == EncoderBlit:
			e.Unmeasured = "its command buffer did not complete, or is a Metal 4 command buffer"
		default:
			e.Unmeasured = "only compute and blit encoders are measured"
		}
	}
}
