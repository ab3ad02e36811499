package replay

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/handmade"
)

// backlog are threads that fill their queues at once. The GPU runs one command buffer of each at a time, for 150 µs, and takes 40 µs from one to the next;
// after the third nothing begins for 8 ms, for want of a processor.
func backlog() *analyze.Trace {
	w := handmade.New(0)
	w.Trace.Threads = nil
	for i := range 3 {
		th := &analyze.Thread{Process: w.A.Process, ID: analyze.ThreadID(i + 1)}
		w.Trace.Threads = append(w.Trace.Threads, th)
		q := &analyze.Queue{ID: uint32(i + 1), Process: th.Process, Device: w.Queue.Device}
		at := analyze.Nanos(i) * 60 * Us
		for n := range 40 {
			if at += 40 * Us; n == 3 {
				at += 8000 * Us
			}
			b := w.Buffer(th, analyze.Nanos(n)*Us, handmade.At(at, at+150*Us))
			b.Queue = q
			at += 150 * Us
			if n == 39 {
				w.Wait(th, handmade.At(50*Us, at+10*Us), b)
			}
		}
		th.Active.End, w.Trace.Window.End = at, max(w.Trace.Window.End, at+10*Us)
	}
	w.Trace.Finish()
	return w.Trace
}

// The story: nine threads filled their queues at once and then waited for slow handlers. Without these they were predicted to be 9.7 times as fast, and six
// threads 5.5 times; they are 6.6 and 3.4 times. What stood behind 40 others was said to have taken 40 times what passes from one to the next
// to be handed over; so nothing of that was taken to be waiting for processors, and it was to go where more is handed over. And
// since a queue stood still for long when all began, it was not believed to run one at a time.
func TestBacklogIsNotLatency(t *testing.T) {
	ev := evidence.Gather(backlog(), evidence.Options{})
	p, why := (&builder{Evidence: ev}).program()
	if p == nil {
		t.Fatal(why)
	}
	for i := range p.queues {
		if q := &p.queues[i]; q.most != 1 || !q.limited {
			t.Errorf("a queue is taken to run %d at a time, limited %v; want one, and no more", q.most, q.limited)
		}
	}
	for i := range p.jobs {
		if n := p.jobs[i].latency; n > 100*Us {
			t.Errorf("command buffer %d took %v to be handed over; it stood behind others", i, n)
			break
		}
	}
}
