package cause_test

import (
	"strings"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// TestAllFailed: a run in which every command buffer failed once had the verdict gpu-bound, or none because nothing
// delays the threads. The verdict says that they failed, with the error, also if they are few. A run in which one
// completed is judged as usual.
func TestAllFailed(t *testing.T) {
	for _, c := range []struct {
		name            string
		count, complete int
		other           int // command buffers with another error
		want            string
	}{
		{"all", 40, 0, 0, "all 40 command buffers failed: error 2, Caused GPU Hang Error."},
		{"few", 3, 0, 0, "all 3 command buffers failed: error 2, Caused GPU Hang Error."},
		{"one", 1, 0, 0, "the only command buffer failed: error 2, Caused GPU Hang Error."},
		{"two errors", 40, 0, 5, "all 40 command buffers failed; 35 of them: error 2, Caused GPU Hang Error."},
		{"one completed", 40, 1, 0, ""},
	} {
		s := tracesim.NewSim(1, 1)
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for i := range c.count {
				b := t.CommandBuffer(q)
				t.Encode(b, "step", 500*us)
				switch {
				case i >= c.count-c.complete:
				case i < c.other:
					b.Fail("Out of memory")
				default:
					b.Fail("Caused GPU Hang Error")
				}
				t.Commit(b)
				t.Wait(b)
			}
		})
		v := cause.Analyze(load(t, s.Run(t)), cause.Options{}).Verdict
		failed := strings.Contains(v.Summary, "failed")
		if failed != (c.want != "") || !strings.Contains(v.Summary, c.want) || failed && v.Cause != cause.None {
			t.Errorf("%s: %s: %s", c.name, v.Cause, v.Summary)
		}
	}
}
