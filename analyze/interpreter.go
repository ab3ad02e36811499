package analyze

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// OfInterpreter reports whether the lock is CPython's global interpreter lock (GIL), which all threads of an
// interpreter share. It is recognized by the symbol at the lock's address, or by the functions that acquire it.
func (l *LockWait) OfInterpreter() bool {
	n := strings.ToLower(l.Name)
	return n == "gil" || strings.Contains(n, "take_gil") || strings.Contains(n, "interpreter lock") ||
		strings.Contains(n, "_pyruntime")
}

// A keeping is a wait that a thread began while it held the GIL. The thread holds the GIL until the wait is over.
type keeping struct {
	Interval
	thread *Thread
}

// nameKeepers finds, for each wait for a GIL, how long the GIL was held by threads that were themselves waiting for
// something else, and which thread held it longest. The GIL is a condition variable, which, unlike a mutex, does not
// have the number of its holder.
func nameKeepers(t *Trace) {
	by := map[*Process][]keeping{}
	add := func(c Call, held InterpreterLock) {
		if held == InterpreterHeld && c.Length() > 0 {
			by[c.Thread.Process] = append(by[c.Thread.Process], keeping{c.Interval, c.Thread})
		}
	}
	for i := range t.Waits {
		add(t.Waits[i].Call, t.Waits[i].Interpreter)
	}
	for i := range t.CPUWaits.Locks {
		add(t.CPUWaits.Locks[i].Call, t.CPUWaits.Locks[i].Interpreter)
	}
	if len(by) == 0 {
		return
	}
	for _, all := range by {
		slices.SortFunc(all, func(a, b keeping) int { return cmp.Compare(a.Begin, b.Begin) })
	}
	for i := range t.CPUWaits.Locks {
		if l := &t.CPUWaits.Locks[i]; l.OfInterpreter() {
			l.nameKeeper(by[l.Thread.Process])
		}
	}
}

// nameKeeper finds the holders during one wait, among all keepings of its process, sorted by begin. Only one thread
// holds a lock at a time, so the keepings that overlap the wait follow each other, except for clock inaccuracies of
// some nanoseconds.
func (l *LockWait) nameKeeper(all []keeping) {
	first := sort.Search(len(all), func(i int) bool { return all[i].Begin >= l.Begin })
	if first > 0 {
		first--
	}
	kept := map[*Thread]Nanos{}
	for _, k := range all[first:] {
		if k.Begin >= l.End {
			break
		}
		if both := min(k.End, l.End) - max(k.Begin, l.Begin); both > 0 && k.thread != l.Thread {
			kept[k.thread] += both
			l.Kept += both
		}
	}
	l.Kept = min(l.Kept, l.Own)
	if l.Holder != nil {
		return
	}
	longest := Nanos(0)
	for thread, time := range kept {
		if time > longest || time == longest && thread.ID < l.Holder.ID {
			l.Holder, longest = thread, time
		}
	}
	if longest*2 < l.Length() {
		l.Holder = nil // another thread held the lock for most of the wait
	}
}
