package cause

import (
	"math"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

const us = analyze.Nanos(1000)

// turns makes a trace of threads that alternately hold the GIL for 10 µs, one call each time. Each creates and commits
// a command buffer and waits for it. With everybody, each thread then waits for the newest command buffer of every
// other thread, long after these have completed.
func turns(threads, rounds int, everybody bool) *analyze.Trace {
	const turn = 10 * us
	w := handmade.New(0)
	w.Trace.Threads, w.Trace.Queues = nil, nil
	p := &analyze.Process{ID: 1, Program: "/usr/bin/python3"}
	device := &analyze.Device{Name: "GPU"}
	newest := make([]analyze.CommandBufferIndex, threads)
	for t := range threads {
		w.Trace.Threads = append(w.Trace.Threads, &analyze.Thread{Process: p, ID: analyze.ThreadID(t + 1)})
		w.Trace.Queues = append(w.Trace.Queues, &analyze.Queue{ID: uint32(t + 1), Process: p, Device: device})
	}
	calls := 3
	if everybody {
		calls += threads - 1
	}
	now := analyze.Nanos(1000 * us)
	for n := range rounds * calls {
		for t, thread := range w.Trace.Threads {
			got, back := now, now+turn
			now = back
			if n > 0 { // it has waited since its turn before
				w.Trace.CPUWaits.Locks = append(w.Trace.CPUWaits.Locks,
					analyze.LockWait{Call: analyze.Call{Interval: handmade.At(got-analyze.Nanos(threads-1)*turn, got), Thread: thread},
						Selector: "pthread_cond_timedwait", Lock: 7, Name: "_PyRuntime", Exclusive: analyze.Nanos(threads-1) * turn})
			}
			switch step := n % calls; step {
			case 0:
				newest[t] = w.Trace.Add(analyze.CommandBuffer{ID: uint32(len(w.Trace.CommandBuffers) + 1), Process: p,
					Queue:   w.Trace.Queues[t],
					Created: analyze.Call{Interval: handmade.At(back-2*us, back-us), Thread: thread}})
			case 1:
				b := w.Trace.Buffer(newest[t])
				b.Committed = analyze.Call{Interval: handmade.At(back-us, back), Thread: thread}
				b.GPU = handmade.At(back+us, back+5*us)
			default:
				w.Wait(thread, handmade.At(back-us, back), w.Trace.Buffer(newest[(t+step-2)%threads]))
			}
			thread.Active = handmade.At(1000*us, back)
			thread.Working = thread.Active
		}
	}
	w.Trace.Finish()
	return w.Trace
}

// The story: on a machine with 16 processors the GPU had completed the work of Python threads long before they waited
// for it. Waiting for all threads' command buffers took no time in the waits, but eight acquisitions of the GIL per
// operation instead of one. The verdict was interpreter-lock, and the same program was twice as fast when it waited for
// its own command buffers alone.
func TestWaitsThatCostTurnsAtTheInterpretersLock(t *testing.T) {
	for _, threads := range []int{4, 8} {
		a := Analyze(turns(threads, 60, true), Options{})
		v := a.Verdict
		if v.Cause != DeviceWideSync {
			t.Errorf("%d threads: %s: %s", threads, v.Cause, v.Summary)
			continue
		}
		want := float64(2+threads) / 3
		if s := v.Causes[0].Speedup; s == nil || math.Abs(s.Estimate/want-1) > 0.15 || s.Low > want || s.High < want {
			t.Errorf("%d threads: without it %+v times as fast (%s), want %.2f", threads, s, v.Causes[0].Unpredicted, want)
		}
		if all := strings.Join(v.Causes[0].Evidence, "\n"); !strings.Contains(all, "between one such wait and the next") {
			t.Errorf("the evidence lacks the costs that depend on the waits:\n%s", all)
		}
	}
	if v := Analyze(turns(8, 60, false), Options{}).Verdict; v.Cause != InterpreterLock {
		t.Errorf("threads that wait for their own work: %s: %s", v.Cause, v.Summary)
	}
}
