package hang

import (
	"mtrace/analyze"
	"mtrace/collector/wire"
)

// mayRunHandlers returns a thread that may be inside a completion handler of b, although it never ran one before: it
// submits no work, and since b was committed it waits for a signal where it has not waited before, or for another
// command buffer. It returns nil if there is none, or several.
func (w *walk) mayRunHandlers(b *analyze.CommandBuffer) (found *analyze.Thread) {
	if b.Handlers == 0 {
		return nil
	}
	for _, u := range w.inside {
		waits := u.Group == wire.GroupWait && u.Buffer != analyze.NoCommandBuffer
		if w.threads[u.Thread] || w.began(u) < b.Committed.Begin || !waits && !w.unusual(u) || w.submits(u.Thread) {
			continue
		}
		if found != nil {
			return nil
		}
		found = u.Thread
	}
	return found
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
