package path_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/path"
	"mtrace/fixtures/tracesim"
)

func load(t *testing.T, file string) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(file, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestPath: the parts add up, and the path consists of the program's known waits.
func TestPath(t *testing.T) {
	for name, want := range map[string]struct {
		what  string
		least float64
	}{
		"GPU busy with the work of one thread": {path.GPU, 0.95},
		"GPU saturated":                        {path.GPU, 0.95},
		"GPU saturated, queues full":           {path.GPU, 0.95},
		"event chain":                          {path.GPU, 0.9},
		"compilation in the loop":              {path.Compile, 0.7},
		"the program's own work":               {path.Program, 0.85},
		"a lock inside commit":                 {path.Program, 0.85}, // commit is the program's until the lock is seen
		"slow completion handlers":             {path.Notify, 0.6},
		"GPU saturated under device-wide sync": {path.GPU, 0.9},
	} {
		found := false
		for _, s := range tracesim.Scenarios {
			if s.Name != name {
				continue
			}
			found = true
			p := cause.Analyze(load(t, s.Build(2).Run(t)), cause.Options{Unpredicted: true}).Waits.Path
			var sum, of analyze.Nanos
			for _, part := range p.Parts {
				sum += part.Time
				if part.What == want.what {
					of += part.Time
				}
			}
			if sum != p.Length {
				t.Errorf("%s: the parts add up to %v, the path is %v", name, sum, p.Length)
			}
			if got := float64(of) / float64(p.Length); got < want.least {
				t.Errorf("%s: %s is %.2f of the path, want %.2f: %v", name, want.what, got, want.least, p.Parts)
			}
		}
		if !found {
			t.Errorf("there is no scenario %q", name)
		}
	}
}

// A pool's worker waits for the signal of a thread that makes no call itself. The path went back along that thread to
// the clock's zero, and was reported to be hours long.
func TestPathAlongAThreadWithoutCalls(t *testing.T) {
	const start, end = 31_000_000_000, 31_000_900_000
	process := &analyze.Process{ID: 1}
	worker := &analyze.Thread{Process: process, ID: 1, Active: analyze.Interval{Begin: start, End: end}}
	feeder := &analyze.Thread{Process: process, ID: 2}
	call := func(begin, end analyze.Nanos) analyze.Call {
		return analyze.Call{Interval: analyze.Interval{Begin: begin, End: end}, Thread: worker}
	}
	trace := &analyze.Trace{
		TimeRange: worker.Active, Threads: []*analyze.Thread{worker, feeder},
		CommandBuffers: []analyze.CommandBuffer{{ID: 1, Index: 1, Created: call(start+600_000, start+600_010),
			Committed: call(start+600_020, end)}},
		CPUWaits: analyze.CPUWaits{Signals: []analyze.SignalWait{{Call: call(start+10, start+500_000), Signaller: feeder,
			Signalled: start +
				400_000}}},
	}
	if p := cause.Analyze(trace, cause.Options{}).Waits.Path; p.Length != trace.TimeRange.Length() {
		t.Errorf("a path of %v in a window of %v: %v", p.Length, trace.TimeRange.Length(), p.Parts)
	}
}

// TestChains: A waits for B's work while B waits for a lock that C holds.
func TestChains(t *testing.T) {
	process := &analyze.Process{ID: 1}
	thread := func(id analyze.ThreadID) *analyze.Thread {
		return &analyze.Thread{Process: process, ID: id, Active: analyze.Interval{Begin: 0, End: 1000}}
	}
	a, b, c := thread(1), thread(2), thread(3)
	call := func(t *analyze.Thread, begin, end analyze.Nanos) analyze.Call {
		return analyze.Call{Interval: analyze.Interval{Begin: begin, End: end}, Thread: t}
	}
	buffer := analyze.CommandBuffer{ID: 1, Index: 1, Created: call(b, 10, 11), Committed: call(b, 800, 810)}
	trace := &analyze.Trace{
		TimeRange: analyze.Interval{Begin: 0, End: 1000}, Threads: []*analyze.Thread{a, b, c},
		CommandBuffers: []analyze.CommandBuffer{buffer},
		Waits:          []analyze.Wait{{Call: call(a, 100, 900), Selector: "waitUntilCompleted", Buffer: buffer.Index}},
		CPUWaits:       analyze.CPUWaits{Locks: []analyze.LockWait{{Call: call(b, 120, 790), Holder: c, Exclusive: 670}}},
	}
	chains := cause.Analyze(trace, cause.Options{}).Waits.Chains
	if len(chains) != 1 || len(chains[0].Threads) != 3 || chains[0].Threads[2] != c ||
		chains[0].Root != path.RootRunning || chains[0].Time != 800 {
		t.Errorf("%+v", chains)
	}
}
