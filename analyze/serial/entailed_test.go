package serial

import (
	"math"
	"strings"
	"testing"

	"mtrace/analyze"
)

// turns makes a trace of threads that take turns of 10 µs at their interpreter's lock, one call a turn: each makes and commits a
// command buffer, waits for it, and then, when all is long done, for the newest of each other thread if everybody says so.
func turns(threads, rounds int, everybody bool) *analyze.Trace {
	const turn = 10 * us
	w := newWorld(0)
	w.trace.Threads, w.trace.Queues = nil, nil
	p := &analyze.Process{ID: 1, Program: "/usr/bin/python3"}
	device := &analyze.Device{Name: "GPU"}
	newest := make([]*analyze.CommandBuffer, threads)
	for t := range threads {
		w.trace.Threads = append(w.trace.Threads, &analyze.Thread{Process: p, ID: analyze.ThreadID(t + 1)})
		w.trace.Queues = append(w.trace.Queues, &analyze.Queue{ID: uint32(t + 1), Process: p, Device: device})
	}
	calls := 3
	if everybody {
		calls += threads - 1
	}
	now := analyze.Nanos(1000 * us)
	for n := range rounds * calls {
		for t, thread := range w.trace.Threads {
			got, back := now, now+turn
			now = back
			if n > 0 { // it has waited since its turn before
				w.trace.Locks = append(w.trace.Locks, analyze.LockWait{Call: analyze.Call{Interval: at(got-analyze.Nanos(threads-1)*turn, got), Thread: thread},
					Selector: "pthread_cond_timedwait", Lock: 7, Name: "_PyRuntime", Own: analyze.Nanos(threads-1) * turn})
			}
			switch step := n % calls; step {
			case 0:
				b := &analyze.CommandBuffer{ID: uint32(len(w.trace.CommandBuffers) + 1), Process: p, Queue: w.trace.Queues[t],
					Created: analyze.Call{Interval: at(back-2*us, back-us), Thread: thread}}
				w.trace.CommandBuffers = append(w.trace.CommandBuffers, b)
				newest[t] = b
			case 1:
				newest[t].Committed = analyze.Call{Interval: at(back-us, back), Thread: thread}
				newest[t].GPU = at(back+us, back+5*us)
			default:
				w.wait(thread, at(back-us, back), newest[(t+step-2)%threads])
			}
			thread.Active = at(1000*us, back)
			thread.Working = thread.Active
		}
	}
	w.trace.Finish()
	return w.trace
}

// The story: on a machine with 16 processors the GPU had long done what threads of Python waited for. Waiting for everybody's work cost no
// time in the waits, but eight turns at the interpreter's lock an operation instead of one: the verdict was interpreter-lock, and the same
// program was twice as fast when it waited for its own work alone.
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
		if all := strings.Join(v.Causes[0].Evidence, "\n"); !strings.Contains(all, "coming from one such wait to the next") {
			t.Errorf("what hangs on the waits is not told:\n%s", all)
		}
	}
	if v := Analyze(turns(8, 60, false), Options{}).Verdict; v.Cause != InterpreterLock {
		t.Errorf("threads that wait for their own work: %s: %s", v.Cause, v.Summary)
	}
}

// TestPassages: all that leads from one needless wait to the next hangs on it; beside a wait that is needed no more than that; nothing
// where the thread does something else between.
func TestPassages(t *testing.T) {
	call := func(begin analyze.Nanos, kind callKind) timedCall { return timedCall{at(begin, begin+10), kind} }
	found := passages([]timedCall{
		call(0, callWait), call(100, callLock), call(200, callNeedless), call(240, callLock), call(260, callNeedless), // 90+90, 30+10
		call(300, callOther), call(400, callNeedless), call(430, callOther), call(500, callWait), call(600, callWait),
	})
	if len(found) != 2 {
		t.Fatalf("%d passages, want 2: %+v", len(found), found)
	}
	if p := found[0]; p.own != 180 || math.Abs(p.hangs-40.0/180) > 1e-9 {
		t.Errorf("beside a needed wait: %+v, want 40 of 180 ns", p)
	}
	if p := found[1]; p.own != 40 || p.hangs != 1 {
		t.Errorf("between needless waits: %+v, want all of 40 ns", p)
	}
}
