package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// TestForeignLoadOfInputs: the decision about external load is computed from the evidence alone, without any trace.
func TestForeignLoadOfInputs(t *testing.T) {
	// 20 of 100 command buffers began late on an idle GPU, and threads waited 300 ms of 1 s for them
	late := evidence.ExternalLoad{Delays: 100, Late: 20, Stalls: 20, Moments: 20, Usual: 10_000_000,
		Waited: 300_000_000, IdleReady: 300_000_000}
	for name, c := range map[string]struct {
		change func(f *evidence.ExternalLoad, p *evidence.Processors)
		lost   analyze.Nanos // 0: it does not hold
		why    string
	}{
		"late on an idle GPU": {nil, 300_000_000, ""},
		"the driver's times are not in the trace": {func(f *evidence.ExternalLoad, _ *evidence.Processors) { f.Delays = 9 },
			0, "does not say when the driver"},
		"the GPU is saturated": {func(f *evidence.ExternalLoad, _ *evidence.Processors) { f.Saturated = true },
			0, "no idle time"},
		"the whole saturated GPU stood still": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Saturated, f.AllStood = true, true
			f.Interrupted = evidence.Interruptions{Buffers: 12, Itself: 50_000_000, Behind: 40_000_000, Busiest: 30_000_000}
		}, 390_000_000, ""},
		"a few late ones": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Late, f.Stalls, f.Moments = 9, 9, 9
		}, 0, "9 began more than"},
		"many behind few stalls": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Late, f.Stalls, f.Moments = 29, 1, 1
		}, 0, "29 began more than 200 µs late on an idle GPU, in 1 stall"},
		"many queues behind one stall": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Stalls, f.Moments = 16, 1
		}, 0, "in 1 stall"},
		"nobody waited for them": {func(f *evidence.ExternalLoad, _ *evidence.Processors) { f.Waited = 1_000_000 },
			0, "threads waited 1.00 ms"},
		"the program's threads lack processors, too": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.WaitedForProcessors = 400_000_000
		}, 0, "waited 400 ms for processors"},
		// The story: on a busy machine, threads waited 402 ms for processors, and an idle GPU began work 410 ms late. The
		// report blamed another program.
		"the program's threads lack processors for most of that time": {
			func(f *evidence.ExternalLoad, _ *evidence.Processors) { f.WaitedForProcessors = 290_000_000 },
			0, "waited 290 ms for processors"},
		"the program's threads lack processors for some of that time": {
			func(f *evidence.ExternalLoad, _ *evidence.Processors) { f.WaitedForProcessors = 100_000_000 }, 300_000_000, ""},
		"threads wake late": {func(_ *evidence.ExternalLoad, p *evidence.Processors) {
			p.Wakes, p.Wake = policy.FewestSamples.Count(), policy.LongestHandOff.Nanos()
		}, 0, "processors"},
		"completion notifications are late, too": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.LateNotices = 200_000_000
		}, 0, "completion notifications were late"},
		"long command buffers, which may depend on their data": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Interrupted = evidence.Interruptions{Buffers: 12, Itself: 900_000_000, Busiest: 1_300_000_000}
		}, 300_000_000, ""},
		"long command buffers": {func(f *evidence.ExternalLoad, _ *evidence.Processors) {
			f.Interrupted = evidence.Interruptions{Buffers: 12, Itself: 90_000_000, Behind: 10_000_000, Busiest: 90_000_000}
		}, 400_000_000, ""},
	} {
		ev := &evidence.Evidence{External: late, Submitters: evidence.Submitters{Time: 1_000_000_000}}
		if c.change != nil {
			c.change(&ev.External, &ev.Processors)
		}
		f := externalLoad(ev)
		if f.Present != (c.lost > 0) || c.lost > 0 && f.Lost != c.lost || !strings.Contains(f.Why, c.why) {
			t.Errorf("%s: holds %v, lost %v, why %q", name, f.Present, f.Lost, f.Why)
		}
	}
}

// TestGPUBoundOfInputs: the GPU's own work is the cause if it takes more of the threads' time than all else.
func TestGPUBoundOfInputs(t *testing.T) {
	for name, c := range map[string]struct {
		took      evidence.Execution
		buffers   int
		saturated bool
		want      bool
	}{
		"most of the time":          {evidence.Execution{Waited: 600, Outside: 300, Other: 100}, 100, false, true},
		"the program's own work":    {evidence.Execution{Waited: 300, Outside: 600, Other: 100}, 100, false, false},
		"waits for something else":  {evidence.Execution{Waited: 300, Outside: 100, Other: 600}, 100, false, false},
		"too few command buffers":   {evidence.Execution{Waited: 600, Outside: 300, Other: 100}, 5, false, false},
		"a GPU with more than that": {evidence.Execution{Waited: 600, Outside: 300, Other: 100}, 100, true, false},
	} {
		ev := &evidence.Evidence{Trace: &analyze.Trace{}, Execution: c.took,
			Submitters: evidence.Submitters{Time: 1000, Steady: 1},
			Occupancy:  evidence.Occupancy{Buffers: c.buffers, Busy: 0.6, Saturated: c.saturated}}
		if f := gpuBound(ev); f.Present != c.want || c.want && f.Lost != c.took.Waited {
			t.Errorf("%s: holds %v, lost %v, why %q", name, f.Present, f.Lost, f.Why)
		}
	}
}
