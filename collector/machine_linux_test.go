package collector

import (
	"testing"
	"time"

	"mtrace/collector/wire"
)

// The story: a program was bound to four of sixteen processors. Other programs were reported to have used half of the
// time of these four, but they had used it on the other twelve.
func TestParseStat(t *testing.T) {
	const head = "cpu  57883 7 15089 47662 1180 3 277 177 50 0\ncpu0 28836 0 6511 25660 111 0 43 76 0 0\ncpu1 29047 0 " +
		"8577 22002 1069 0 233 100 0 0\nintr 1154654 0 0 9\nctxt 1884106\n"
	type counted struct {
		busy  time.Duration
		ready int
		known bool
	}
	for text, want := range map[string]counted{
		head + "procs_running 6\nprocs_blocked 0\n": {734_230 * time.Millisecond, 3, true},
		head + "procs_running 1\n":                  {734_230 * time.Millisecond, 0, true},
		head:                                        {734_230 * time.Millisecond, 0, false},
		"cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 x 8 9 0\nprocs_running 1\n":                    {},
		"cpu  1 2 3 4 5 6 7 8 9 0\ncpu0 1 2 3 4 5 6 99999999999999999999 8 9 0\nprocs_running 1\n": {},
		"cpu  1 2 3 4 5 6 7 8 9 0\ncpux 1 2 3 4 5 6 7 8 9 0\nprocs_running 1\n":                    {},
		"procs_running 3\n": {0, 2, false},
		"":                  {},
	} {
		if busy, ready, known := parseStat([]byte(text), func(int) bool { return true }); known != want.known || known &&
			(busy != want.busy || ready != want.ready) {
			t.Errorf("%q: %v, %d, %v, want %+v", text, busy, ready, known, want)
		}
	}
	busy, ready, known := parseStat([]byte(head+"procs_running 6\n"), func(processor int) bool { return processor == 1 })
	if got, want := (counted{busy, ready, known}), (counted{379_570 * time.Millisecond, 3, true}); got != want {
		t.Errorf("of the second processor: %+v, want %+v", got, want)
	}
}

// The machine's processor time is no less than this process's, and is not read anew by every caller.
func TestMachineClock(t *testing.T) {
	var m machineClock
	first, known := m.read()
	if !known {
		t.Skip("this system has no /proc/stat")
	}
	last := first
	for tries := 0; tries < 1e6 && last.Ran == first.Ran; tries++ {
		m.last.At -= threadTimesPause.Nanoseconds() // it was long ago
		last, known = m.read()
	}
	if !known || last.Thread != wire.WholeMachine || last.At <= first.At || last.Ran <= first.Ran ||
		last.Waited < first.Waited {
		t.Errorf("%+v after %+v, and a loop in between", last, first)
	}
	m.last.At += time.Hour.Nanoseconds() // it is now, and however long this test may take
	want := m.last
	if again, _ := m.read(); again != want {
		t.Errorf("%+v at once after %+v", again, want)
	}
}
