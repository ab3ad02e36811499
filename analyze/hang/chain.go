package hang

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// A walk follows the chain of waits from one stuck thread: the thread waits for a lock, whose holder waits for a
// command buffer, and so on.
type walk struct {
	*surveyed
	stuck   Stuck
	why     string
	threads map[*analyze.Thread]bool        // the threads of the chain so far; a second visit means a deadlock
	passed  map[*analyze.CommandBuffer]bool // the command buffers of the chain so far, likewise
}

// walk follows the chain of waits from the call u, which has not returned, to the thread or object that would have to
// act.
func (s *surveyed) walk(u *analyze.UnfinishedCall) *walk {
	began := s.began(u)
	w := &walk{surveyed: s, threads: map[*analyze.Thread]bool{}, passed: map[*analyze.CommandBuffer]bool{},
		stuck: Stuck{Thread: u.Thread, Call: u.Selector, Since: began, For: s.end - began, Polls: u.Polls,
			Input: u.Effect == wire.EffectAwaitsInput, Stack: u.Stack}}
	if around := s.enclosingCall[u.Thread]; around != nil {
		w.stuck.Call += " inside " + around.Selector
		if w.stuck.Stack == nil {
			w.stuck.Stack = around.Stack
		}
	}
	w.stuck.Kind, w.why = w.thread(u)
	return w
}

func (w *walk) step(what, format string, args ...any) {
	if len(w.stuck.Chain) < policy.MostStuck {
		w.stuck.Chain = append(w.stuck.Chain, Step{what, fmt.Sprintf(format, args...)})
	}
}

// thread continues the chain: it finds out what the thread inside the call u waits for. It returns the kind of hang
// at the end of the chain, and an explanation for the user. If the chain comes back to one of its threads, the hang
// is a deadlock.
func (w *walk) thread(u *analyze.UnfinishedCall) (Kind, string) {
	if w.threads[u.Thread] {
		return Deadlock, w.circle(u.Thread)
	}
	w.threads[u.Thread] = true
	switch {
	case u.Group == wire.GroupLock:
		return w.lock(u)
	case u.Child != 0:
		w.step(fmt.Sprintf("process %d", u.Child), "has not ended, and a thread waits for it")
		return Idle, ""
	case u.Group == wire.GroupSignal:
		return w.signal(u)
	case u.Polls > 0 && u.Event != (analyze.EventValue{}):
		return w.polled(u.Event)
	case u.Event != (analyze.EventValue{}):
		if r := w.retried[u.Thread]; r.times > 0 && r.event == u.Event {
			w.step(u.Selector, "timed out %s, and was called again", times(r.times))
		}
		return w.event(u.Event)
	case u.Group == wire.GroupWait && u.Buffer != analyze.NoCommandBuffer:
		return w.buffer(w.trace.Buffer(u.Buffer))
	case u.Group == wire.GroupAcquire && u.Queue != nil:
		return w.queue(u.Queue)
	case compiles(u):
		return Idle, ""
	}
	w.step(u.Selector, "has not returned; the trace does not show what it waits for")
	return InCall, fmt.Sprintf("%s has not returned, and the trace does not show what it waits for.", u.Selector)
}

// circle explains a deadlock: the chain of waits has come back to thread `t`.
func (w *walk) circle(t *analyze.Thread) string {
	if len(w.threads) == 1 {
		return fmt.Sprintf("%s waits for itself.", capital(thread(t)))
	}
	if len(w.threads) > 2 {
		return "Each of them waits for the next, and the last for one before it, so none can continue."
	}
	return "Each of them waits for the other, so none can continue."
}

// lock continues the chain with the thread that holds the lock which the call u waits for.
func (w *walk) lock(u *analyze.UnfinishedCall) (Kind, string) {
	holder := w.holder(u)
	if holder == nil {
		w.step(lock(u), "is wanted by %s; its holder is not known", thread(u.Thread))
		return unknown, ""
	}
	w.step(lock(u), "is wanted by %s and held by %s", thread(u.Thread), thread(holder))
	return w.other(holder)
}

// holder returns the thread that holds the lock for which the call u waits, or nil if that is not known.
func (w *walk) holder(u *analyze.UnfinishedCall) *analyze.Thread {
	if u.OfPython {
		return w.holdsGIL(u.Thread)
	}
	return u.Holder
}

// holdsGIL returns a thread, other than `not`, that is stuck in a call which it began while it held the GIL; nil if
// there is none. Such a thread still holds the GIL, because only the holder can release it.
func (w *walk) holdsGIL(not *analyze.Thread) *analyze.Thread {
	for _, u := range w.inside {
		held := u.Interpreter == analyze.InterpreterHeld
		if around := w.enclosingCall[u.Thread]; around != nil {
			held = held || around.Interpreter == analyze.InterpreterHeld && !u.OfPython
		}
		if held && u.Thread != not {
			return u.Thread
		}
	}
	return nil
}

// other continues the chain of waits with thread `t`, for which a thread of the chain waits.
func (w *walk) other(t *analyze.Thread) (Kind, string) {
	u := w.byThread[t]
	if u == nil {
		w.step(thread(t), "is in no recorded call")
		return unknown, ""
	}
	if !w.threads[t] {
		text := fmt.Sprintf("is in %s for %v", u.Selector, w.end-w.began(u))
		if u.Stack.Site() != nil {
			text += ", at " + u.Stack.Site().String()
		}
		w.step(thread(t), "%s", text)
	}
	return w.thread(u)
}

// signal continues the chain of a thread that waits for a condition variable or semaphore. The trace does not say
// which thread should signal it. If completion handlers of the thread's own command buffers are pending, one of them
// probably should.
func (w *walk) signal(u *analyze.UnfinishedCall) (Kind, string) {
	if u.Holder != nil && u.Holder != u.Thread {
		w.step(lock(u), "was taken by %s", thread(u.Holder))
		return w.other(u.Holder)
	}
	before := w.unsignalled[u.Thread]
	switch {
	case u.Effect.Blocks():
		w.step(u.Selector, "%s", w.blocked(u))
	case before != nil:
		w.step(lock(u), "has not been signalled since %s began to wait for it; before, only %s signalled it (%s)",
			thread(u.Thread), before.names(), analyze.Plural(before.waits(), "wait"))
	default:
		w.step(lock(u), "has not been signalled since %s began to wait for it", thread(u.Thread))
	}
	for _, list := range w.buffers {
		for _, b := range list {
			if b.Completed.Known() || b.Handlers == 0 || b.Created.Thread != u.Thread {
				continue
			}
			w.step(buffer(b), "has a completion handler, which has not run; %s created this command buffer",
				thread(u.Thread))
			return w.buffer(b)
		}
	}
	if before != nil && before.isRoot() && !w.uncertain {
		return NotSignalled, w.noSignal(u, before)
	}
	return Idle, ""
}

// queue continues the chain with the reason why a full queue accepts no more command buffers.
func (w *walk) queue(q *analyze.Queue) (Kind, string) {
	waiting, uncommitted := w.outstanding(q), w.uncommitted(q)
	capacity := q.Capacity
	if capacity == 0 {
		capacity = 64
	}
	w.step(queue(q),
		"is full: it has room for %d command buffers, of which %d were committed and have not completed, "+
			"and %d were never committed",
		capacity, len(waiting), len(uncommitted))
	if len(waiting) == 0 && len(uncommitted) > 0 {
		first := uncommitted[0]
		w.step(buffer(first), "was created at %s by %s, and never committed", w.at(first.Created.Begin), madeBy(first))
		return NotCommitted, fmt.Sprintf("Nothing was committed: "+
			"%s command buffers of %s were created and neither committed nor released, "+
			"so creating one more blocks until one of them completes.", analyze.FormatCount(len(uncommitted)), queue(q))
	}
	if len(waiting) > 0 {
		return w.buffer(waiting[0])
	}
	return unknown, ""
}

// capital changes the first letter of text to upper case; it must be a lower-case ASCII letter.
func capital(text string) string { return string(text[0]-'a'+'A') + text[1:] }
