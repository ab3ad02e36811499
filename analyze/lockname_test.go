package analyze

import "testing"

// TestLockTitle: Python's locks were named by CPython's functions, which their users do not know.
func TestLockTitle(t *testing.T) {
	for name, want := range map[string]string{
		"in PyThread_acquire_lock_timed": "threading.Lock (PyThread_acquire_lock_timed)",
		"_PyRuntime":                     "GIL (_PyRuntime)",
		"in take_gil":                    "GIL (take_gil)", "gil": "GIL", "cache": "lock cache",
		"0x7f001000": "lock 0x7f001000"} {
		if got := LockTitle(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
