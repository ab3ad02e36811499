package cause

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
)

// encodingVerdict returns the verdict about a thread that commits 30 command buffers and waits for each.
func encodingVerdict(t *testing.T, endEncoding int64, encode func(*tracesim.Thread, *tracesim.Buffer)) Verdict {
	t.Helper()
	s := tracesim.NewSim(8, 7)
	s.Processors.Count = 4
	if endEncoding > 0 {
		s.EndEncoding = endEncoding
	}
	q := s.NewQueue("", 0)
	s.Thread(func(th *tracesim.Thread) {
		for range 30 {
			b := th.CommandBuffer(q)
			encode(th, b)
			th.Commit(b)
			th.Wait(b)
		}
	})
	trace, err := analyze.Load(s.Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return Analyze(trace, Options{}).Verdict
}

// A program that encoded each of 600 dispatches into an encoder of its own got the advice to put more work into each
// command buffer. That gained nothing; one encoder for all dispatches made it 5.4 times as fast.
func TestSmallEncoders(t *testing.T) {
	for _, c := range []struct {
		name              string
		encoders, batched int // of a command buffer; dispatches of an encoder
		says              string
	}{
		{"an encoder for each dispatch", 100, 1, "into one encoder"},
		{"two encoders", 2, 50, "put more work into each command buffer"},
	} {
		v := encodingVerdict(t, int64(2_000_000/c.encoders), func(th *tracesim.Thread, b *tracesim.Buffer) {
			for range c.encoders {
				e := th.Open(b)
				for range c.batched {
					e.Dispatch(th, "step", 3_000)
				}
				e.Close(th)
			}
		})
		if v.Cause != LaunchBound || len(v.Causes) == 0 || !strings.Contains(v.Causes[0].Advice, c.says) {
			t.Errorf("%s: %s: %+v", c.name, v.Cause, v.Causes)
		}
	}
}

// Thousands of useResource:usage: for each command buffer got the advice to encode more into one from C, and from
// Python, where most of the time passes between the calls, the advice to use a CPU profiler.
func TestCallsOfEncoding(t *testing.T) {
	for _, c := range []struct {
		name         string
		times        int
		took, around int64 // of a call, and between two
		cause        string
		named        bool
	}{
		{"from C", 3000, 300, 0, LaunchBound, true},
		{"from Python", 1000, 30, 2000, CPUBound, true},
		{"few, between other computation", 30, 30, 100_000, CPUBound, false},
	} {
		v := encodingVerdict(t, 0, func(th *tracesim.Thread, b *tracesim.Buffer) {
			e := th.Open(b)
			for range c.times {
				if c.around > 0 {
					th.Work(c.around)
				}
				e.UseResource(th, c.took)
			}
			e.Dispatch(th, "step", 200_000)
			e.Close(th)
		})
		if v.Cause != c.cause || len(v.Causes) == 0 || strings.Contains(v.Causes[0].Advice, "useHeap:") != c.named {
			t.Errorf("%s: %s, want %s: %+v", c.name, v.Cause, c.cause, v.Causes)
		}
	}
}
