package analyze

import (
	"path/filepath"
	"testing"

	"mtrace/fixtures/longtrace"
)

// TestPartByIndex: a part of a trace read by the index equals the same part when all of the file is read.
func TestPartByIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	calls, err := longtrace.Write(path, longtrace.Shapes[0], 100_000, 9)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := f.Load(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if f.Calls(nil) != calls || f.Calls([]int{7}) != 0 {
		t.Errorf("%d calls were written, the survey says %d", calls, f.Calls(nil))
	}
	for _, asked := range []Options{{To: all.Run.Length / 10}, {From: all.Run.Length / 2, To: all.Run.Length/2 +
		all.Run.Length/20},
		{From: all.Run.Length * 9 / 10}, {From: all.Run.Length / 3, To: all.Run.Length/3 + 1000}} {
		whole, err := f.Load(asked)
		if err != nil {
			t.Fatal(err)
		}
		smallFile = 0
		part, read, err := f.load(asked, leastAround)
		if err == nil && read.incompleteBuffers(part) > 0 {
			part, err = f.Load(asked)
		}
		smallFile = 1 << 20
		if err != nil {
			t.Fatal(err)
		}
		if read.whole {
			t.Fatal("all of the file was read")
		}
		if part.Events != whole.Events || part.TimeRange != whole.TimeRange ||
			len(part.CommandBuffers) != len(whole.CommandBuffers) || len(part.Waits) != len(whole.Waits) ||
			len(part.Memory.Allocations) != len(whole.Memory.Allocations) || len(part.Queues) != len(whole.Queues) ||
			len(part.Threads) != len(whole.Threads) {
			t.Errorf("%v: %d calls in %v, %d command buffers, %d waits; by the index %d in %v, %d, %d", asked, whole.Events,
				whole.TimeRange, len(whole.CommandBuffers), len(whole.Waits),
				part.Events, part.TimeRange, len(part.CommandBuffers), len(part.Waits))
			continue
		}
		for i, b := range part.CommandBuffers {
			w := whole.CommandBuffers[i]
			if b.ID != w.ID || b.GPU != w.GPU || b.Committed.Interval != w.Committed.Interval || b.Queue == nil ||
				b.Queue.ID != w.Queue.ID || len(b.Encoders) != len(w.Encoders) ||
				b.Encoders[0].Dispatches[0].Pipeline.Kernel != w.Encoders[0].Dispatches[0].Pipeline.Kernel {
				t.Fatalf("%v: command buffer %d is %+v, by the index %+v", asked, i, w, b)
			}
		}
		for i, th := range part.Threads {
			if w := whole.Threads[i]; th.ID != w.ID || th.Name != w.Name || th.Exclusive != w.Exclusive ||
				th.Active != w.Active {
				t.Errorf("%v: thread %+v, by the index %+v", asked, w, th)
			}
		}
	}
}

// TestParts: the parts follow each other from the beginning to the end of the requested range, each with about as many
// records.
func TestParts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "long.mtrace")
	if _, err := longtrace.Write(path, longtrace.Shapes[1], 60_000, 9); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	parts := f.Ranges(Options{}, f.Records()/6)
	if n := len(parts); n < 5 || n > 7 || parts[0].From != 0 || parts[n-1].To != 0 {
		t.Fatalf("the parts are %v", parts)
	}
	events := int64(0)
	for i, p := range parts {
		if i > 0 && p.From != parts[i-1].To {
			t.Errorf("part %d begins at %v, the one before ends at %v", i, p.From, parts[i-1].To)
		}
		p.Adds = true
		trace, err := f.Load(p)
		if err != nil {
			t.Fatal(err)
		}
		if trace.Events*int64(len(parts)) > 2*f.Calls(nil) {
			t.Errorf("part %d has %d of %d calls", i, trace.Events, f.Calls(nil))
		}
		events += trace.Events
	}
	if events != f.Calls(nil) {
		t.Errorf("the parts have %d calls, the trace %d", events, f.Calls(nil))
	}
}
