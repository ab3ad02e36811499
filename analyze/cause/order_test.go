package cause

import (
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
)

// The list next to the verdict is in the order of the time shown, faults before limits. Faults that cannot be
// distinguished from the verdict are reported with it. Once interpreter-lock with 23% was above device-wide-sync with
// 31% as a smaller cause, with the same gain for both.
func TestOneRanking(t *testing.T) {
	gain := func(estimate, low, high float64) *replay.Speedup {
		return &replay.Speedup{Estimate: estimate, Low: low, High: high}
	}
	trace := &analyze.Trace{CommandBuffers: make([]analyze.CommandBuffer, 100)}
	for name, c := range map[string]struct {
		causes []Finding
		order  []string
		close  []string
	}{
		"gains within each other's intervals": {[]Finding{{Cause: InterpreterLock, Lost: 230, Speedup: gain(1.3, 1.1, 1.5)},
			{Cause: DeviceWideSync, Lost: 310, Speedup: gain(1.4, 1.2, 1.6)}},
			[]string{DeviceWideSync, InterpreterLock}, []string{InterpreterLock}},
		"gains apart": {[]Finding{{Cause: InterpreterLock, Lost: 230, Speedup: gain(1.1, 1.05, 1.15)},
			{Cause: DeviceWideSync, Lost: 310, Speedup: gain(1.4, 1.2, 1.6)}},
			[]string{DeviceWideSync, InterpreterLock}, nil},
		"one costs more, and the other saves more": {[]Finding{
			{Cause: Starvation, Lost: 375, Speedup: gain(1.35, 1.2, 1.55)},
			{Cause: AllocationBound, Lost: 166, Speedup: gain(1.9, 1.7, 2.1)}},
			[]string{AllocationBound, Starvation}, nil},
		// direct submission of a server was the verdict (measured gain 1.12), before its clients' allocations (1.98)
		"a small gain known well, and a large one with a wide interval": {[]Finding{
			{Cause: SingleSubmitter, Lost: 210, Speedup: gain(1.22, 1.11, 1.32)},
			{Cause: AllocationBound, Lost: 170, Speedup: gain(1.53, 1.06, 1.66)}},
			[]string{AllocationBound, SingleSubmitter}, nil},
		"a better machine saves no more than it costs": {[]Finding{
			{Cause: CPUBound, Lost: 300, Speedup: gain(2.5, 2.2, 2.8)},
			{Cause: AllocationBound, Lost: 440, Speedup: gain(1.9, 1.7, 2.1)}},
			[]string{AllocationBound, CPUBound}, nil},
		"as much time, nothing predicted": {[]Finding{{Cause: SingleSubmitter, Lost: 300}, {Cause: Starvation, Lost: 280}},
			[]string{SingleSubmitter, Starvation}, []string{Starvation}},
		"a limit that costs more": {[]Finding{{Cause: GPUBound, Lost: 580, Standing: Limit}, {Cause: QueueDepth, Lost: 120},
			{Cause: HeadOfLine, Lost: 140}, {Cause: EventChain, Lost: 300}},
			[]string{EventChain, HeadOfLine, QueueDepth, GPUBound}, nil},
		"what explains more and costs less": {[]Finding{{Cause: QueueDepth, Lost: 110, Explains: 200},
			{Cause: HeadOfLine, Lost: 140}, {Cause: EventChain, Lost: 300}},
			[]string{EventChain, HeadOfLine, QueueDepth}, nil},
		// the verdict was "none: another program uses the GPU", with the evidence and the fix of compile-bound
		"outside of the program": {[]Finding{
			{Cause: ExternalGPULoad, Lost: 400, Standing: Outside, Speedup: gain(8.35, 3.25, 21.4)},
			{Cause: CompileBound, Lost: 520, Speedup: gain(2.1, 1.22, 3.61)}}, []string{ExternalGPULoad, CompileBound}, nil},
	} {
		ev := &evidence.Evidence{Trace: trace, Submitters: evidence.Submitters{Time: 1000}}
		v := Verdict{Causes: c.causes}
		v.decide(ev)
		v.sortCauses()
		var order []string
		for _, f := range v.Causes {
			order = append(order, f.Cause)
		}
		if !slices.Equal(order, c.order) || !slices.Equal(v.CloseCalls, c.close) ||
			v.Cause != order[0] && order[0] != ExternalGPULoad {
			t.Errorf("%s: %s of %q, close to %q; want %q, close to %q", name, v.Cause, order, v.CloseCalls, c.order, c.close)
		}
	}
}
