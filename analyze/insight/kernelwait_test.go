package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/handmade"
)

// Work that stays on the GPU until another queue's work has ended is reported, with both queues, unless that is next to
// nothing of the GPU's busy time.
func TestKernelWaits(t *testing.T) {
	for _, c := range []struct {
		waits, found bool
		busy         analyze.Nanos
	}{
		{true, true, 300 * ms},
		{false, false, 300 * ms},
		{true, false, 30_000 * ms},
	} {
		w := handmade.New(2000 * ms)
		second := &analyze.Queue{ID: 2, Process: w.A.Process, Device: w.Queue.Device, Label: "second"}
		w.Trace.Queues = append(w.Trace.Queues, second)
		at := analyze.Nanos(ms)
		for i := range analyze.Nanos(40) {
			end := at + (3+i%5)*ms
			w.Buffer(w.A, at-10*us, handmade.At(at, end))
			if !c.waits {
				end -= i % 5 * 300 * us
			}
			w.Buffer(w.B, end-220*us, handmade.At(end-200*us, end-15*us)).Queue = second
			at += 10 * ms
		}
		w.Trace.Finish()
		ev := &evidence.Evidence{Execution: evidence.Execution{KernelWaits: evidence.KernelWaits(w.Trace)}}
		ev.GPU.Busy = c.busy
		i := kernelWaits(&Input{Trace: w.Trace, Analysis: &cause.Analysis{Evidence: ev}})
		if (i != nil) != c.found || c.found && !strings.Contains(i.Evidence, `40 of 40 command buffers of `+
			`queue 1 end 15.0 µs after work of queue "second"`) {
			t.Errorf("%+v: %+v", c, i)
		}
	}
}
