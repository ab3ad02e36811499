package hang

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// awaits adds n waits of thread t for the object 5, which signals of the thread `by` ended, and one that has not
// returned. With handlers, each signal comes from a completion handler of a command buffer of t.
func (w *world) awaits(t, by *analyze.Thread, n int, handlers bool) {
	if handlers {
		w.CommandBuffers = w.CommandBuffers[:1]
	}
	for i := range n {
		at := 4*ms + analyze.Nanos(i)*ms/4
		x := analyze.SignalWait{Call: analyze.Call{Thread: t, Interval: analyze.Interval{Begin: at, End: at + ms/8}},
			Selector: "sem_wait", Object: 5, Name: "frames", Signaller: by, Signalled: at + ms/10}
		w.CPUWaits.Signals = append(w.CPUWaits.Signals, x)
		if handlers {
			b := w.buffer(w.main, at-ms/8, at-ms/16)
			b.Created.Thread, b.Committed.Thread = t, t
			b.Handlers, b.HandledBy = 1, by
			b.GPU = analyze.Interval{Begin: at - ms/32, End: at + ms/16}
			b.Completed = analyze.Interval{Begin: at + ms/8, End: at + ms/8}
		}
	}
	if handlers {
		by.Notified, by.OnlyIdle = w.CommandBuffers[1].Index, true
	}
	w.stuck(t, analyze.UnfinishedCall{Selector: "sem_wait", Group: wire.GroupSignal, Address: 5, Name: "frames"})
}

// reads lets a thread wait for input until the end.
func (w *world) reads(t *analyze.Thread) {
	w.stuck(t, analyze.UnfinishedCall{Selector: "read", Group: wire.GroupSignal, Effect: wire.EffectAwaitsInput})
}

// third adds a thread that calls Metal.
func (w *world) third() *analyze.Thread {
	t := &analyze.Thread{Process: w.one.Process, ID: 3, Events: 9}
	w.Threads = append(w.Threads, t)
	return t
}

// A thread waited for ever for a semaphore that only completion handlers signalled, after handlers of failed command
// buffers had returned without signalling it; another waited for a producer that had died of an exception. Both were
// reported as "no hang", since the trace shows no pending work. Programs that wait for input must not be reported.
func TestNoSignalLeft(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*world)
		says string // empty: it is no hang
	}{
		{"only handlers signalled", func(w *world) { w.awaits(w.one, w.two, 8, true) },
			"only completion handlers did. All 9 command buffers have completed"},
		{"only handlers signalled, and some command buffers failed", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			w.CommandBuffers[8].Status = analyze.StatusError
		}, "because its command buffer failed (1 of 9 did)"},
		{"a command buffer is outstanding", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			b := w.buffer(w.main, 8*ms, 3500*ms)
			b.Created.Thread, b.Handlers = w.two, 1
		}, ""},
		{"too few waits to know who signals", func(w *world) { w.awaits(w.one, w.two, 4, true) }, ""},
		{"a thread that runs signalled too", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			w.CPUWaits.Signals[3].Signaller = w.third()
		}, ""},
		{"a thread that runs signalled when nobody waited", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			w.CPUWaits.Signals = append(w.CPUWaits.Signals, analyze.SignalWait{Call: call(w.third(), 7*ms),
				Selector: "pthread_cond_wait", Object: 6, LastSignalled: 5})
		}, ""},
		{"an earlier wait had a time limit", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			w.CPUWaits.Signals[7].TimedOut = true
		}, ""},
		{"another thread submits, and waits for input", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			w.CommandBuffers[3].Committed.Thread = w.third()
			w.reads(w.Threads[2])
		}, ""},
		{"a server's helper waits for handlers", func(w *world) {
			w.awaits(w.one, w.two, 8, true)
			server := w.third()
			for i := range w.CommandBuffers {
				w.CommandBuffers[i].Created.Thread, w.CommandBuffers[i].Committed.Thread = server, server
			}
		}, ""},
		{"the only signaller exited", func(w *world) {
			w.awaits(w.one, w.two, 8, false)
			w.two.Exited = true
		}, "only thread 2 did. That thread has ended"},
		{"the only signaller runs", func(w *world) { w.awaits(w.one, w.two, 8, false) }, ""},
		{"the only signaller waits for input", func(w *world) { w.awaits(w.one, w.two, 8, false); w.reads(w.two) }, ""},
		{"a thread that waits for input may start another signaller", func(w *world) {
			w.awaits(w.one, w.two, 8, false)
			w.two.Exited = true
			w.reads(w.third())
		}, ""},
		{"a thread that runs may start another signaller", func(w *world) {
			w.awaits(w.one, w.two, 8, false)
			w.two.Exited = true
			w.third()
		}, ""},
		{"main joins a worker whose signaller exited", func(w *world) {
			w.awaits(w.one, w.two, 8, false)
			w.two.Exited = true
			w.stuck(w.third(), analyze.UnfinishedCall{Selector: "pthread_join", Group: wire.GroupSignal,
				Effect: wire.EffectJoins})
		}, "only thread 2 did"},
		{"the signaller waits for a thread that exited", func(w *world) {
			w.awaits(w.one, w.two, 8, false)
			three := w.third()
			three.Exited = true
			w.awaits(w.two, three, 8, false)
			for i := range w.CPUWaits.Signals[8:] {
				w.CPUWaits.Signals[8+i].Object = 6
			}
			w.Unfinished[1].Address = 6
		}, "only thread 3 did"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.set(w)
			d := Find(w.Trace, Options{}).Document(w.Trace)
			switch {
			case c.says == "" && len(d.Hangs) > 0:
				t.Errorf("it is reported as a hang: %s", d.Hangs[0].Why)
			case c.says != "" && len(d.Hangs) == 0:
				t.Errorf("it is not reported as a hang: %+v", d.Pauses)
			case c.says != "" && (d.Hangs[0].Kind != NotSignalled || !strings.Contains(d.Hangs[0].Why, c.says)):
				t.Errorf("it is %q, %q, want %q", d.Hangs[0].Kind, d.Hangs[0].Why, c.says)
			}
		})
	}
}

// CPython's waits have no object of their own: without the line of the program it is not certain that the next wait
// is for the same signals.
func TestPythonWithoutLinesIsUncertain(t *testing.T) {
	w := newWorld()
	w.awaits(w.one, w.two, 8, false)
	w.two.Exited = true
	for i := range w.CPUWaits.Signals {
		w.CPUWaits.Signals[i].Name = "in PyThread_acquire_lock_timed"
	}
	d := Find(w.Trace, Options{}).Document(w.Trace)
	if len(d.Hangs) > 0 || len(d.Pauses) != 1 || !strings.Contains(d.Pauses[0].Line(), "probably a hang") {
		t.Errorf("it is %+v", d)
	}
}

// A hang and a pause say what else a user must know: failed command buffers, and children that are not traced.
func TestFailuresAndForksAreListed(t *testing.T) {
	w := newWorld()
	w.waits(w.one, w.buffer(w.main, 5*ms, 0))
	w.CommandBuffers[0].Status = analyze.StatusError
	d := Find(w.Trace, Options{}).Document(w.Trace)
	if len(d.Hangs) != 1 || !strings.Contains(d.Lines()[1].Text, "1 of 1 completed command buffer FAILED") {
		t.Errorf("the failed command buffer is not in the second line: %+v", d.Lines())
	}
	w = newWorld()
	w.reads(w.one)
	w.Processes[0].Forked = 1
	d = Find(w.Trace, Options{}).Document(w.Trace)
	if len(d.Pauses) != 1 || !strings.Contains(d.Pauses[0].Line(), "may wait for a forked child") {
		t.Errorf("the forked child is not mentioned: %+v", d.Pauses)
	}
}
