package hang

import (
	"cmp"
	"slices"
	"strings"

	"mtrace/analyze"
)

// recallSignals fills in who ended the earlier waits for the objects for which threads wait.
func (s *surveyed) recallSignals() {
	handled := s.handledBuffers()
	byThread := map[*analyze.Thread]*analyze.UnfinishedCall{}
	byObject := map[uint64][]*analyze.UnfinishedCall{}
	for t := range s.unsignalled {
		u := s.byThread[t]
		byThread[t] = u
		byObject[u.Address] = append(byObject[u.Address], u)
	}
	for w := range analyze.Each(s.trace.CPUWaits.Signals) {
		if w.Thread == nil || w.Thread.Process != s.process || w.ForProcess {
			continue
		}
		handler := inHandler(handled, w)
		for _, u := range byObject[w.Object] {
			s.recall(u, w, handler)
		}
		if u := byThread[w.Thread]; u != nil && u.Address != w.Object {
			s.recall(u, w, handler)
		}
		for _, u := range byObject[w.LastSignalled] {
			s.unsignalled[u.Thread].mention(w.Thread)
		}
	}
}

// mention adds a thread that signalled the object, although no wait is known that its signal ended. Threads that run
// completion handlers are not added: recall counts their signals as those of handlers.
func (g *signallers) mention(t *analyze.Thread) {
	if _, known := g.threads[t]; !known && t.Notified == analyze.NoCommandBuffer {
		g.threads[t] = 0
	}
}

// recall adds the signal that ended the wait w to what is known about the call u, if both wait for the same signals.
func (s *surveyed) recall(u *analyze.UnfinishedCall, w *analyze.SignalWait, handler bool) {
	g := s.unsignalled[u.Thread]
	switch {
	case w.Begin >= u.Begin || !sameSignals(u, w):
		return
	case w.TimedOut:
		g.timed = true
	case handler:
		g.handlers++
	case w.Signaller != nil:
		g.threads[w.Signaller]++
	}
	g.uncertain = g.uncertain || ofPython(w) && (u.Stack == nil || w.Stack == nil)
}

// sameSignals reports whether the call u waits for the same signals as the earlier wait w. CPython allocates a new
// lock for each wait of a threading.Condition, often at the address of an unrelated one, so its waits are compared by
// the line of the program, or by thread and address if lines were not recorded. Other objects are compared by address,
// and by the line unless the object has a name: memory of an unnamed object may have been reused.
func sameSignals(u *analyze.UnfinishedCall, w *analyze.SignalWait) bool {
	switch {
	case u.Selector != w.Selector:
		return false
	case ofPython(w) && u.Thread != w.Thread:
		return false
	case ofPython(w) && u.Stack != nil && w.Stack != nil:
		return sameLine(u.Stack, w.Stack)
	case u.Address != w.Object:
		return false
	case strings.HasPrefix(w.Name, "in ") && u.Stack != nil && w.Stack != nil:
		return sameLine(u.Stack, w.Stack)
	}
	return true
}

// ofPython reports whether w is a wait for a lock of CPython's threading module.
func ofPython(w *analyze.SignalWait) bool { return strings.Contains(w.Name, "PyThread_") }

// sameLine reports whether two stacks have the same call site.
func sameLine(a, b *analyze.Stack) bool {
	if a == b {
		return true
	}
	x, y := a.Site(), b.Site()
	return x != nil && y != nil && x.String() == y.String()
}

// handledBuffers returns the process's completed command buffers that had completion handlers, by the thread that ran
// the handlers, in the order of their completion.
func (s *surveyed) handledBuffers() map[*analyze.Thread][]*analyze.CommandBuffer {
	handled := map[*analyze.Thread][]*analyze.CommandBuffer{}
	for _, buffers := range s.buffers {
		for _, b := range buffers {
			if b.Handlers > 0 && b.Completed.Known() {
				handled[b.HandledBy] = append(handled[b.HandledBy], b)
			}
		}
	}
	for _, list := range handled {
		slices.SortFunc(list, func(a, b *analyze.CommandBuffer) int {
			return cmp.Compare(a.Completed.Begin, b.Completed.Begin)
		})
	}
	return handled
}

// inHandler reports whether a completion handler gave the signal that ended the wait w: its thread completed a
// command buffer next, whose work the GPU had already ended.
func inHandler(handled map[*analyze.Thread][]*analyze.CommandBuffer, w *analyze.SignalWait) bool {
	if w.Signaller == nil || w.Signalled == 0 {
		return false
	}
	list := handled[w.Signaller]
	i, _ := slices.BinarySearchFunc(list, w.Signalled, func(b *analyze.CommandBuffer, at analyze.Nanos) int {
		return cmp.Compare(b.Completed.Begin, at)
	})
	return i < len(list) && w.Signalled >= cmp.Or(list[i].GPU.End, list[i].Committed.Begin)
}
