package cause

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/fixtures/handmade"
)

// crowd is a set of threads that each compute for a while, commit and wait, on a GPU that runs so many command buffers
// at a time and begins each with the given latency.
func crowd(threads, rounds, engines int, think, latency analyze.Nanos) *handmade.World {
	const gpu = 300_000
	w := handmade.New(0)
	w.Trace.Threads = nil
	random := rand.New(rand.NewPCG(7, 7))
	around := func(n analyze.Nanos) analyze.Nanos { return n/2 + analyze.Nanos(random.Int64N(int64(n))) }
	free := make([]analyze.Nanos, engines)
	next := make([]analyze.Nanos, threads)
	for i := range threads {
		w.Trace.Threads = append(w.Trace.Threads, &analyze.Thread{Process: w.A.Process, ID: analyze.ThreadID(i + 1)})
		next[i] = around(think)
	}
	for range threads * rounds {
		t := slices.Index(next, slices.Min(next)) // the thread that commits next
		e := slices.Index(free, slices.Min(free))
		commit := next[t]
		begin := max(commit+1, free[e]) + around(latency)
		end := begin + around(gpu)
		free[e] = end
		th := w.Trace.Threads[t]
		b := w.Buffer(th, commit, handmade.At(begin, end))
		b.Queue = &analyze.Queue{ID: uint32(t + 1), Process: th.Process, Device: w.Queue.Device}
		w.Wait(th, handmade.At(commit+5, end+10_000), b)
		next[t] = end + 10_000 + around(think)
		th.Active.End, w.Trace.TimeRange.End = max(th.Active.End, end+10_000), max(w.Trace.TimeRange.End, end+10_000)
	}
	w.Trace.Finish()
	return w
}

// The story: twelve threads used a GPU with capacity for sixteen command buffers. One thread had nearly always just
// committed, and the GPU was never idle. It was reported as saturated, because a command buffer was ready that it had
// not begun.
func TestRoomIsNotSaturation(t *testing.T) {
	for _, c := range []struct {
		name             string
		threads, engines int
		latency          analyze.Nanos
		want             string
	}{
		{"room for all, which begin late", 12, 16, 120_000, GPUBound},
		{"room for all, and many", 24, 32, 60_000, GPUBound},
		{"one at a time", 6, 1, 10_000, GPUSaturated},
		{"four at a time", 12, 4, 10_000, GPUSaturated},
		{"four at a time, that begin late", 16, 4, 30_000, GPUSaturated},
	} {
		a := Analyze(crowd(c.threads, 60, c.engines, 60_000, c.latency).Trace, Options{})
		if a.Verdict.Cause != c.want {
			t.Errorf("%s: %s, want %s; growth %.2f: %s", c.name, a.Verdict.Cause, c.want, a.Evidence.GPU.Devices[0].Growth,
				a.Verdict.Summary)
		}
		if !policy.Saturated(a.Evidence.Occupancy.Busy) || a.Evidence.Occupancy.Pending < policy.Majority.Value {
			t.Errorf("%s: busy %.2f, backlog %.2f: that tests nothing", c.name, a.Evidence.Occupancy.Busy,
				a.Evidence.Occupancy.Pending)
		}
	}
}

// The story: one or another of many threads keeps the GPU busy. That was mistaken for the threads' bottleneck, although
// each spent its time waiting for a processor.
func TestStarvedBesideRoom(t *testing.T) {
	w := crowd(12, 60, 16, 900_000, 30_000)
	for _, th := range w.Trace.Threads {
		took := th.Active.End
		th.CPU = []analyze.CPUSample{{}, {At: took, Ran: took / 10, Waited: took * 6 / 10}}
	}
	a := Analyze(w.Trace, Options{})
	if a.Verdict.Cause != CPUBound || a.Evidence.Occupancy.Busy < 0.9 {
		t.Errorf("%s with the GPU busy for %.2f: %s", a.Verdict.Cause, a.Evidence.Occupancy.Busy, a.Verdict.Summary)
	}
}
