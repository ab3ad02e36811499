package insight

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
)

// The same work that takes three times as long after each pause was called "first iterations", or not reported.
func TestSlowAfterIdle(t *testing.T) {
	for _, c := range []struct {
		name  string
		slow  analyze.Nanos // what work takes after a pause
		found bool
	}{{"three times as long", 3 * ms, true}, {"as long as ever", ms, false}} {
		trace, one, _ := threadsTrace()
		q := &analyze.Queue{ID: 1, Process: one.Process, Device: &analyze.Device{Name: "GPU"}}
		at := analyze.Nanos(ms)
		for i := range 100 {
			took := analyze.Nanos(ms)
			if i%4 == 0 {
				at += 20 * ms
				took = c.slow
			}
			trace.CommandBuffers = append(trace.CommandBuffers, analyze.CommandBuffer{ID: uint32(i + 1),
				Index: analyze.CommandBufferIndex(i + 1), Process: one.Process, Queue: q,
				Created:   analyze.Call{Interval: analyze.Interval{Begin: at, End: at + 10}, Thread: one},
				Committed: analyze.Call{Interval: analyze.Interval{Begin: at + 20, End: at + 30}, Thread: one},
				GPU:       analyze.Interval{Begin: at + 100, End: at + 100 + took}})
			at += took + 200
		}
		i := slowAfterIdle(&Input{Trace: trace})
		if (i != nil) != c.found {
			t.Errorf("%s: %+v", c.name, i)
		}
		if i != nil && !strings.Contains(i.Evidence, "up to 3.0 times as long, 3.00 ms instead of 1.00 ms") {
			t.Errorf("%s: %s", c.name, i.Evidence)
		}
	}
}

// 6,000 calls of useResource:usage: for each command buffer only got the advice to encode more into one.
func TestEncodingCalls(t *testing.T) {
	for _, c := range []struct {
		name, selector string
		advice         string // empty: nothing is found
		time           analyze.Nanos
	}{
		{"mostly useResource", "useResource:usage:", "useHeap:", 500 * ms},
		{"mostly setBytes", "setBytes:length:atIndex:", "setBufferOffset:atIndex:", 500 * ms},
		{"a call that is the work", "dispatchThreads:threadsPerThreadgroup:", "", 500 * ms},
		{"not most of it", "useResource:usage:", "", 5 * ms},
	} {
		trace, one, _ := threadsTrace()
		trace.CommandBuffers = make([]analyze.CommandBuffer, 10)
		stat := func(selector string, n int64, time analyze.Nanos) *analyze.CallStat {
			return &analyze.CallStat{Selector: selector, Part: analyze.PartEncode, Count: n,
				Exclusive: map[*analyze.Thread]analyze.Nanos{one: time}}
		}
		trace.Calls = []*analyze.CallStat{stat(c.selector, 60_000, c.time), stat("endEncoding", 10, 20*ms)}
		serial := &cause.Analysis{Evidence: &evidence.Evidence{Trace: trace}}
		serial.Evidence.Launch.Encoding = evidence.FindEncodingCall(trace)
		i := encodingCalls(&Input{Trace: trace, Analysis: serial})
		if (i != nil) != (c.advice != "") {
			t.Errorf("%s: %+v", c.name, i)
		}
		if i != nil && (!strings.Contains(i.Advice, c.advice) || !strings.Contains(i.Evidence,
			"60,000 calls, 6000 for each command buffer")) {
			t.Errorf("%s: %+v", c.name, i)
		}
	}
}
