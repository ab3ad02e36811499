package evidence

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Completions tells when the program could see that a command buffer had completed; see At.
type Completions struct {
	// for command buffers without a recorded completion: when the first wait for the command buffer returned
	waitedFor map[analyze.CommandBufferIndex]analyze.Nanos
}

// FindCompletions finds when the first wait returned for each command buffer whose completion the trace does not
// record.
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

// At returns when the program could first see that b had completed: its recorded completion, else its end on the GPU,
// else the return of the first wait for it. It returns 0 if the trace has none of these.
func (c Completions) At(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Completed.Known():
		return b.Completed.Begin
	case b.GPU.Known():
		return b.GPU.End
	}
	return c.waitedFor[b.Index]
}

// onGPU returns when the GPU finished b. If the GPU's times are not known, it returns when the program could see the
// completion, which is later; 0 if neither is known.
func (c Completions) onGPU(b *analyze.CommandBuffer) analyze.Nanos {
	if b.GPU.Known() {
		return b.GPU.End
	}
	return c.At(b)
}

// lastCompleted returns, for each queue, the latest commit time of a command buffer that is known to have completed.
// Command buffers that were committed later were still in flight when the trace ended.
func (c Completions) lastCompleted(t *analyze.Trace) map[*analyze.Queue]analyze.Nanos {
	last := map[*analyze.Queue]analyze.Nanos{}
	for b := range t.Buffers() {
		if b.Committed.Known() && c.At(b) != 0 {
			last[b.Queue] = max(last[b.Queue], b.Committed.Begin)
		}
	}
	return last
}

// UsualCompletion returns the median delay from a command buffer's end on the GPU to the program seeing its
// completion. It counts only command buffers without completion handlers, whose run time would be part of the delay.
// With too few of them it returns policy.UsualCompletion and false.
func UsualCompletion(t *analyze.Trace) (usual analyze.Nanos, known bool) {
	var all []analyze.Nanos
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers == 0 {
			all = append(all, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(all) < policy.FewestOccurrences.Count() {
		return policy.UsualCompletion, false
	}
	return Median(all), true
}

// Handling returns, for each queue, the times in which a command buffer had ended on the GPU but its completion was
// not visible yet, because completion handlers of the program ran first.
func Handling(t *analyze.Trace) map[*analyze.Queue]*Busy {
	usual, _ := UsualCompletion(t)
	by := map[*analyze.Queue][]analyze.Interval{}
	for b := range t.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() &&
			b.Completed.Begin-b.GPU.End > policy.LongestWakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	return unions(by)
}

// SignalledInHandlers finds the command buffer in whose completion handler a signal was given; see Of.
type SignalledInHandlers struct {
	handled []*analyze.CommandBuffer // sorted by their ends on the GPU
	longest analyze.Nanos            // the longest time from the GPU's end to the completion being seen
	flight  analyze.Nanos            // the longest time from a commit to the GPU's end
}

// FindSignalledInHandlers collects the command buffers that have completion handlers of the program, for Of to
// search.
func FindSignalledInHandlers(t *analyze.Trace) (s SignalledInHandlers) {
	for b := range t.Buffers() {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() {
			s.handled = append(s.handled, b)
			s.longest = max(s.longest, b.Completed.Begin-b.GPU.End)
			s.flight = max(s.flight, b.GPU.End-b.Committed.Begin)
		}
	}
	slices.SortStableFunc(s.handled, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(x.GPU.End, y.GPU.End) })
	return s
}

// Of returns the command buffer whose completion handler gave the signal that ended the wait w, or nil if there is
// none. Three conditions keep unrelated signals out. The thread that ran the handler, if known, gave the signal. The
// waiting thread committed the command buffer. The wait began before the command buffer's end on the GPU, because a
// later wait may be a wait inside the handler itself.
func (s SignalledInHandlers) Of(w *analyze.SignalWait) *analyze.CommandBuffer {
	for b := range s.at(w) {
		if b.Committed.Thread == w.Thread && w.Begin < b.GPU.End && (b.HandledBy == nil || b.HandledBy == w.Signaller) {
			return b
		}
	}
	return nil
}

// at yields the command buffers that were between their end on the GPU and their completion when another thread gave
// the signal that ended the wait w. The command buffer with the latest end comes first.
func (s SignalledInHandlers) at(w *analyze.SignalWait) iter.Seq[*analyze.CommandBuffer] {
	return func(yield func(*analyze.CommandBuffer) bool) {
		if w.Signaller == nil || w.Signaller == w.Thread || w.TimedOut || w.AcquirerReleased || w.Signalled == 0 {
			return
		}
		i, _ := slices.BinarySearchFunc(s.handled, w.Signalled, func(b *analyze.CommandBuffer, at analyze.Nanos) int {
			return cmp.Compare(b.GPU.End, at)
		})
		for i--; i >= 0 && s.handled[i].GPU.End+s.longest >= w.Signalled; i-- {
			if b := s.handled[i]; b.Completed.Begin >= w.Signalled && !yield(b) {
				return
			}
		}
	}
}

// HandlersBeforeSignals returns the total time that threads waited for signals from completion handlers because the
// handlers took long. It leaves out the usual completion delay (UsualCompletion), and time in which the handler
// itself waited for a signal.
func HandlersBeforeSignals(t *analyze.Trace, waits []analyze.SignalWait) (waited analyze.Nanos) {
	usual, _ := UsualCompletion(t)
	signalled, asleep := FindSignalledInHandlers(t), asleepForSignals(waits)
	for w := range analyze.Each(waits) {
		if b := signalled.Of(w); b != nil {
			before := w.Interval.Intersect(analyze.Interval{Begin: b.GPU.End + usual, End: w.Signalled})
			waited += before.Length() - asleep[w.Signaller].LengthWithin(before)
		}
	}
	return waited
}

// asleepForSignals returns, for each thread, the union of the times in which it waited for signals.
func asleepForSignals(waits []analyze.SignalWait) map[*analyze.Thread]*Busy {
	by := map[*analyze.Thread][]analyze.Interval{}
	for w := range analyze.Each(waits) {
		by[w.Thread] = append(by[w.Thread], w.Interval)
	}
	return unions(by)
}

// Chained returns how long completion handlers worked before they created their thread's next command buffer, and the
// number of such handlers. The usual completion delay and waits for signals do not count as work. Only threads count
// that create nearly all command buffers in the handler of the previous one, so that the GPU is idle while the
// handler works.
func Chained(t *analyze.Trace, waits []analyze.SignalWait) (worked analyze.Nanos, handlers int) {
	asleep := asleepForSignals(waits)
	usual, _ := UsualCompletion(t)
	for thread, list := range chainsOfHandlers(t) {
		for i := 1; i < len(list); i++ {
			if b, made := list[i-1], list[i].Created.Begin; handles(b, made) {
				work := analyze.Interval{Begin: b.GPU.End + usual, End: max(b.GPU.End+usual, made)}
				worked += work.Length() - asleep[thread].LengthWithin(work)
				handlers++
			}
		}
	}
	return worked, handlers
}

// handles reports whether b has completion handlers that may run at that time: between its end on the GPU and its
// completion.
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
		if len(list) < policy.FewestSamples.Count() || !policy.NearlyAll(n, len(list)-1) {
			delete(by, thread)
		}
	}
	return by
}

// HandlersOneByOne returns upper bounds of the time that completion handlers took. It uses command buffers that ended
// on the GPU before the handlers of the queue's previous command buffer returned. A queue completes its command
// buffers one after the other, so the time between these completions contains no delay of the notification.
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
