package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/handmade"
)

// TestLine: short command buffers behind a long one of another thread, in a shared queue, were once attributed to a
// saturated GPU, because a command buffer was always running and more were always committed. The GPU ran another
// queue's work at the same time, so it had spare capacity.
func TestLine(t *testing.T) {
	const period = 1_000_000
	for _, c := range []struct {
		name  string
		apart bool // the other queue's work runs concurrently with the long one's, not after it
		cause string
	}{
		{"the GPU runs another queue's work concurrently", true, HeadOfLine},
		{"the GPU runs one at a time", false, GPUSaturated},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := handmade.New(40 * period)
			other := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device}
			w.Trace.Queues = append(w.Trace.Queues, other)
			for i := range analyze.Nanos(39) {
				begin := 1000 + i*period
				long := w.Buffer(w.A, begin, handmade.At(begin+10_000, begin+700_000))
				w.Wait(w.A, handmade.At(begin+1000, begin+705_000), long)
				short := w.Buffer(w.B, begin+20_000, handmade.At(begin+700_000, begin+800_000))
				w.Wait(w.B, handmade.At(begin+21_000, begin+805_000), short)
				gpu := handmade.At(begin+60_000, begin+900_000)
				if !c.apart {
					gpu = handmade.At(begin+800_000, begin+1_009_000)
				}
				beside := w.Buffer(w.C, begin+50_000, gpu)
				beside.Queue = other
				w.Wait(w.C, handmade.At(begin+51_000, gpu.End+5000), beside)
			}
			w.Trace.Finish()
			v := Analyze(w.Trace, Options{}).Verdict
			if v.Cause != c.cause {
				t.Fatalf("%s: %s %v", v.Cause, v.Summary, v.RuledOut)
			}
			if lost := v.Causes[0].Lost; c.apart && (lost < 39*670_000 || lost > 39*680_000) {
				t.Errorf("lost %d, want %d", lost, 39*679_000)
			}
		})
	}
}

// The story: four drawn programs have a queue that delays short work behind long work. On a busy machine three verdicts
// were none and one gpu-saturated. Sometimes the next command buffer began long after the end of the one before, for
// want of a processor, and that was mistaken for a concurrent begin. No command buffers ran concurrently.
func TestLineWhereSomeBeginLate(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(60 * period)
	other := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device}
	w.Trace.Queues = append(w.Trace.Queues, other)
	for i := range analyze.Nanos(59) {
		begin := 1000 + i*period
		ends := begin + 600_000
		if i%4 == 0 {
			ends = begin + 200_000
		}
		long := w.Buffer(w.A, begin, handmade.At(begin+10_000, ends))
		w.Wait(w.A, handmade.At(begin+1000, ends+5000), long)
		short := w.Buffer(w.B, begin+20_000, handmade.At(begin+610_000, begin+800_000))
		w.Wait(w.B, handmade.At(begin+21_000, begin+805_000), short)
		beside := w.Buffer(w.C, begin+50_000, handmade.At(begin+60_000, begin+700_000))
		beside.Queue = other
		w.Wait(w.C, handmade.At(begin+51_000, begin+705_000), beside)
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != HeadOfLine {
		t.Errorf("%s: %s %v", v.Cause, v.Summary, v.RuledOut)
	}
}

// TestLineAlone: a queue that submits all the work leaves the GPU idle between its command buffers. That was once
// mistaken for spare capacity.
func TestLineAlone(t *testing.T) {
	const period = 500_000
	w := handmade.New(100 * period)
	for i := range analyze.Nanos(97) {
		thread := []*analyze.Thread{w.A, w.B, w.C}[i%3]
		begin := 1000 + i*period
		b := w.Buffer(thread, max(1000, begin-2*period+30_000), handmade.At(begin, begin+period-40_000))
		w.Wait(thread, handmade.At(b.Committed.End, b.GPU.End+5000), b)
	}
	w.Trace.Finish()
	if v := Analyze(w.Trace, Options{}).Verdict; v.Cause != GPUSaturated {
		t.Errorf("%s: %s", v.Cause, v.Summary)
	}
}

// TestEmptyIsNoWork: empty command buffers that exist only to be waited for were once treated as work that a saturated
// GPU keeps waiting. Their waits then counted for saturation as well as for device-wide synchronisation, which they
// are.
func TestEmptyIsNoWork(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(40 * period)
	for i := range analyze.Nanos(39) {
		begin := 1000 + i*period
		work := w.Buffer(w.A, begin, handmade.At(begin+5000, begin+700_000))
		work.Encoders = []analyze.Encoder{{ID: 1, Created: analyze.Call{Interval: handmade.At(begin-1, begin), Thread: w.A}}}
		w.Wait(w.A, handmade.At(begin+1000, begin+705_000), work)
		fence := w.Buffer(w.B, begin+20_000, handmade.At(begin+701_000, begin+702_000))
		w.Wait(w.B, handmade.At(begin+21_000, begin+710_000), fence)
	}
	w.Trace.Finish()
	// the verdict is a different one: no run is faster without a thread that only waits
	v := Analyze(w.Trace, Options{}).Verdict
	if f := v.finding(DeviceWideSync); f == nil || f.Lost != 39*689_000 || v.finding(GPUSaturated) != nil {
		t.Errorf("%+v: %s", f, v.Summary)
	}
}

// The story: threads put an empty command buffer into a shared queue, to wait for all work. The lost time was reported
// as device-wide synchronisation, and once more as waiting in the queue behind other threads' command buffers.
func TestEmptyIsNotInLine(t *testing.T) {
	const period = 1_000_000
	w := handmade.New(40 * period)
	other := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device}
	w.Trace.Queues = append(w.Trace.Queues, other)
	encoder := func(b *analyze.CommandBuffer) *analyze.CommandBuffer {
		b.Encoders = []analyze.Encoder{{ID: b.ID, Created: analyze.Call{Interval: handmade.At(b.Committed.Begin-1,
			b.Committed.Begin), Thread: b.Committed.Thread}}}
		return b
	}
	for i := range analyze.Nanos(39) {
		begin := 1000 + i*period
		w.Wait(w.A, handmade.At(begin+1000, begin+705_000),
			encoder(w.Buffer(w.A, begin, handmade.At(begin+10_000, begin+700_000))))
		fence := w.Buffer(w.B, begin+20_000, handmade.At(begin+700_000, begin+701_000))
		w.Wait(w.B, handmade.At(begin+21_000, begin+706_000), fence)
		beside := encoder(w.Buffer(w.C, begin+50_000, handmade.At(begin+60_000, begin+900_000)))
		beside.Queue = other
		w.Wait(w.C, handmade.At(begin+51_000, begin+905_000), beside)
	}
	w.Trace.Finish()
	a := Analyze(w.Trace, Options{})
	if len(a.Evidence.Lines.ByQueue) == 0 {
		t.Fatal("the queue is not seen to hold anything up: that tests nothing")
	}
	if n := a.Evidence.Occupancy.InLines; n != 0 || a.Verdict.finding(DeviceWideSync) == nil ||
		a.Verdict.finding(HeadOfLine) != nil {
		t.Errorf("%v in line; %s", n, a.Verdict.Summary)
	}
}
