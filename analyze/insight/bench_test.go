package insight

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/compile"
	"mtrace/analyze/evidence"
	"mtrace/analyze/kernels"
	"mtrace/analyze/memory"
)

// BenchmarkFind runs all rules on a trace of a hundred thousand command buffers on eight threads.
func BenchmarkFind(b *testing.B) {
	trace := &analyze.Trace{TimeRange: analyze.Interval{Begin: 1, End: 1 << 40}}
	p := &analyze.Pipeline{Kernel: "step"}
	var threads []*analyze.Thread
	for i := range 8 {
		threads = append(threads, &analyze.Thread{ID: analyze.ThreadID(i + 1), Process: &analyze.Process{ID: 1}})
	}
	const count = 100_000
	for i := range analyze.Nanos(count) {
		at, th := 10_000*(i+1), threads[i%8]
		call := func(begin, length analyze.Nanos) analyze.Call {
			return analyze.Call{Interval: analyze.Interval{Begin: begin, End: begin + length}, Thread: th}
		}
		c := trace.Add(analyze.CommandBuffer{ID: uint32(i), Created: call(at, 500), Committed: call(at+1000, 2000),
			GPU: analyze.Interval{Begin: at + 4000, End: at + 9000},
			Encoders: []analyze.Encoder{{Created: call(at+600, 100), Ended: call(at+800, 100),
				Dispatches: []analyze.Dispatch{{Pipeline: p, Count: 1, Threads: 1024}}}}})
		trace.Waits = append(trace.Waits, analyze.Wait{Call: call(at+3100, 6900), Selector: "waitUntilCompleted", Buffer: c})
		trace.Memory.Allocations = append(trace.Memory.Allocations, analyze.Allocation{At: at + 10, Thread: th, Bytes: 4096,
			Storage: "shared", Object: uint32(i + count)})
	}
	trace.Threads = threads
	a, ks := evidence.Divide(trace), kernels.Summarize(trace)
	in := Input{Trace: trace, Analysis: &cause.Analysis{Evidence: &evidence.Evidence{Trace: trace, Times: *a.Times}},
		Kernels: ks, Compile: compile.Summarize(trace),
		Memory: memory.Summarize(trace)}
	b.ResetTimer()
	for b.Loop() {
		once := in
		Find(&once)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/count, "ns/buffer")
}
