package summary

import (
	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/xctrace/export"
	"strings"
	"testing"
)

// The verdict names a cause only where the export shows it.
func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		config  export.Config
		verdict string
		summary string
	}{
		"saturated": {export.Config{Seed: 1, CommandBuffers: 400, Threads: 4, GPUNanos: 80_000}, "gpu-saturated",
			"The GPU is the limit"},
		"small work, sync": {export.Config{Seed: 2, CommandBuffers: 200, Wait: true, GPUNanos: 4_000}, "launch-bound",
			"starting it and its completion notification take"},
		"large work, sync": {export.Config{Seed: 3, CommandBuffers: 200, Wait: true, GPUNanos: 400_000}, "none",
			"creates no new work while it runs"},
		"several, sync": {export.Config{Seed: 4, CommandBuffers: 200, Threads: 3, Wait: true, GPUNanos: 10_000},
			"launch-bound", "Each thread has one"},
		"one at a time": {export.Config{Seed: 8, CommandBuffers: 300, Threads: 4, Wait: true, Exclusive: true,
			GPUNanos: 60_000}, "none", "admits one thread at a time"},
		"one waits": {export.Config{Seed: 6, CommandBuffers: 200, Threads: 1, GPUNanos: 2_000, EncodeNanos: 60_000},
			"none", "whether others wait for that thread"},
		"too few": {export.Config{Seed: 5, CommandBuffers: 5}, "none", "too few"},
	} {
		s := of(t, load(t, exported(t, export.Record(c.config))), Filter{})
		if s.Verdict.Verdict != c.verdict || !strings.Contains(s.Verdict.Summary, c.summary) || s.Verdict.CannotTell == "" {
			t.Errorf("%s: %+v, busy %v, want %s, %q", name, s.Verdict, s.GPU.All.BusyShare, c.verdict, c.summary)
		}
	}
}

// The model says the same as the summary.
func TestTraceAgreesWithTheSummary(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 13, CommandBuffers: 300, Threads: 3, Encoders: 2, Compositor: true,
		Labels: 4})
	r := load(t, exported(t, simulated))
	s := of(t, r, Filter{})
	trace, err := Trace(r, Filter{})
	if err != nil {
		t.Fatal(err)
	}
	if trace.Source.Kind != "xctrace" || trace.Source.Program != "workload" || len(trace.Threads) != 3 ||
		len(trace.CommandBuffers) != 300 || len(trace.Devices) != 1 {
		t.Errorf("source %+v, %d threads, %d command buffers, %d devices", trace.Source, len(trace.Threads),
			len(trace.CommandBuffers), len(trace.Devices))
	}
	byID := map[string]int{}
	var gpu, encode Nanos
	encoders := 0
	for i, b := range trace.CommandBuffers {
		byID[b.Label]++
		if i > 0 && trace.CommandBuffers[i-1].Created.Begin > b.Created.Begin {
			t.Fatal("command buffers are not by creation")
		}
		if b.Committed.Thread == nil || b.Process.ID != 5265 || !b.GPU.Known() || b.Status != analyze.StatusCompleted ||
			b.GPU.Begin < b.Committed.End || b.Completed.Begin < b.GPU.End {
			t.Fatalf("command buffer %+v", b)
		}
		for _, e := range b.Encoders {
			encoders++
			gpu += e.GPU.Length()
			if e.Kind != analyze.EncoderCompute || e.GPU.Begin < b.GPU.Begin || e.GPU.End > b.GPU.End ||
				e.Created.Thread != b.Created.Thread {
				t.Fatalf("encoder %+v of %+v", e, b)
			}
		}
	}
	for _, th := range trace.Threads {
		encode += th.Exclusive[analyze.PartEncode]
		if th.Exclusive[analyze.PartEncode] > th.Active.Length() {
			t.Errorf("thread %+v encodes longer than it is active", th)
		}
	}
	if gpu != s.GPU.Own.SumNS || encoders != 600 || encode != s.Processes[0].EncodeNS || len(byID) != 4 {
		t.Errorf("model: GPU %d, %d encoders, encode %d, labels %v; summary: %d, %d", gpu, encoders, encode, byID,
			s.GPU.Own.SumNS, s.Processes[0].EncodeNS)
	}
}

// The shared report of an export called a program whose threads waited for each command buffer "cpu-bound": an export
// has no waits, and their absence was treated as evidence. The report now names only measured times: the parts of each
// round trip.
func TestTrapTheReportOfAnExportGuessesNothing(t *testing.T) {
	judge := func(c export.Config) *cause.Analysis {
		trace, err := Trace(load(t, exported(t, export.Record(c))), Filter{})
		if err != nil {
			t.Fatal(err)
		}
		return cause.Analyze(trace, cause.Options{})
	}
	a := judge(export.Config{Seed: 1, CommandBuffers: 200, Threads: 2, Wait: true})
	if a.Verdict.Cause != cause.LaunchBound || !strings.Contains(a.Verdict.Causes[0].Evidence[0],
		"only after its last one completed") {
		t.Errorf("threads that wait: %+v", a.Verdict)
	}
	for _, cause := range a.Evidence.GPU.IdleBy {
		if strings.Contains(cause.Doing, "outside") {
			t.Errorf("idle time blamed on %q", cause.Doing)
		}
	}
	a = judge(export.Config{Seed: 1, CommandBuffers: 400, Threads: 4, GPUNanos: 80_000})
	if a.Verdict.Cause != cause.GPUSaturated || !strings.Contains(a.Verdict.Summary, "The GPU is the limit") {
		t.Errorf("a full GPU: %+v", a.Verdict)
	}
}

// The parts of a synchronous thread's time equal the simulation's, and add up to all of it.
func TestCycleAddsUp(t *testing.T) {
	simulated := export.Record(export.Config{Seed: 7, CommandBuffers: 200, Threads: 2, Wait: true, Encoders: 2})
	s := of(t, load(t, exported(t, simulated)), Filter{})
	var want Cycle
	first, last := map[uint64]uint64{}, map[uint64]uint64{}
	for _, b := range simulated.Buffers {
		stages := b.Encoders[len(b.Encoders)-1].Stages
		end := stages[len(stages)-1].Start + stages[len(stages)-1].Duration
		start := b.Encoders[0].Stages[0].Start
		want.EncodeNS += Nanos(b.Committed - b.Created)
		want.StartNS += Nanos(start - b.Committed)
		took := uint64(0)
		for _, e := range b.Encoders {
			took += e.Stages[0].Duration // one after another
		}
		want.GPUNS += Nanos(took)
		want.GapsNS += Nanos(end - start - took)
		want.NotifyNS += Nanos(b.Completed - end)
		if before, ok := last[b.Thread.TID]; ok {
			want.BetweenNS += Nanos(b.Created - before)
		} else {
			first[b.Thread.TID] = b.Created
		}
		last[b.Thread.TID] = b.Completed
	}
	want.Threads, want.Synchronous, want.Buffers = 2, 2, 200
	if s.Cycle == nil || *s.Cycle != want {
		t.Fatalf("cycle %+v, want %+v", s.Cycle, want)
	}
	var whole Nanos
	for tid := range first {
		whole += Nanos(last[tid] - first[tid])
	}
	if c := s.Cycle; c.EncodeNS+c.StartNS+c.GPUNS+c.GapsNS+c.NotifyNS+c.BetweenNS != whole {
		t.Errorf("the parts of %+v do not add up to the threads' time, %d", c, whole)
	}
	if s := of(t, load(t, exported(t, export.Record(export.Config{Seed: 7, CommandBuffers: 200}))),
		Filter{}); s.Cycle != nil {
		t.Errorf("a thread that does not wait: %+v", s.Cycle)
	}
}
