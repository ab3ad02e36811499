package analyze_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// The window ended with the last record. So a program that worked for a moment and then waited for ever was reported as
// that moment, and the call in which it hung took no time.
func TestRunEndsWithProcess(t *testing.T) {
	const later = 4_000_000_000
	for name, ended := range map[string]int64{"as recorded today": later, "a file that does not say": 0} {
		t.Run(name, func(t *testing.T) {
			s := newScript(t)
			main := s.main()
			main.Run(tracetest.Step{Pipeline: main.NewPipeline("axpy"), Encode: 300, Commit: 2_000, Delay: 5_000, GPU: 40_000,
				Notify: 3_000})
			stuck := main.NewObject()
			main.Call(wire.FamilyQueue, "commandBuffer", s.Queue, uint64(stuck), 500, nil)
			last := main.Now
			if ended != 0 {
				s.Counted.At = tracetest.Epoch + ended
			}
			s.End(tracefile.CurrentCall{Thread: 101, Begin: wire.Ticks(tracetest.Epoch + last), Object: stuck,
				Call: wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")})
			s.file.Close()
			trace, err := analyze.Load(s.path, analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			end := analyze.Nanos(tracetest.Epoch + max(ended, last))
			if trace.TimeRange.End != end || trace.Processes[0].Ended != end {
				t.Errorf("the window ends at %d, the process at %d, want %d", trace.TimeRange.End, trace.Processes[0].Ended, end)
			}
			if len(trace.Unfinished) != 1 || trace.Unfinished[0].End != end || trace.Buffer(trace.Unfinished[0].Buffer) == nil {
				t.Fatalf("calls that had not returned: %+v", trace.Unfinished)
			}
			inside := end - trace.Unfinished[0].Begin
			if w := trace.Waits[len(trace.Waits)-1]; w.Length() != inside || !w.Unfinished {
				t.Errorf("the wait took %d, want %d", w.Length(), inside)
			}
			if th := trace.Threads[0]; th.Active.End != end {
				t.Errorf("the thread's window ends at %d, want %d", th.Active.End, end)
			}
			for _, c := range trace.Calls {
				if c.Selector == "waitUntilCompleted" && c.Class == "" && (c.Unfinished != 1 || c.Count != 0 || c.Max != inside ||
					c.Total != inside) {
					t.Errorf("calls of waitUntilCompleted: %+v, want one that has not returned in %d", c, inside)
				}
			}
		})
	}
}

// A wait for a lock that never ended had no record, so a deadlock showed nothing.
func TestUnfinishedLockWait(t *testing.T) {
	s := newScript(t)
	main := s.main()
	other := s.Thread(102, "other")
	other.Call(wire.FamilyDevice, "newCommandQueue", s.Device, uint64(other.NewObject()), 1000, &wire.More{X0: 64})
	s.Counted.At = tracetest.Epoch + 1_000_000
	s.Counted.Blocked = []tracefile.BlockedCall{
		{Thread: 101, Ring: 0, Begin: wire.Ticks(tracetest.Epoch + main.Now), Call: wire.MustLookup(wire.FamilyLock,
			"pthread_mutex_lock"), Address: 0x1000, Holder: 102},
		// has returned
		{Thread: 102, Ring: 1, Begin: tracetest.Epoch, Call: wire.MustLookup(wire.FamilyLock, "pthread_mutex_lock"),
			Address: 0x2000, Holder: 101},
	}
	trace := s.load(t)
	if len(trace.Unfinished) != 1 {
		t.Fatalf("%d calls had not returned, want the one that began after its thread's last record", len(trace.Unfinished))
	}
	if u := trace.Unfinished[0]; u.Thread.ID != 101 || u.Address != 0x1000 || u.Holder == nil || u.Holder.ID != 102 ||
		u.Group != wire.GroupLock {
		t.Errorf("the wait is %+v", u)
	}
	if k := trace.CPUWaits.Locks; len(k) != 1 || k[0].End != trace.TimeRange.End {
		t.Errorf("waits for locks: %+v", k)
	}
}

// A thread whose ring was left, or passed to another thread, has exited; its process may hang because of that.
func TestExitedThreads(t *testing.T) {
	s := newScript(t)
	s.main()
	for id := uint64(102); id <= 103; id++ {
		other := s.Thread(id, "other")
		other.Call(wire.FamilyDevice, "newCommandQueue", s.Device, uint64(other.NewObject()), 1000, &wire.More{X0: 64})
	}
	s.Exited = map[uint64]bool{103: true}
	for _, th := range s.load(t).Threads {
		if want := th.ID == 103; th.Exited != want {
			t.Errorf("thread %d: exited is %v, want %v", th.ID, th.Exited, want)
		}
	}
}
