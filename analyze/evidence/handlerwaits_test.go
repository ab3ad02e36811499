package evidence

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// A semaphore that the completed handler of another thread's command buffer signals was a wait outside of Metal, and
// threads that wait so for the last command buffer of all threads waited for nobody.
func TestHandlerWaits(t *testing.T) {
	runner := &analyze.Thread{ID: 90}
	for name, c := range map[string]struct {
		committer, waiter func(w *handmade.World) *analyze.Thread
		signalled         analyze.Nanos
		signaller         *analyze.Thread
		found             bool
	}{
		"another thread's command buffer": {threadA, threadB, 520, runner, true},
		"its own command buffer":          {threadB, threadB, 520, runner, false},
		"signalled by another thread":     {threadA, threadB, 520, &analyze.Thread{ID: 91}, false},
		"signalled before the GPU's end":  {threadA, threadB, 480, runner, false},
		"signalled after the completion":  {threadA, threadB, 560, runner, false},
		"a thread that commits nothing":   {threadA, threadC, 520, runner, false},
		"a free slot of a shared pool":    {threadA, threadB, 520, runner, false},
	} {
		w := handmade.New(30_000)
		runner.Process, c.signaller.Process = w.A.Process, w.A.Process
		w.Buffer(w.B, 1, handmade.At(10, 20))
		for round := range analyze.Nanos(20) {
			// another command buffer is in flight, too. What frees a slot of a pool is the older one
			at, other := 1000*round, analyze.Nanos(90)
			if name == "a free slot of a shared pool" {
				other = 110
			}
			older := w.Buffer(w.A, at+other, handmade.At(at+200, at+800))
			older.Handlers, older.HandledBy, older.Completed = 1, runner, handmade.At(at+840, at+840)
			b := w.Buffer(c.committer(w), at+100, handmade.At(at+200, at+500))
			b.Handlers, b.HandledBy, b.Completed = 1, runner, handmade.At(at+540, at+540)
			w.SignalWait(c.waiter(w), handmade.At(at+150, at+570), 7, c.signaller, at+c.signalled, 0)
		}
		w.Trace.Finish()
		list := FindHandlerWaits(w.Trace, w.Trace.CPUWaits.Signals)
		if found := len(list) == 20 && list[0].Buffer.GPU.End == 500; found != c.found {
			t.Errorf("%s: %v", name, list)
		}
	}
}

func threadA(w *handmade.World) *analyze.Thread { return w.A }
func threadB(w *handmade.World) *analyze.Thread { return w.B }
func threadC(w *handmade.World) *analyze.Thread { return w.C }
