package hang

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

const ms analyze.Nanos = 1_000_000

// A world is a process of two threads and two queues, which worked for 10 ms and ended at 4 s.
type world struct {
	*analyze.Trace
	one, two  *analyze.Thread
	main, aux *analyze.Queue
}

func newWorld() *world {
	p := &analyze.Process{ID: 7, Program: "/bin/train", Ended: 4000 * ms, Exit: analyze.Exit{Known: true, Signal: 2}}
	d := &analyze.Device{Name: "GPU"}
	w := &world{Trace: &analyze.Trace{TimeRange: analyze.Interval{Begin: ms, End: 4000 * ms}, Run: analyze.Run{Origin: ms},
		Processes: []*analyze.Process{p}},
		one: &analyze.Thread{Process: p, ID: 1, Name: "main"}, two: &analyze.Thread{Process: p, ID: 2},
		main: &analyze.Queue{ID: 1, Process: p, Device: d, Label: "main", Capacity: 2}, aux: &analyze.Queue{ID: 2,
			Process: p, Device: d}}
	w.Threads, w.Queues = []*analyze.Thread{w.one, w.two}, []*analyze.Queue{w.main, w.aux}
	w.done(w.buffer(w.main, 2*ms, 3*ms), 4*ms)
	return w
}

// buffer adds a command buffer of thread one, committed at an instant; 0 is never.
func (w *world) buffer(q *analyze.Queue, created, committed analyze.Nanos) *analyze.CommandBuffer {
	b := analyze.CommandBuffer{ID: uint32(len(w.CommandBuffers) + 1), Process: q.Process, Queue: q,
		Created: call(w.one, created)}
	if committed > 0 {
		b.Committed = call(w.one, committed)
	}
	w.CommandBuffers = append(make([]analyze.CommandBuffer, 0, 16), w.CommandBuffers...)
	w.CommandBuffers = append(w.CommandBuffers, b)
	for i := range w.CommandBuffers {
		w.CommandBuffers[i].Index = analyze.CommandBufferIndex(i + 1)
	}
	return &w.CommandBuffers[len(w.CommandBuffers)-1]
}

func (w *world) done(b *analyze.CommandBuffer, at analyze.Nanos) {
	b.GPU, b.Completed = analyze.Interval{Begin: at - ms, End: at}, analyze.Interval{Begin: at, End: at}
}

func call(t *analyze.Thread, at analyze.Nanos) analyze.Call {
	return analyze.Call{Interval: analyze.Interval{Begin: at, End: at + 1000}, Thread: t}
}

// stuck adds a call that has not returned.
func (w *world) stuck(t *analyze.Thread, u analyze.UnfinishedCall) {
	u.Call = analyze.Call{Interval: analyze.Interval{Begin: 10 * ms, End: 4000 * ms}, Thread: t}
	w.Unfinished = append(w.Unfinished, u)
}

func (w *world) waits(t *analyze.Thread, b *analyze.CommandBuffer) {
	w.stuck(t, analyze.UnfinishedCall{Selector: "waitUntilCompleted", Group: wire.GroupWait, Buffer: b.Index})
}

func (w *world) wants(t, holder *analyze.Thread, address uint64) {
	w.stuck(t, analyze.UnfinishedCall{Selector: "pthread_mutex_lock", Group: wire.GroupLock, Address: address,
		Holder: holder})
}

// ranHandlers makes t the thread that ran completed handlers of the main queue, and has waited for work at address 1.
func (w *world) ranHandlers(t *analyze.Thread) {
	t.Notified = w.CommandBuffers[0].Index
	w.CPUWaits.Signals = append(w.CPUWaits.Signals, analyze.SignalWait{Call: call(t, ms), Object: 1},
		analyze.SignalWait{Call: call(t, 10*ms), Object: 2}) // until the end: the loader adds a wait that has not returned
}

// retries adds waits for event 9 to reach 7 that begin at 10 ms and time out one after another.
func (w *world) retries(t *analyze.Thread, each, until analyze.Nanos) {
	for at := 10 * ms; at+each <= until; at += each {
		w.Waits = append(w.Waits, analyze.Wait{Call: analyze.Call{Thread: t,
			Interval: analyze.Interval{Begin: at, End: at + each}}, Selector: "waitUntilSignaledValue:timeoutMS:",
			Event: analyze.EventValue{Event: 9, Value: 7}, TimedOut: true})
	}
}

// These hangs were once reported as another kind of hang, or not at all: a completed handler that waits for a semaphore
// or for a lock of Python's, a loop of waits with time limits, an event that nobody signals.
func TestKinds(t *testing.T) {
	for _, c := range []struct {
		name string
		set  func(*world)
		kind Kind
		says []string
	}{
		{"two threads and two locks", func(w *world) { w.wants(w.one, w.two, 1); w.wants(w.two, w.one, 2) }, Deadlock,
			[]string{"held by thread 2", "held by thread 1"}},
		{"three threads and three locks", func(w *world) {
			three := &analyze.Thread{Process: w.one.Process, ID: 3}
			w.Threads = append(w.Threads, three)
			w.wants(w.one, w.two, 1)
			w.wants(w.two, three, 2)
			w.wants(three, w.one, 3)
		}, Deadlock, []string{"held by thread 3", "Each of them waits for the next"}},
		{"a lock of a thread that is in no call", func(w *world) { w.wants(w.one, w.two, 1) }, "", nil},
		{"not committed", func(w *world) { w.waits(w.one, w.buffer(w.main, 5*ms, 0)) }, NotCommitted,
			[]string{"never committed"}},
		{"an event that nobody signals", func(w *world) {
			w.Signals = []analyze.Signal{{EventValue: analyze.EventValue{Event: 9, Value: 6}, Process: w.one.Process,
				At: 6 * ms, Thread: w.two}}
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "waitUntilSignaledValue:timeoutMS:",
				Group: wire.GroupWait, Event: analyze.EventValue{Event: 9, Value: 7}})
		}, NotSignalled, []string{"it is at 6, last signalled by thread 2 at 5.00 ms",
			"Nothing in the trace signals 7"}},
		{"behind one that waits for an event", func(w *world) {
			w.buffer(w.main, 5*ms, 6*ms).WaitsFor = []analyze.EventValue{{Event: 9, Value: 1}}
			w.waits(w.one, w.buffer(w.main, 5*ms, 7*ms))
		}, NotSignalled, []string{"queued behind command buffer 2", "never signalled"}},
		{"queues that wait for each other", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.WaitsFor, b.Signals = []analyze.EventValue{{Event: 8, Value: 1}}, []analyze.EventValue{{Event: 9,
				Value: 1}}
			b = w.buffer(w.aux, 5*ms, 6*ms)
			b.WaitsFor, b.Signals = []analyze.EventValue{{Event: 9, Value: 1}}, []analyze.EventValue{{Event: 8,
				Value: 1}}
			w.waits(w.one, b)
		}, Deadlock, []string{"wait for each other's events"}},
		{"the signal is in one that was not committed", func(w *world) {
			w.buffer(w.main, 5*ms, 0).Signals = []analyze.EventValue{{Event: 9, Value: 1}}
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "waitUntilSignaledValue:timeoutMS:",
				Group: wire.GroupWait, Event: analyze.EventValue{Event: 9, Value: 1}})
		}, NotCommitted, []string{"The signal that sets the event to 1 is encoded in command buffer 2"}},
		{"a queue full of uncommitted ones", func(w *world) {
			w.buffer(w.main, 5*ms, 0)
			w.buffer(w.main, 5*ms, 0)
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "commandBuffer", Group: wire.GroupAcquire, Queue: w.main})
		}, NotCommitted, []string{"Nothing was committed"}},
		{"enqueued before", func(w *world) {
			w.buffer(w.main, 5*ms, 0).Enqueued = call(w.one, 6*ms)
			w.waits(w.one, w.buffer(w.main, 5*ms, 7*ms))
		}, NotCommitted, []string{"was enqueued and never committed"}},
		{"a handler that wants the waiter's lock", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.wants(w.two, w.one, 1)
		}, Deadlock, []string{"its completion handlers have not returned", "held by thread 1"}},
		{"a handler that wants the waiter's GIL", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.Unfinished[0].Interpreter = analyze.InterpreterHeld
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "pthread_cond_timedwait", Group: wire.GroupLock,
				OfPython: true})
		}, Deadlock, []string{"the GIL is wanted by thread 2"}},
		// the handler of the first command buffer was reported as a GPU that never finishes
		{"the first handler, on a thread that ran none before", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "sem_wait", Group: wire.GroupSignal, Address: 2})
		}, InCall, []string{"thread 2 may run its completion handlers", "Either the GPU never finished command buffer 2, " +
			"or its completion handler has not returned and is stuck on thread 2 in sem_wait."}},
		{"the first handler, on one of two threads", func(w *world) {
			three := &analyze.Thread{Process: w.one.Process, ID: 3}
			w.Threads = append(w.Threads, three)
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "sem_wait", Group: wire.GroupSignal, Address: 2})
			w.stuck(three, analyze.UnfinishedCall{Selector: "pthread_cond_wait", Group: wire.GroupSignal, Address: 3})
		}, InCall, []string{"stuck on thread 2 in sem_wait or thread 3 in pthread_cond_wait."}},
		{"the first handler waits for the next command buffer", func(w *world) {
			w.buffer(w.main, 5*ms, 6*ms).Handlers = 1
			w.waits(w.two, w.buffer(w.main, 5*ms, 7*ms))
		}, InCall, []string{"Either the GPU never finished command buffer 2", "thread 2 in waitUntilCompleted."}},
		{"a kernel runs on before what a thread waits for that has waited before", func(w *world) {
			w.buffer(w.main, 5*ms, 6*ms).Handlers = 1
			w.Waits = append(w.Waits, analyze.Wait{Call: call(w.two, 3*ms), Selector: "waitUntilCompleted"})
			w.waits(w.two, w.buffer(w.main, 5*ms, 7*ms))
		}, GPUUnended, []string{"The GPU never finished command buffer 2"}},
		// it was said to need a lock
		{"a handler that waits for the next command buffer", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.ranHandlers(w.two)
			w.waits(w.one, w.buffer(w.main, 5*ms, 7*ms))
			w.waits(w.two, &w.CommandBuffers[2])
		}, Deadlock, []string{"The completion handler of command buffer 2 waits for command buffer 3, which starts"}},
		{"a kernel that runs on", func(w *world) { w.waits(w.one, w.buffer(w.main, 5*ms, 6*ms)) }, GPUUnended,
			[]string{"never finished command buffer 2"}},
		{"another queue's kernel runs on", func(w *world) {
			w.buffer(w.aux, 5*ms, 6*ms)
			w.waits(w.one, w.buffer(w.main, 5*ms, 7*ms))
		}, GPUUnended, []string{"may occupy the GPU", "never finished command buffer 2"}},
		{"a command buffer that takes as long as those before", func(w *world) {
			w.done(w.buffer(w.main, 5*ms, 6*ms), 2000*ms)
			w.waits(w.one, w.buffer(w.main, 5*ms, 2001*ms))
		}, "", nil},
		// a thread of a pool that waits for work was said to be stuck in the handler
		{"one with a handler that takes as long as those before, and a pool", func(w *world) {
			w.done(w.buffer(w.main, 5*ms, 6*ms), 2000*ms)
			b := w.buffer(w.main, 5*ms, 2001*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "sem_wait", Group: wire.GroupSignal, Address: 2})
			w.Unfinished[1].Begin = 2002 * ms
		}, "", nil},
		{"a pool that waits for work", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "pthread_cond_wait", Group: wire.GroupSignal, Address: 1})
		}, "", nil},
		{"a handler that was to signal", func(w *world) {
			w.buffer(w.main, 5*ms, 0).Handlers = 1
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "pthread_cond_wait", Group: wire.GroupSignal, Address: 1})
		}, NotCommitted, []string{"has a completion handler, which has not run"}},
		{"polls the status of one that was not committed", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "status", Group: wire.GroupWait, Polls: 300,
				Buffer: w.buffer(w.main, 5*ms, 0).Index})
		}, NotCommitted, []string{"thread 1 \"main\" polls status for 3.99 s, 300 times",
			"was never committed"}},
		{"polls the status of one that runs on", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "status", Group: wire.GroupWait, Polls: 300,
				Buffer: w.buffer(w.main, 5*ms, 6*ms).Index})
		}, GPUUnended, []string{"polls status", "The GPU never finished command buffer 2"}},
		{"polls an event that nobody signals", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "signaledValue", Group: wire.GroupWait, Polls: 300,
				Event: analyze.EventValue{Event: 9, Value: 3}})
		}, NotSignalled, []string{"polls signaledValue", "is at 3", "Nothing in the trace signals 4"}},
		{"polls an event that a command buffer signals which was not committed", func(w *world) {
			w.buffer(w.main, 5*ms, 0).Signals = []analyze.EventValue{{Event: 9, Value: 8}}
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "signaledValue", Group: wire.GroupWait, Polls: 300,
				Event: analyze.EventValue{Event: 9, Value: 3}})
		}, NotCommitted, []string{"The signal that sets the event to a higher value is encoded in command buffer 2"}},
		{"a handler that waits for a semaphore", func(w *world) {
			w.buffer(w.main, 5*ms, 6*ms).Handlers = 1
			w.waits(w.one, w.buffer(w.main, 5*ms, 6*ms))
			w.ranHandlers(w.two)
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "sem_wait", Group: wire.GroupSignal, Address: 2})
		}, InCall, []string{"seems to run them", "is in sem_wait", "The completion handler of command buffer 2 has not " +
			"returned: it waits for a signal", "neither can continue"}},
		{"a kernel that runs on, while the thread of the handlers is idle", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Handlers = 1
			w.waits(w.one, b)
			w.ranHandlers(w.two)
			w.stuck(w.two, analyze.UnfinishedCall{Selector: "pthread_cond_wait", Group: wire.GroupSignal, Address: 1})
		}, GPUUnended, []string{"never finished command buffer 2"}},
		{"waits again and again, with a time limit", func(w *world) {
			w.retries(w.one, 100*ms, 4000*ms)
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "waitUntilSignaledValue:timeoutMS:",
				Group: wire.GroupWait, Event: analyze.EventValue{Event: 9, Value: 7}})
			w.Unfinished[0].Begin = 3950 * ms
		}, NotSignalled, []string{"in waitUntilSignaledValue:timeoutMS: for 3.99 s", "timed out 39 times",
			"Nothing in the trace signals 7"}},
		{"sleeps between waits with a time limit", func(w *world) {
			w.retries(w.one, 100*ms, 3900*ms)
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "nanosleep", Group: wire.GroupSignal})
			w.Unfinished[0].Begin = 3901 * ms
		}, NotSignalled, []string{"in waitUntilSignaledValue:timeoutMS: for 3.99 s", "Nothing in the trace signals 7"}},
		{"gave up waiting with a time limit", func(w *world) { w.retries(w.one, 100*ms, 1000*ms) }, "", nil},
		{"the thread that should signal wants the waiter's lock", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "waitUntilSignaledValue:timeoutMS:",
				Group: wire.GroupWait, Event: analyze.EventValue{Event: 9, Value: 7}})
			w.wants(w.two, w.one, 5)
		}, NotSignalled, []string{"Thread 2 waits for a lock that thread 1 \"main\" holds: if it is to signal, neither can " +
			"continue"}},
		{"the signal of a lower value is in the same command buffer", func(w *world) {
			b := w.buffer(w.main, 5*ms, 6*ms)
			b.Signals, b.WaitsFor = []analyze.EventValue{{Event: 9, Value: 1}}, []analyze.EventValue{{Event: 9, Value: 2}}
			w.waits(w.one, b)
		}, NotSignalled, []string{"it is at 0, and was never signalled, unless command buffer 2 has set it to 1"}},
		{"a listener that was to signal", func(w *world) {
			w.Listeners = []analyze.Listener{{EventValue: analyze.EventValue{Event: 9, Value: 1},
				Call: call(w.two, 5*ms), Process: w.one.Process}}
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "waitUntilSignaledValue:timeoutMS:",
				Group: wire.GroupWait, Event: analyze.EventValue{Event: 9, Value: 2}})
		}, NotSignalled, []string{"A listener waits for shared event 9 to reach 1 (added by thread 2)"}},
		{"it only sleeps", func(*world) {}, "", nil},
		{"it ended by itself", func(w *world) {
			w.waits(w.one, w.buffer(w.main, 5*ms,
				0))
			w.Processes[0].Exit.Signal = 0
		}, "", nil},
		{"it compiles", func(w *world) {
			w.stuck(w.one, analyze.UnfinishedCall{Selector: "newLibraryWithSource:options:error:",
				Group: wire.GroupCompile})
		}, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld()
			c.set(w)
			r := Find(w.Trace, Options{})
			d := r.Document(w.Trace)
			if c.kind == "" {
				if r.Hung() {
					t.Fatalf("it is reported as a hang: %+v", d)
				}
				return
			}
			if !r.Hung() {
				t.Fatalf("it is not said to hang: %+v", r.Idle)
			}
			if d.Hangs[0].Kind != c.kind {
				t.Errorf("it is %q, want %q", d.Hangs[0].Kind, c.kind)
			}
			var text []string
			for _, l := range d.Lines() {
				text = append(text, strings.Join(strings.Fields(l.Text), " "))
			}
			for _, s := range c.says {
				if !strings.Contains(strings.Join(text, "\n"), s) {
					t.Errorf("it does not say %q:\n%s", s, strings.Join(text, "\n"))
				}
			}
		})
	}
}
