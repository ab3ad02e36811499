package evidence

import (
	"math"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// TestPassages: the interval between two needless waits depends on them entirely. Next to a needed wait it depends on
// them only in part, and not at all if the thread does something else in between.
func TestPassages(t *testing.T) {
	call := func(begin analyze.Nanos, kind CallKind) TimedCall {
		return TimedCall{handmade.At(begin, begin+10), kind}
	}
	found := Passages([]TimedCall{
		// 90+90, 30+10
		call(0, CallWait), call(100, CallLock), call(200, CallNeedless), call(240, CallLock), call(260, CallNeedless),
		call(300, CallOther), call(400, CallNeedless), call(430, CallOther), call(500, CallWait), call(600, CallWait),
	})
	if len(found) != 2 {
		t.Fatalf("%d passages, want 2: %+v", len(found), found)
	}
	if p := found[0]; p.Own != 180 || math.Abs(p.Hangs-40.0/180) > 1e-9 {
		t.Errorf("beside a needed wait: %+v, want 40 of 180 ns", p)
	}
	if p := found[1]; p.Own != 40 || p.Hangs != 1 {
		t.Errorf("between needless waits: %+v, want all of 40 ns", p)
	}
}

// The story: with four threads on 16 processors a thread waits for the GIL also while it allocates command buffers,
// because other threads hold the GIL between one needless wait and the next. Only GIL waits between needless waits were
// counted: device-wide-sync was reported to cost 24% of the threads' time, and the same program took 39% less time when
// it waited for its own work alone.
func TestWaitsForALockThatOthersHaveForNeedlessWaits(t *testing.T) {
	const us = analyze.Nanos(1000)
	w := handmade.New(400 * us)
	ofB, ofC := w.Buffer(w.B, 1*us, handmade.At(2*us, 20*us)), w.Buffer(w.C, 1*us, handmade.At(2*us, 20*us))
	w.Buffer(w.A, 1*us, handmade.At(2*us, 20*us))
	w.Wait(w.A, handmade.At(10*us, 100*us), ofB)
	// from 100 to 200 A is between two needless waits and holds the lock, except from 110 to 120
	w.Wait(w.A, handmade.At(200*us, 300*us), ofC)
	wait := func(thread *analyze.Thread, name string, begin, end analyze.Nanos) {
		w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks,
			analyze.LockWait{Call: analyze.Call{Interval: handmade.At(begin*us, end*us),
				Thread: thread}, Lock: 7, Name: name,
				Exclusive: (end - begin) * us})
	}
	wait(w.A, "_PyRuntime", 110, 120)
	wait(w.B, "_PyRuntime", 105, 150)
	wait(w.C, "_PyRuntime", 180, 260)
	wait(w.C, "a mutex", 130, 170)
	w.Trace.Finish()
	ev := Gather(w.Trace, Options{})
	want := map[analyze.Nanos]analyze.Nanos{110: 10, 105: 35, 180: 20, 130: 0}
	for i := range ev.ThreadWaits.Locks {
		if l := &ev.ThreadWaits.Locks[i]; ev.Syncs.Hangs(l) != want[l.Begin/us]*us {
			t.Errorf("of a wait from %v to %v for %s %v hangs on needless waits, want %v", l.Begin, l.End, l.Name,
				ev.Syncs.Hangs(l),
				want[l.Begin/us]*us)
		}
	}
}
