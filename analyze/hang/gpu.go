package hang

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// buffer continues the chain of waits: it finds out why command buffer b has not completed. If b has completed, it
// finds out why the waiting threads were not notified.
func (w *walk) buffer(b *analyze.CommandBuffer) (Kind, string) {
	if b == nil {
		return unknown, ""
	}
	if w.passed[b] {
		return Deadlock, "The command buffers wait for each other's events, so none of them can continue."
	}
	w.passed[b] = true
	switch {
	case b.Completed.Known():
		return w.handlers(b)
	case !b.Committed.Known():
		return w.notCommitted(b)
	}
	if before := w.before(b); before != nil {
		if !before.Committed.Known() {
			w.step(buffer(b), "%s, not started: %s was enqueued before it", w.committed(b), buffer(before))
			w.step(buffer(before), "was enqueued at %s by %s, and never committed", w.at(before.Enqueued.Begin),
				thread(before.Enqueued.Thread))
			return NotCommitted, fmt.Sprintf(
				"%s was enqueued and never committed: its queue starts nothing that comes after it.",
				capital(buffer(before)))
		}
		w.step(buffer(b), "%s, not started: queued behind %s", w.committed(b), buffer(before))
		return w.buffer(before)
	}
	for _, v := range b.WaitsFor {
		if w.values[v.Event].value < v.Value {
			w.step(buffer(b), "%s, not completed: waits for %s to reach %d", w.committed(b), eventName(v.Event), v.Value)
			return w.event(v)
		}
	}
	return w.runs(b)
}

func (w *walk) committed(b *analyze.CommandBuffer) string {
	return "committed at " + w.at(b.Committed.Begin)
}

// before returns the first outstanding command buffer in b's queue, which keeps b from starting; nil if b itself is
// the first.
func (w *walk) before(b *analyze.CommandBuffer) *analyze.CommandBuffer {
	if list := w.outstanding(b.Queue); len(list) > 0 && list[0] != b {
		return list[0]
	}
	return nil
}

// handlers continues the chain of waits after command buffer b, whose GPU work is done although threads still wait for
// it: probably one of the program's completion handlers has not returned.
func (w *walk) handlers(b *analyze.CommandBuffer) (Kind, string) {
	for _, t := range w.trace.Threads {
		last := w.trace.Buffer(t.Notified)
		if t.Process != w.process || last == nil || last.Queue != b.Queue || last.Handlers == 0 {
			continue
		}
		w.step(buffer(b), "completed on the GPU at %s; "+
			"waiting threads are notified after the completion handlers of %s have run on %s",
			w.at(b.Completed.Begin), which(last, b), thread(t))
		return w.handlerOf(last, t)
	}
	w.step(buffer(b), "completed on the GPU at %s", w.at(b.Completed.Begin))
	return InCall, fmt.Sprintf("%s has completed, and the call that waits for it has not returned.", capital(buffer(b)))
}

// handlerOf continues the chain of waits with thread `t`, which runs the completion handlers of command buffer b.
func (w *walk) handlerOf(b *analyze.CommandBuffer, t *analyze.Thread) (Kind, string) {
	kind, why := w.other(t)
	switch kind {
	case Deadlock:
		if u := w.byThread[t]; u != nil && u.Buffer != analyze.NoCommandBuffer {
			return kind, fmt.Sprintf("The completion handler of %s waits for %s, which starts or completes only after the "+
				"handler has returned, so neither can continue. Do not wait for a command buffer in a completion handler.",
				buffer(b), buffer(w.trace.Buffer(u.Buffer)))
		}
		why = "The completion handler needs a lock held by the thread that waits for the handler's command buffer, " +
			"so neither can continue. " +
			"Do not wait for a command buffer while holding a lock, or the GIL, that one of its handlers acquires."
	case Idle:
		if u := w.byThread[t]; u != nil && u.Group == wire.GroupSignal {
			return InCall, fmt.Sprintf("The completion handler of %s has not returned: it waits for a signal. "+
				"If the signal is to come from a thread that waits for the command buffer, neither can continue.", buffer(b))
		}
		return InCall, fmt.Sprintf("The completion handler of %s has not returned.", buffer(b))
	case unknown:
		return InCall, fmt.Sprintf("The completion handler of %s has not returned.", buffer(b))
	}
	return kind, why
}

// handler returns the stuck call of the thread that probably runs b's completion handlers; nil if there is none. The
// trace cannot name that thread, because the tracer's own handler runs after the program's. Candidates are threads
// that wait for a lock held by a thread of this chain, and stuck threads that ran handlers of b's queue before.
func (w *walk) handler(b *analyze.CommandBuffer) *analyze.UnfinishedCall {
	if b.Handlers == 0 {
		return nil
	}
	for _, u := range w.inside {
		if w.threads[u.Thread] || u.Group != wire.GroupLock && u.Group != wire.GroupWait && !w.unusual(u) {
			continue
		}
		last := w.trace.Buffer(u.Thread.Notified)
		if holder := w.holder(u); holder != nil && w.threads[holder] || last != nil && last.Queue == b.Queue {
			return u
		}
	}
	return nil
}

// unusual reports whether a thread waits for a signal at an object where it has not waited before. A thread that
// runs handlers waits for work always at the same object, or in no recorded call.
func (w *walk) unusual(u *analyze.UnfinishedCall) bool {
	if u.Group != wire.GroupSignal || u.Address == 0 {
		return false
	}
	for i := range w.trace.CPUWaits.Signals {
		if x := &w.trace.CPUWaits.Signals[i]; x.Thread == u.Thread &&
			x.Object == u.Address && x.Begin < u.Begin {
			return false
		}
	}
	return true
}

func which(last, b *analyze.CommandBuffer) string {
	if last == b {
		return "its own"
	}
	return buffer(last)
}

func (w *walk) notCommitted(b *analyze.CommandBuffer) (Kind, string) {
	w.step(buffer(b), "created at %s by %s, never committed", w.at(b.Created.Begin), madeBy(b))
	return NotCommitted, fmt.Sprintf("%s was never committed, so it cannot complete.", capital(buffer(b)))
}

// event continues the chain of waits with the thread or command buffer that should set the event to the value v. If
// nothing in the trace sets it, the chain ends there.
func (w *walk) event(v analyze.EventValue) (Kind, string) {
	now, given := w.values[v.Event]
	if given && now.value >= v.Value {
		w.step(eventName(v.Event), "has reached %d, and the wait for it has not returned", now.value)
		return InCall, ""
	}
	text := fmt.Sprintf("to reach %d: it is at 0, and was never signalled", v.Value)
	if given {
		by := thread(now.thread)
		if now.buffer != nil {
			by = buffer(now.buffer)
		}
		text = fmt.Sprintf("to reach %d: it is at %d, last signalled by %s at %s", v.Value, now.value, by, w.at(now.at))
	}
	if b := w.lower(v, now.value); b != nil {
		for _, x := range b.Signals {
			if x.Event == v.Event {
				text += fmt.Sprintf(", unless %s has set it to %d", buffer(b), x.Value)
			}
		}
	}
	w.step(eventName(v.Event), "%s", text)
	if b := w.signaller(v); b != nil {
		w.step(buffer(b), "signals %d", v.Value)
		kind, why := w.buffer(b)
		if kind == NotCommitted {
			why = fmt.Sprintf("The signal that sets the event to %d is encoded in %s. %s", v.Value, buffer(b), why)
		}
		return kind, why
	}
	return NotSignalled, w.nobody(v)
}

// polled continues the chain of waits after a thread that polls an event, whose value is v. The trace does not show
// which value the thread waits for, so any higher value may be the awaited one.
func (w *walk) polled(v analyze.EventValue) (Kind, string) {
	w.step(eventName(v.Event), "is at %d, and has not changed since the thread began to poll it", v.Value)
	if b := w.signaller(analyze.EventValue{Event: v.Event, Value: v.Value + 1}); b != nil {
		w.step(buffer(b), "signals a higher value")
		kind, why := w.buffer(b)
		if kind == NotCommitted {
			why = fmt.Sprintf("The signal that sets the event to a higher value is encoded in %s. %s", buffer(b), why)
		}
		return kind, why
	}
	return NotSignalled, w.nobody(analyze.EventValue{Event: v.Event, Value: v.Value + 1})
}

// lower returns a command buffer that the GPU may be running and that sets the event to a lower value than v, but to a
// higher one than now; nil if there is none.
func (w *walk) lower(v analyze.EventValue, now uint64) *analyze.CommandBuffer {
	for b := range w.trace.Buffers() {
		if b.Process != w.process || b.Completed.Known() || !b.Committed.Known() || w.before(b) != nil {
			continue
		}
		for _, x := range b.Signals {
			if x.Event == v.Event && x.Value < v.Value && x.Value > now {
				return b
			}
		}
	}
	return nil
}

// signaller returns a command buffer that has not completed and that sets the event v.Event to at least v.Value; nil if
// there is none. It prefers a committed one.
func (w *walk) signaller(v analyze.EventValue) (found *analyze.CommandBuffer) {
	for b := range w.trace.Buffers() {
		if b.Process != w.process || b.Completed.Known() {
			continue
		}
		for _, s := range b.Signals {
			if s.Event == v.Event && s.Value >= v.Value && (found == nil || b.Committed.Known() &&
				!found.Committed.Known()) {
				found = b
			}
		}
	}
	return found
}

// nobody explains that nothing in the trace sets the event to the value. It also lists command buffers that were
// never committed, because one of them may contain the signal.
func (w *walk) nobody(v analyze.EventValue) string {
	text := fmt.Sprintf("Nothing in the trace signals %d. "+
		"Either the signal was never encoded, or another process has to signal it.", v.Value)
	text += w.listeners(v) + w.wantsLock()
	for q, list := range w.buffers {
		n := 0
		var first *analyze.CommandBuffer
		for _, b := range list {
			if b.Created.Known() && !b.Committed.Known() && !b.Completed.Known() {
				if n++; first == nil {
					first = b
				}
			}
		}
		if n > 0 {
			text += fmt.Sprintf(" %s was never committed (%d of %s): %s, created by %s.", analyze.Plural(n,
				"command buffer"), n, queue(q), buffer(first), madeBy(first))
		}
	}
	return text
}

// listeners returns a sentence about a block of the program that runs when the event reaches some value
// (MTLSharedEventListener): that block may be the code that should signal v.
func (w *walk) listeners(v analyze.EventValue) string {
	for i := len(w.trace.Listeners) - 1; i >= 0; i-- {
		l := &w.trace.Listeners[i]
		if l.Process != w.process || l.Event != v.Event || l.Value >= v.Value {
			continue
		}
		by := thread(l.Thread)
		if site := l.Stack.Site(); site != nil {
			by += ", " + site.String()
		}
		if w.values[v.Event].value < l.Value {
			return fmt.Sprintf(" A listener waits for %s to reach %d (added by %s). "+
				"Its block has not run; it may be the code that signals %d.", eventName(v.Event), l.Value, by, v.Value)
		}
		return fmt.Sprintf(" A listener waited for %s to reach %d (added by %s). "+
			"Its block may be the code that signals %d, but has not done so.", eventName(v.Event), l.Value, by, v.Value)
	}
	return ""
}

// wantsLock returns a sentence about a thread that waits for a lock held by a thread of this chain. The waiting thread
// may be the one that should signal the event.
func (w *walk) wantsLock() string {
	for _, u := range w.inside {
		if u.Group != wire.GroupLock || w.threads[u.Thread] {
			continue
		}
		if holder := w.holder(u); holder != nil && w.threads[holder] {
			return fmt.Sprintf(" %s waits for a lock that %s holds: if it is to signal, neither can continue.",
				capital(thread(u.Thread)), thread(holder))
		}
	}
	return ""
}

// runs continues the chain of waits after a command buffer that the GPU should be running, because nothing in the trace
// keeps it from starting. The GPU may be busy with another queue, a handler may be stuck, or a kernel does not end.
func (w *walk) runs(b *analyze.CommandBuffer) (Kind, string) {
	if other := w.occupies(b); other != nil && !w.passed[other] {
		w.step(buffer(b), "%s, not completed; %s of %s was committed earlier and may occupy the GPU", w.committed(b),
			buffer(other), queue(other.Queue))
		return w.buffer(other)
	}
	if u := w.handler(b); u != nil {
		w.step(buffer(b), "%s; its completion handlers have not returned, and %s seems to run them", w.committed(b),
			thread(u.Thread))
		return w.handlerOf(b, u.Thread)
	}
	took := w.end - b.Committed.Begin
	usual := took < policy.HangTimesUsual*w.longest // the GPU may still be running it
	if calls := w.mayRunHandlers(b); len(calls) > 0 && !usual {
		var threads, inside []string
		for _, u := range calls {
			threads = append(threads, thread(u.Thread))
			inside = append(inside, thread(u.Thread)+" in "+u.Selector)
		}
		w.step(buffer(b), "%s, not completed; %s may run its completion handlers", w.committed(b),
			strings.Join(threads, " or "))
		return InCall, fmt.Sprintf("Either the GPU never finished %s, or its completion handler has not returned and is "+
			"stuck on %s.", buffer(b), strings.Join(inside, " or "))
	}
	text := w.committed(b) + ", not completed"
	if names := kernels(b); names != "" {
		text += ": runs " + names
	}
	w.step(buffer(b), "%s", text)
	if usual {
		return Idle, ""
	}
	why := fmt.Sprintf("The GPU never finished %s, %v after it was committed; nothing in the trace blocks it. "+
		"One of its kernels may never end, or may take far longer than all earlier ones", buffer(b), took)
	if w.longest > 0 {
		why += fmt.Sprintf(" (at most %v)", w.longest)
	}
	return GPUUnended, why + "."
}

// occupies returns a command buffer of another queue that may occupy the GPU of b: it has not completed and waits for
// no event. If there are several, it returns the one that was committed first; nil if there is none.
func (w *walk) occupies(b *analyze.CommandBuffer) (found *analyze.CommandBuffer) {
	for q := range w.buffers {
		if q == b.Queue || q == nil || b.Queue == nil || q.Device != b.Queue.Device {
			continue
		}
		list := w.outstanding(q)
		if len(list) == 0 || !list[0].Committed.Known() || list[0].Committed.Begin >= b.Committed.Begin ||
			w.awaits(list[0]) {
			continue
		}
		if found == nil || list[0].Committed.Begin < found.Committed.Begin {
			found = list[0]
		}
	}
	return found
}

// awaits reports whether a command buffer waits for an event that has not reached the value.
func (w *walk) awaits(b *analyze.CommandBuffer) bool {
	for _, v := range b.WaitsFor {
		if w.values[v.Event].value < v.Value {
			return true
		}
	}
	return false
}
