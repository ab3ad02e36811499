package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Completions has the time at which the program could see that each command buffer had completed.
type Completions struct {
	// return of the first wait for a command buffer whose completion is not in the trace
	waitedFor map[analyze.CommandBufferIndex]analyze.Nanos
}

// FindCompletions finds when the first wait for each command buffer returned.
func FindCompletions(t *analyze.Trace) Completions {
	first := map[analyze.CommandBufferIndex]analyze.Nanos{}
	for w := range analyze.Each(t.Waits) {
		if b := t.WaitsFor(w); b == nil || w.Scheduled || w.Unfinished || b.Completed.Known() {
			continue
		}
		if at, known := first[w.Buffer]; !known || w.End < at {
			first[w.Buffer] = w.End
		}
	}
	return Completions{first}
}

// At returns when the program could see that a command buffer had completed, at the latest when a wait for it returned.
// It is 0 if that is not known.
func (c Completions) At(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	return c.waitedFor[b.Index]
}

// onGPU returns when a command buffer had ended on the GPU or, if that is not known, when its completion was visible.
func (c Completions) onGPU(b *analyze.CommandBuffer) analyze.Nanos {
	if b.GPU.Known() {
		return b.GPU.End
	}
	return c.At(b)
}

// lastCompleted returns, for each queue, when the last command buffer that is known to have completed was committed.
// Command buffers that were committed later were in flight when the trace ended.
func (c Completions) lastCompleted(t *analyze.Trace) map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for b := range t.Buffers() {
		if b.Committed.Known() && c.At(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}

// UsualCompletion returns the median time from a command buffer's end on the GPU to its completion being seen, for
// command buffers without handlers of the program. Known is false if nearly all have handlers.
func UsualCompletion(t *analyze.Trace) (usual analyze.Nanos, known bool) {
	var all []analyze.Nanos
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers == 0 {
			all = append(all, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(all) < policy.Pattern.Count() {
		return policy.UsualCompletion, false
	}
	return Median(all), true
}

// Handling returns, for each queue, when completed work waited for the program's completion handlers.
func Handling(t *analyze.Trace) map[*analyze.Queue]*Busy {
	usual, _ := UsualCompletion(t)
	by := map[*analyze.Queue][]analyze.Interval{}
	for b := range t.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Wakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	return unions(by)
}

// SignalledInHandlers finds the command buffers whose completion handlers gave signals to threads.
type SignalledInHandlers struct {
	handled []*analyze.CommandBuffer // sorted by their ends on the GPU
	longest analyze.Nanos            // the longest time from the GPU's end to the completion being seen
}

// FindSignalledInHandlers prepares the command buffers that have handlers of the program.
func FindSignalledInHandlers(t *analyze.Trace) (s SignalledInHandlers) {
	for b := range t.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() {
			s.handled = append(s.handled, b)
			s.longest = max(s.longest, b.Completed.Begin-b.GPU.End)
		}
	}
	slices.SortStableFunc(s.handled, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.GPU.End, y.GPU.End) })
	return s
}

// Of returns the command buffer whose handlers were running when the signal was given that ended the wait; nil if there
// is none. The thread that runs the handlers must have given the signal, if that thread is known: others signal
// meanwhile. The waiting thread must have committed the command buffer, and the GPU must not have completed it when the
// wait began: a wait that began after the GPU's end may be a wait of the handler itself.
func (s SignalledInHandlers) Of(w *analyze.SignalWait) *analyze.CommandBuffer {
	if w.Signaller == nil || w.Signaller == w.Thread || w.TimedOut || w.GivenBack || w.Signalled == 0 {
		return nil
	}
	i, _ := slices.BinarySearchFunc(s.handled, w.Signalled, func(b *analyze.CommandBuffer, at analyze.Nanos) int {
		return cmp.Compare(b.GPU.End, at)
	})
	for i--; i >= 0 && s.handled[i].GPU.End+s.longest >= w.Signalled; i-- {
		if b := s.handled[i]; b.Completed.Begin >= w.Signalled && b.Committed.Thread == w.Thread &&
			w.Begin < b.GPU.End && (b.HandledBy == nil || b.HandledBy == w.Signaller) {
			return b
		}
	}
	return nil
}

// HandlersBeforeSignals returns the time that threads waited for signals from completion handlers beyond the usual
// completion of the command buffer. It is the time that the handlers worked before the signal, without their own waits
// for signals.
func HandlersBeforeSignals(t *analyze.Trace, waits []analyze.SignalWait) (waited analyze.Nanos) {
	usual, _ := UsualCompletion(t)
	signalled, asleep := FindSignalledInHandlers(t), asleepForSignals(waits)
	for w := range analyze.Each(waits) {
		if b := signalled.Of(w); b != nil {
			before := w.Interval.Within(analyze.Interval{Begin: b.GPU.End + usual, End: w.Signalled})
			waited += before.Length() - asleep[w.Signaller].Within(before)
		}
	}
	return waited
}

// asleepForSignals returns when each thread waited for signals.
func asleepForSignals(waits []analyze.SignalWait) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	for w := range analyze.Each(waits) {
		by[w.Thread] = append(by[w.Thread], w.Interval)
	}
	return unions(by)
}

// Chained returns how long completion handlers worked, beyond the usual completion delay, before they created their
// thread's next command buffer, and the number of such handlers. Waits for signals in handlers do not count as work. It
// covers only threads that create nearly all command buffers in handlers: after the previous command buffer's end on
// the GPU and before its handlers return.
func Chained(t *analyze.Trace, waits []analyze.SignalWait) (worked analyze.Nanos, handlers int) {
	asleep := asleepForSignals(waits)
	usual, _ := UsualCompletion(t)
	for thread, list := range chainsOfHandlers(t) {
		for i := 1; i < len(list); i++ {
			if b, made := list[i-1], list[i].Created.Begin; handles(b, made) {
				work := analyze.Interval{Begin: b.GPU.End + usual, End: max(b.GPU.End+usual, made)}
				worked += work.Length() - asleep[thread].Within(work)
				handlers++
			}
		}
	}
	return worked, handlers
}

// handles reports whether handlers of a command buffer may run at an instant.
func handles(b *analyze.CommandBuffer, at analyze.Nanos) bool {
	return b.Handlers > 0 && b.GPU.End <= at && at <= b.Completed.Begin
}

// chainsOfHandlers returns, for each thread that creates nearly all command buffers in a completion handler of the
// previous one, these command buffers in order.
func chainsOfHandlers(t *analyze.Trace) map[*analyze.Thread][]*analyze.CommandBuffer {
	by := map[*analyze.Thread][]*analyze.CommandBuffer{}
	for b := range t.Buffers() {
		if b.Created.Known() && b.Created.Thread != nil && b.GPU.Known() && b.Completed.Known() {
			by[b.Created.Thread] = append(by[b.Created.Thread], b)
		}
	}
	for thread, list := range by {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int {
			return cmp.Compare(x.Created.Begin,
				y.Created.Begin)
		})
		n := 0
		for i := 1; i < len(list); i++ {
			if handles(list[i-1], list[i].Created.Begin) {
				n++
			}
		}
		if len(list) < policy.Sample.Count() || !policy.NearlyAll(n, len(list)-1) {
			delete(by, thread)
		}
	}
	return by
}

// HandlersOneByOne returns upper bounds of the times that completion handlers of the program took, for handlers that
// ran right after those of the previous command buffer in the queue. A queue completes command buffers one after the
// other, so none of this time is delay of a notification.
func HandlersOneByOne(t *analyze.Trace) (all []analyze.Nanos) {
	by := map[*analyze.Queue][]*analyze.CommandBuffer{}
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Completed.Known() {
			by[b.Queue] = append(by[b.Queue], b)
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int {
			return cmp.Compare(x.Completed.Begin,
				y.Completed.Begin)
		})
		for i := 1; i < len(list); i++ {
			if b, before := list[i], list[i-1].Completed.End; b.Handlers > 0 && b.GPU.End <= before {
				all = append(all, max(0, b.Completed.Begin-before))
			}
		}
	}
	return all
}
