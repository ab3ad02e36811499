package extract

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// backlog is a trace of threads that fill their queues at once. The GPU runs one command buffer of each at a time, for
// 150 µs, and takes 40 µs from one to the next. After the third nothing begins for 8 ms, for want of a processor.
func backlog() *analyze.Trace {
	w := handmade.New(0)
	w.Trace.Threads = nil
	for i := range 3 {
		th := &analyze.Thread{Process: w.A.Process, ID: analyze.ThreadID(i + 1)}
		w.Trace.Threads = append(w.Trace.Threads, th)
		q := &analyze.Queue{ID: uint32(i + 1), Process: th.Process, Device: w.Queue.Device}
		at := analyze.Nanos(i) * 60 * us
		for n := range 40 {
			if at += 40 * us; n == 3 {
				at += 8000 * us
			}
			b := w.Buffer(th, analyze.Nanos(n)*us, handmade.At(at, at+150*us))
			b.Queue = q
			at += 150 * us
			if n == 39 {
				w.Wait(th, handmade.At(50*us, at+10*us), b)
			}
		}
		th.Active.End, w.Trace.TimeRange.End = at, max(w.Trace.TimeRange.End, at+10*us)
	}
	w.Trace.Finish()
	return w.Trace
}

// TestBacklogIsNotLatency tells of nine threads that filled their queues at once and then waited for slow handlers. The
// prediction without these handlers was 9.7×, and for six threads 5.5×; the real speed-ups are 6.6× and 3.4×. A command
// buffer behind 40 others was assumed to need 40 turnarounds to be submitted. So none of that time was attributed to
// waiting for processors, and all of it was to disappear with more submissions. Since a queue was idle for long when
// all threads began, it was not recognised as running one command buffer at a time either.
func TestBacklogIsNotLatency(t *testing.T) {
	ev := evidence.Gather(backlog(), evidence.Options{})
	p, why := Program(ev, evidence.ExternalGPUUse{}, false)
	if p == nil {
		t.Fatal(why)
	}
	for i := range p.Queues {
		if q := &p.Queues[i]; q.AtOnce != 1 || !q.Limited {
			t.Errorf("a queue is taken to run %d at a time, limited %v; want one, and no more", q.AtOnce, q.Limited)
		}
	}
	for i := range p.Jobs {
		if n := p.Jobs[i].Latency; n > 100*us {
			t.Errorf("command buffer %d took %v to be submitted; it was queued behind others", i, n)
			break
		}
	}
}
