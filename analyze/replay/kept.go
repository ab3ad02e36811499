package replay

import (
	"cmp"
	"slices"
	"sort"

	"mtrace/analyze"
)

// findKept finds the waits for an interpreter's lock that another thread kept while it waited for the GPU, and that thread's wait: they last until it has ended.
// Who waits for such a lock asks for it again and again, and each of these waits lasts until then, too.
func (ev *builder) findKept() map[*analyze.LockWait]*analyze.Wait {
	kept := map[*analyze.LockWait]*analyze.Wait{}
	held := map[*analyze.Process][]*analyze.Wait{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if w.Interpreter == analyze.InterpreterHeld && w.Thread != nil {
			held[w.Thread.Process] = append(held[w.Thread.Process], w)
		}
	}
	for _, all := range held {
		slices.SortStableFunc(all, func(x, y *analyze.Wait) int { return cmp.Compare(x.Begin, y.Begin) })
	}
	for l := range analyze.Each(ev.Locks) {
		if !l.OfInterpreter() {
			continue
		}
		all := held[l.Thread.Process]
		i := sort.Search(len(all), func(i int) bool { return all[i].Begin >= l.End }) - 1
		if i >= 0 && all[i].End > l.Begin && all[i].Thread != l.Thread {
			kept[l] = all[i]
		}
	}
	return kept
}
