package cause_test

import (
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// TestResidencyInTheLoop: changes of residency were no cause. A program that spent most of its time in
// addResidencySet: had the verdict none, "nothing delays the threads", although what would help listed the call with
// 5x. A program that called requestResidency was advised to allocate its buffers once, and the GPU was reported to be
// idle while the thread was outside of Metal.
func TestResidencyInTheLoop(t *testing.T) {
	for _, c := range []struct {
		name      string
		before    func(th *tracesim.Thread, q *tracesim.Queue)
		says      string
		advice    string
		otherwise string // not in the advice
	}{
		{"sets added to the queue", func(th *tracesim.Thread, q *tracesim.Queue) {
			q.AddResidencySet(th, 900*us)
			th.Residency("endResidency", 100*us)
		}, "78 calls changed which memory is resident", "one residency set", "allocate buffers"},
		{"sets committed and requested", func(th *tracesim.Thread, q *tracesim.Queue) {
			th.Residency("commit", 200*us)
			th.Residency("requestResidency", 800*us)
		}, "78 calls changed which memory is resident", "one residency set", "allocate buffers"},
		{"allocated and made resident", func(th *tracesim.Thread, q *tracesim.Queue) {
			th.Release(th.Make(1<<20, 0, tracesim.Private))
			th.Residency("requestResidency", 500*us)
		}, "39 calls changed which memory is resident", "one residency set", ""},
		{"allocated", func(th *tracesim.Thread, q *tracesim.Queue) {
			th.Release(th.Make(1<<20, 0, tracesim.Private))
		}, "39 allocations take", "allocate buffers", "residency"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := tracesim.NewSim(4, 3)
			s.Costs.Make = 500 * us
			q := s.NewQueue("", 0)
			s.Thread(func(th *tracesim.Thread) {
				for range 40 {
					c.before(th, q)
					b := th.CommandBuffer(q)
					th.Encode(b, "step", 300*us)
					th.Commit(b)
					th.Wait(b)
				}
			})
			trace, err := analyze.Load(s.Run(t), analyze.Options{})
			if err != nil {
				t.Fatal(err)
			}
			v := cause.Analyze(trace, cause.Options{})
			first := v.Verdict.Causes[0]
			all := v.Verdict.Summary + strings.Join(first.Evidence, "; ")
			if v.Verdict.Cause != cause.AllocationBound || !strings.Contains(all, c.says) ||
				!strings.Contains(first.Advice, c.advice) || c.otherwise != "" && strings.Contains(first.Advice, c.otherwise) {
				t.Errorf("%s: %q, advice %q", v.Verdict.Cause, all, first.Advice)
			}
			if first.Speedup == nil || !first.Speedup.Proven() {
				t.Errorf("no proven gain: %+v, %s", first.Speedup, first.Unpredicted)
			}
		})
	}
}
