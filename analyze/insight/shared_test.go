package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// threadsTrace has two threads of a process.
func threadsTrace() (t *analyze.Trace, one, two *analyze.Thread) {
	p := &analyze.Process{ID: 7}
	one, two = &analyze.Thread{Process: p, ID: 1}, &analyze.Thread{Process: p, ID: 2}
	return &analyze.Trace{Processes: []*analyze.Process{p}, Threads: []*analyze.Thread{one, two},
		TimeRange: analyze.Interval{Begin: 1, End: 1000 * ms}}, one, two
}

func encoderOf(th *analyze.Thread, begin, end analyze.Nanos) analyze.Encoder {
	return analyze.Encoder{Created: analyze.Call{Interval: analyze.Interval{Begin: begin, End: begin + 1}, Thread: th},
		Ended: analyze.Call{Interval: analyze.Interval{Begin: end, End: end + 1}, Thread: th}}
}

// Two threads that encode into one command buffer at the same time were not reported.
func TestSharedBuffers(t *testing.T) {
	for _, c := range []struct {
		name   string
		second func(one, two *analyze.Thread) analyze.Encoder
		shared bool
	}{
		{"at the same time", func(_, two *analyze.Thread) analyze.Encoder { return encoderOf(two, 50, 150) }, true},
		{"one after the other", func(_, two *analyze.Thread) analyze.Encoder { return encoderOf(two, 200, 250) },
			false},
		{"by one thread", func(one, _ *analyze.Thread) analyze.Encoder { return encoderOf(one, 50, 150) }, false},
	} {
		trace, one, two := threadsTrace()
		trace.CommandBuffers = []analyze.CommandBuffer{{ID: 4, Index: 1, Encoders: []analyze.Encoder{encoderOf(one,
			10, 100), c.second(one, two)}}}
		i := sharedBuffers(&Input{Trace: trace})
		if (i != nil) != c.shared {
			t.Errorf("%s: %+v", c.name, i)
		}
		if i != nil && !strings.Contains(i.Evidence, "1 command buffer had encoders of two threads open at the "+
			"same time") {
			t.Errorf("%s: %s", c.name, i.Evidence)
		}
	}
}

// Three threads that encode into one encoder were reported only if each had an encoder of its own. Threads that use an
// encoder one after the other are no finding.
func TestSharedEncoder(t *testing.T) {
	for _, c := range []struct {
		name   string
		pause  int64 // between two dispatches of a thread
		begin  int64 // of each thread, after the one before it
		shared bool
	}{
		{"alternately", 50 * us, 5 * us, true},
		{"one after the other", 50 * us, 2000 * us, false},
	} {
		s := tracesim.NewSim(2, 1)
		q := s.NewQueue("render", 0)
		var buffer *tracesim.Buffer
		var encoder *tracesim.Encoder
		for i := range 3 {
			s.Thread(func(th *tracesim.Thread) {
				if i == 0 {
					buffer = th.CommandBuffer(q)
					encoder = th.Open(buffer)
				}
				th.Sleep(10*us + int64(i)*c.begin)
				for range 12 {
					encoder.Dispatch(th, "mix", 20*us)
					th.Sleep(c.pause)
				}
				if i == 0 {
					th.Sleep(5 * c.begin)
					th.Sleep(2000 * us)
					encoder.Close(th)
					th.Commit(buffer)
					th.Wait(buffer)
				}
			})
		}
		trace, err := analyze.Load(s.Run(t), analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := sharedBuffers(&Input{Trace: trace})
		if (i != nil) != c.shared {
			t.Errorf("%s: %+v", c.name, i)
		}
		if i != nil && (!strings.Contains(i.Evidence, "several threads encoded alternately into 1 encoder, of 3 threads") ||
			i.Severity != Info || !strings.Contains(i.Advice, "serial dispatch queue")) {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}

// A failed command buffer and the hundred that Metal ended because of it were reported as a hundred and one failures.
func TestFirstFailure(t *testing.T) {
	trace, one, _ := threadsTrace()
	fails := func(at analyze.Nanos, code int, text string) {
		trace.CommandBuffers = append(trace.CommandBuffers,
			analyze.CommandBuffer{ID: uint32(len(trace.CommandBuffers) + 1), Status: analyze.StatusError,
				ErrorCode: code,
				Error:     text, Committed: analyze.Call{Interval: analyze.Interval{Begin: at, End: at + 1}, Thread: one},
				Completed: analyze.Interval{Begin: at + ms, End: at + ms}})
	}
	fails(20*ms, 5, "Innocent Victim of GPU Error (00000005:kIOGPUCommandBufferCallbackErrorInnocentVictim)")
	fails(10*ms, 3, "Caused GPU Address Fault Error")
	fails(30*ms, 1, "Ignored (for causing prior/excessive GPU errors) "+
		"(00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)")
	fails(31*ms, 1, "Ignored (for causing prior/excessive GPU errors) "+
		"(00000004:kIOGPUCommandBufferCallbackErrorSubmissionsIgnored)")
	i := failed(&Input{Trace: trace})
	for _, want := range []string{"4 of 4 command buffers failed", "1 time: error 3, Caused GPU Address Fault Error",
		"The first was command buffer 2 at 11.0 ms",
		"3 failed because of an earlier error", "2 submissions ignored"} {
		if !strings.Contains(i.Evidence, want) {
			t.Errorf("it does not say %q: %s", want, i.Evidence)
		}
	}
	// without victims, the first was not named
	trace.CommandBuffers = trace.CommandBuffers[1:2]
	if i = failed(&Input{Trace: trace}); !strings.Contains(i.Evidence, "The first was command buffer 2 at 11.0 ms") {
		t.Errorf("a failure alone: %s", i.Evidence)
	}
	fails(9*ms, 2, "Caused GPU Timeout Error")
	fails(12*ms, 2, "Caused GPU Timeout Error")
	if i = failed(&Input{Trace: trace}); !strings.Contains(i.Evidence, "The first was command buffer 2 at 10.0 ms: "+
		"error 2, Caused GPU Timeout Error") {
		t.Errorf("several failures: %s", i.Evidence)
	}
	trace.CommandBuffers = trace.CommandBuffers[:0]
	fails(20*ms, 5, "Innocent Victim of GPU Error (00000005:kIOGPUCommandBufferCallbackErrorInnocentVictim)")
	if i = failed(&Input{Trace: trace}); !strings.Contains(i.Evidence, "perhaps of another program") {
		t.Errorf("a victim alone: %s", i.Evidence)
	}
}
