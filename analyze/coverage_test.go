package analyze_test

import (
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/kernels"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// A trace with known gaps reports them: in the model, in warnings, and in the verdict, whose confidence is lower.
func TestCoverage(t *testing.T) {
	commit := wire.MustLookup(wire.FamilyCommandBuffer, "commit")
	load := func(missed uint64, seen int) *analyze.Trace {
		path := filepath.Join(t.TempDir(), "t.mtrace")
		f := tracetest.Create(t, path)
		p := f.Process(100, "/bin/first")
		p.Counted = tracefile.End{Nested: 7, NestedBy: map[string]uint64{"commandBuffer": 7},
			Commits: wire.Audit{Reached: 20, Missed: missed}, Completions: wire.Audit{Reached: 20, Missed: missed}}
		p.Fact(wire.Fact{Kind: wire.FactCanary, Key: uint64(commit), Aux: 4})
		if missed > 0 {
			p.Fact(wire.Fact{Kind: wire.FactUnhooked, Aux: uint16(wire.FamilyQueue), Text: "StrangeQueue"})
		}
		th := p.Thread(101, "main")
		for range seen {
			th.Canary(commit)
		}
		th.NewQueue("work")
		kernel := th.NewPipeline("axpy")
		for range 20 - int(missed) {
			th.Run(tracetest.Step{Pipeline: kernel, Encode: 300, Commit: 2_000, Delay: 5_000, GPU: 40_000, Notify: 3_000})
		}
		p.End()
		f.Close()
		trace, err := analyze.Load(path, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return trace
	}
	whole, half := load(0, 4), load(5, 3)
	for _, c := range []struct {
		trace   *analyze.Trace
		seen    int64
		self    int
		warned  []string
		verdict string
	}{
		{whole, 20, 4, nil, ""},
		{half, 15, 3, []string{"15 of 20 commits seen", "not hooked: StrangeQueue",
			"THE SELF-CHECK FAILED: 3 of 4 calls seen (commit 3 of 4)"},
			"saw only 15 of 20 commits"},
	} {
		got := c.trace.Recording.Coverage[0]
		if len(c.trace.Recording.Coverage) != 1 || got.Commits != (analyze.Audit{Made: 20, Seen: c.seen}) ||
			got.Completions != got.Commits || got.Nested["commandBuffer"] != 7 {
			t.Errorf("coverage %+v", c.trace.Recording.Coverage)
		}
		if made, seen := got.SelfChecked(); made != 4 || seen != c.self {
			t.Errorf("self-check: %d of %d", seen, made)
		}
		if len(c.trace.Warnings) != len(c.warned) {
			t.Errorf("warnings %q", c.trace.Warnings)
		}
		for _, w := range c.warned {
			if !strings.Contains(strings.Join(c.trace.Warnings, "\n"), w) {
				t.Errorf("no warning says %q: %q", w, c.trace.Warnings)
			}
		}
		v := cause.Analyze(c.trace, cause.Options{}).Verdict
		if (c.verdict != "") != strings.Contains(v.Summary, "saw only") || !strings.Contains(v.Summary, c.verdict) {
			t.Errorf("verdict %q", v.Summary)
		}
		if n := len(c.trace.CommandBuffers); int64(n) != c.seen {
			t.Errorf("%d command buffers: the self-check's are not the program's", n)
		}
	}
	a, b := cause.Analyze(whole, cause.Options{}).Verdict, cause.Analyze(half, cause.Options{}).Verdict
	if b.Confidence > a.Confidence*0.75+1e-9 {
		t.Errorf("confidence %.3f with all commits, %.3f with three quarters of them", a.Confidence, b.Confidence)
	}
}

// Work encoded between the beginning and the end of a kernel's or graph's call is attributed to that kernel or graph,
// and no other work is. A run of equal dispatches ends where the layer changes. The partition stays exact, with the
// layer's own time as encoding.
func TestLayers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(100, "/bin/first")
	th := p.Thread(101, "main")
	th.NewQueue("work")
	kernel := th.NewPipeline("product")
	buffer, encoder := th.NewObject(), th.NewObject()
	th.Call(wire.FamilyQueue, "commandBuffer", p.Queue, uint64(buffer), 500, nil)
	th.Call(wire.FamilyCommandBuffer, "computeCommandEncoder", buffer, uint64(encoder), 400, nil)
	th.Call(wire.FamilyEncoder, "setComputePipelineState:", encoder, uint64(kernel), 60, nil)
	dispatch := func() {
		th.Call(wire.FamilyEncoder, "dispatchThreads:threadsPerThreadgroup:", encoder, 64, 100,
			&wire.More{X0: 64 | 1<<32, X1: 1 | 64<<32, X2: 1 | 1<<32})
	}
	multiply := func() {
		begin := th.Now
		th.Layer(false, "MPSMatrixMultiplication")
		th.Now += 1000
		dispatch()
		th.Outer(wire.FamilyMpsKernel, "encodeToCommandBuffer:leftMatrix:rightMatrix:resultMatrix:", th.NewObject(), 0,
			begin, nil)
	}
	dispatch()
	multiply()
	begin := th.Now
	th.Layer(true, "MPSGraph")
	multiply()
	dispatch()
	th.Outer(wire.FamilyMpsGraph, "encodeToCommandBuffer:feeds:targetOperations:resultsDictionary:executionDescriptor:",
		th.NewObject(), 0, begin, nil)
	dispatch()
	dispatch()
	th.Call(wire.FamilyEncoder, "endEncoding", encoder, 0, 80, nil)
	p.End()
	f.Close()
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range trace.CommandBuffers[0].Encoders[0].Dispatches {
		got = append(got, d.Layer.Name())
		want := 1
		if len(got) == 5 {
			want = 2
		}
		if d.Count != want {
			t.Errorf("%d dispatches in run %d", d.Count, len(got))
		}
	}
	if want := "app, MPSMatrixMultiplication, MPSGraph / MPSMatrixMultiplication, MPSGraph, app"; strings.Join(got,
		", ") != want {
		t.Errorf("layers %v, not %s", got, want)
	}
	// 400 for the encoder, 60 for its pipeline state, 6 dispatches, twice 1000 in the kernel, 80 for the end.
	if encode := trace.Threads[0].Exclusive[analyze.PartEncode]; encode != 400+60+6*100+2*1000+80 {
		t.Errorf("%d ns of encoding", encode)
	}
	shares := kernels.Split(&analyze.CommandBuffer{GPU: analyze.Interval{Begin: 1, End: 601},
		Encoders: trace.CommandBuffers[0].Encoders}, trace.TimeRange, kernels.CostsOf(trace))
	if len(shares) != 5 || shares[1].Layer.Name() != "MPSMatrixMultiplication" {
		t.Errorf("shares %+v", shares)
	}
}
