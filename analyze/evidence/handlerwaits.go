package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A HandlerWait is a thread's wait for a signal, such as a semaphore, that a completion handler of another thread's
// command buffer gave. In effect it is a wait for that command buffer. Both threads commit.
type HandlerWait struct {
	*analyze.SignalWait
	Buffer *analyze.CommandBuffer
}

// FindHandlerWaits returns the waits in which a thread waits for a certain command buffer of another thread: that
// command buffer's completion handler sends the signal. It leaves out threads that wait for a free slot of a shared
// pool, because any command buffer that completes may release them. So a thread counts only if its waits are usually
// ended by the command buffer that was committed last when the wait began.
func FindHandlerWaits(t *analyze.Trace, waits []analyze.SignalWait) (list []HandlerWait) {
	handled := FindSignalledInHandlers(t)
	if len(handled.handled) == 0 {
		return nil
	}
	commits := map[*analyze.Thread]bool{}
	for b := range t.Buffers() {
		commits[b.Committed.Thread] = true
	}
	type tally struct{ several, newest int }
	by := map[*analyze.Thread]*tally{}
	for w := range analyze.Each(waits) {
		b := handled.during(w)
		if b == nil || !commits[w.Thread] || b.Committed.Thread == nil || b.Committed.Thread == w.Thread {
			continue
		}
		list = append(list, HandlerWait{w, b})
		if by[w.Thread] == nil {
			by[w.Thread] = &tally{}
		}
		if flying, newest := handled.inFlight(w.Begin); flying > 1 {
			by[w.Thread].several++
			if newest == b {
				by[w.Thread].newest++
			}
		}
	}
	return slices.DeleteFunc(list, func(w HandlerWait) bool {
		of := by[w.Thread]
		return of.several < policy.FewestOccurrences.Count() || !policy.AtLeast(policy.DominantShare, of.newest, of.several)
	})
}

// inFlight returns how many command buffers with completion handlers were in flight (committed and not completed) at
// a time, and the last committed one of them.
func (s SignalledInHandlers) inFlight(at analyze.Nanos) (count int, newest *analyze.CommandBuffer) {
	i, _ := slices.BinarySearchFunc(s.handled, at-s.longest, func(b *analyze.CommandBuffer, at analyze.Nanos) int {
		return cmp.Compare(b.GPU.End, at)
	})
	for ; i < len(s.handled) && s.handled[i].GPU.End <= at+s.flight; i++ {
		b := s.handled[i]
		if b.Committed.Begin > at || b.Completed.Begin < at {
			continue
		}
		if count++; newest == nil || b.Committed.Begin > newest.Committed.Begin {
			newest = b
		}
	}
	return count, newest
}

// during returns the command buffer whose completion handler gave the signal that ended w: its handlers ran on the
// signalling thread at that time; nil if there is none. If several command buffers qualify, it returns the one that
// completed first, because a thread runs their handlers one after another.
func (s SignalledInHandlers) during(w *analyze.SignalWait) (found *analyze.CommandBuffer) {
	for b := range s.at(w) {
		if b.HandledBy == w.Signaller && (found == nil || b.Completed.Begin < found.Completed.Begin) {
			found = b
		}
	}
	return found
}
