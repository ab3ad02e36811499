package hang

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// mayRunHandlers returns the stuck calls of threads that may be inside a completion handler of b, although the trace
// does not have a handler of theirs: they submit no work, and since b was committed they wait for a signal where they
// have not waited before, or for another command buffer as their first. It returns none if there are too many to name.
func (w *walk) mayRunHandlers(b *analyze.CommandBuffer) (found []*analyze.UnfinishedCall) {
	if b.Handlers == 0 {
		return nil
	}
	for _, u := range w.inside {
		signal := !w.threads[u.Thread] && w.unusual(u)
		if w.began(u) >= b.Committed.Begin && (signal || w.waitsFirst(u, b)) && !w.submits(u.Thread) {
			found = append(found, u)
		}
	}
	if len(found) > policy.ShownNames {
		return nil
	}
	return found
}

// waitsFirst reports whether u is its thread's first wait for a command buffer, and not for b. A thread of the
// program that only waits for other threads' command buffers has usually waited before.
func (w *walk) waitsFirst(u *analyze.UnfinishedCall, b *analyze.CommandBuffer) bool {
	if u.Group != wire.GroupWait || u.Buffer == analyze.NoCommandBuffer || u.Buffer == b.Index {
		return false
	}
	return !slices.ContainsFunc(w.trace.Waits, func(x analyze.Wait) bool {
		return x.Thread == u.Thread && !x.Unfinished
	})
}

// submits reports whether a thread created or committed a command buffer.
func (w *walk) submits(t *analyze.Thread) bool {
	for b := range w.trace.Buffers() {
		if b.Created.Thread == t || b.Committed.Thread == t {
			return true
		}
	}
	return false
}
