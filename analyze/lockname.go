package analyze

import "strings"

// pythonLock is the beginning of the names of the CPython functions that wait for a threading.Lock or RLock. Locks
// are recognized by the function that waits.
const pythonLock = "PyThread_acquire_lock"

// LockTitle describes the lock called `name` for reports: "GIL (_PyRuntime)", "threading.Lock
// (PyThread_acquire_lock_timed)", "lock cache". For a lock of CPython the name stays in parentheses, because users
// pass it to `--what-if lock:NAME`.
func LockTitle(name string) string {
	symbol := strings.TrimPrefix(name, "in ")
	switch l := (&LockWait{Name: name}); {
	case l.OfInterpreter() && strings.EqualFold(symbol, "GIL"):
		return "GIL"
	case l.OfInterpreter():
		return "GIL (" + symbol + ")"
	case l.OfPython():
		return "threading.Lock (" + symbol + ")"
	}
	return "lock " + name
}

// OfPython reports whether the lock is a Python program's threading.Lock or RLock. CPython gives it no name, so all of
// them are recognized by the function that waits.
func (l *LockWait) OfPython() bool { return strings.Contains(l.Name, pythonLock) }
