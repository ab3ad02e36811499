package analyze

import (
	"cmp"
	"slices"
	"sort"
	"strings"
)

// OfInterpreter reports whether the lock is CPython's global interpreter lock (GIL), which all threads of an
// interpreter share. The lock is recognized by its symbol or by the name of the function that acquires it.
func (l *LockWait) OfInterpreter() bool {
	if strings.IndexByte(l.Name, '_') < 0 && strings.IndexByte(l.Name, ' ') < 0 {
		// all names below contain one of these; most names of other locks contain neither
		return strings.EqualFold(l.Name, "gil")
	}
	return containsFold(l.Name, "take_gil") || containsFold(l.Name, "interpreter lock") ||
		containsFold(l.Name, "_pyruntime")
}

// containsFold reports whether s contains part, an ASCII text in lower case, in any mix of upper and lower case. It
// allocates nothing, because the analysis calls OfInterpreter several times for each recorded wait.
func containsFold(s, part string) bool {
	for i := 0; i+len(part) <= len(s); i++ {
		if (s[i] == part[0] || s[i] == part[0]-'a'+'A') && strings.EqualFold(s[i:i+len(part)], part) {
			return true
		}
	}
	return false
}

// A keeping is a wait that a thread began while it held the GIL. No other thread of the interpreter can run Python
// code until that wait ends.
type keeping struct {
	Interval
	thread *Thread
}

// nameKeepers sets HolderWaiting and Holder of each wait for a GIL: how long the holders of the GIL were themselves
// waiting for something else, and which thread held it for at least half of the wait. CPython's GIL is a condition
// variable, so unlike for a mutex the tracer cannot read the holder from the lock.
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

// nameKeeper sets HolderWaiting and Holder of one wait for the GIL (CPython's global interpreter lock). `all` has the
// waits that threads of the process began while they held the GIL, sorted by begin. Only one thread holds the GIL at
// a time, so these waits hardly overlap, and only the last one that began before l can reach into it.
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
			l.HolderWaiting += both
		}
	}
	l.HolderWaiting = min(l.HolderWaiting, l.Exclusive)
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
