package analyze

import "testing"

// A thread that waits for something else while it holds the GIL delays the threads that wait for the GIL meanwhile.
func TestNameKeepers(t *testing.T) {
	process, other := &Process{}, &Process{}
	a, b, c := &Thread{Process: process, ID: 1}, &Thread{Process: process, ID: 2}, &Thread{Process: process, ID: 3}
	stranger := &Thread{Process: other, ID: 4}
	wait := func(th *Thread, begin, end Nanos, held InterpreterLock) Wait {
		return Wait{Call: Call{Interval: Interval{begin, end}, Thread: th}, Interpreter: held}
	}
	lock := func(th *Thread, begin, end Nanos, name string) LockWait {
		return LockWait{Call: Call{Interval: Interval{begin, end}, Thread: th}, Name: name, Exclusive: end - begin,
			Interpreter: InterpreterFree}
	}
	trace := &Trace{
		Waits: []Wait{
			wait(a, 100, 200, InterpreterHeld), wait(b, 210, 260, InterpreterHeld), wait(c, 300, 400, InterpreterFree),
			wait(stranger, 500, 600, InterpreterHeld),
			wait(a, 700, 800, InterpreterNotKnown),
		},
		CPUWaits: CPUWaits{Locks: []LockWait{
			lock(c, 110, 250, "_PyRuntime"), // 90 of a's, 40 of b's
			lock(b, 150, 160, "in take_gil"),
			lock(a, 120, 130, "_PyRuntime"), // its own wait, as when it releases the lock inside
			lock(c, 190, 240, "_PyRuntime"), // 10 of a's, 30 of b's
			lock(c, 255, 300, "_PyRuntime"), // 5 ns are b's: most of the time another thread held it
			lock(a, 310, 390, "_PyRuntime"), // c waits without it
			lock(c, 510, 590, "_PyRuntime"), // another process's
			lock(c, 710, 790, "_PyRuntime"), // not known
			lock(c, 110, 190, "malloc"),
			{Call: Call{Interval: Interval{900, 1000}, Thread: b}, Name: "a lock of a framework", Exclusive: 100,
				Interpreter: InterpreterHeld},
			lock(a, 910, 950, "_PyRuntime"), // held by a thread that waits for another lock
		}},
	}
	nameKeepers(trace)
	for i, want := range []struct {
		holder *Thread
		kept   Nanos
	}{{a, 130}, {a, 10}, {nil, 0}, {b, 40}, {nil, 5}, {nil, 0}, {nil, 0}, {nil, 0}, {nil, 0}, {nil, 0}, {b, 40}} {
		if l := trace.CPUWaits.Locks[i]; l.Holder != want.holder || l.HolderWaiting != want.kept {
			t.Errorf("lock %d: kept for %d by %v, want %d by %v", i, l.HolderWaiting, l.Holder, want.kept, want.holder)
		}
	}
}

// TestOfInterpreter: the GIL is recognized by any of its names, in any case, and by no part of one.
func TestOfInterpreter(t *testing.T) {
	for name, want := range map[string]bool{
		"GIL": true, "gil": true, "_PyRuntime": true, "GIL (_PyRuntime)": true, "in take_gil": true,
		"TAKE_GIL": true, "the interpreter lock": true, "Interpreter Lock": true,
		"": false, "agile": false, "take_gi": false, "?pyruntime": false, "PyRuntime": false, "interpreterlock": false,
	} {
		if got := (&LockWait{Name: name}).OfInterpreter(); got != want {
			t.Errorf("lock %q: of the interpreter is %v, want %v", name, got, want)
		}
	}
}
