package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// Work that stays on the GPU until another queue's work has ended is reported, with both queues.
func TestKernelWaits(t *testing.T) {
	for id, waits := range map[string]bool{"kernel-waits": true, "": false} {
		w := handmade.New(2000 * ms)
		second := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device, Label: "second"}
		w.Trace.Queues = append(w.Trace.Queues, second)
		at := analyze.Nanos(ms)
		for i := range analyze.Nanos(40) {
			end := at + (3+i%5)*ms
			w.Buffer(w.A, at-10*us, handmade.At(at, end))
			if !waits {
				end -= i % 5 * 300 * us
			}
			w.Buffer(w.B, end-220*us, handmade.At(end-200*us, end-15*us)).Queue = second
			at += 10 * ms
		}
		w.Trace.Finish()
		ev := &evidence.Evidence{Execution: evidence.Execution{KernelWaits: evidence.KernelWaits(w.Trace)}}
		i := kernelWaits(&Input{Trace: w.Trace, Analysis: &cause.Analysis{Evidence: ev}})
		if (i != nil) != waits || waits && !strings.Contains(i.Evidence, `40 of 40 command buffers of queue 1 end 15.0 µs `+
			`after work of queue "second"`) {
			t.Errorf("%q: %+v", id, i)
		}
	}
}
