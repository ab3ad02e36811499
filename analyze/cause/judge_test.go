package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// TestJudge: windows disagree. A fault that is the verdict of two windows, and large enough in the whole run, is
// reported before a limit or none. A fault that costs less, or is the verdict of one window only, is not. The story: a
// program that waited for a lock in a third of its run was reported as bound by the GPU, as its other windows were,
// although one window is all lock-contention.
func TestJudge(t *testing.T) {
	window := func(cause string, standing Standing, share float64) Window {
		const working = 1000
		of := evidence.Evidence{Trace: &analyze.Trace{},
			Times: evidence.ThreadTimes{
				Threads: []*evidence.ThreadTime{{Thread: &analyze.Thread{}, Working: working, CommandBuffers: 1}}}}
		v := Verdict{Cause: cause, Share: share, Confidence: 0.8}
		if cause != None {
			v.Causes = []Finding{{Cause: cause, Holds: true, Lost: analyze.Nanos(share * working), Standing: standing}}
		}
		return Window{Analysis: &Analysis{Evidence: &of, Verdict: v}, Scale: 4}
	}
	for _, c := range []struct {
		name  string
		most  Window
		locks int
		share float64 // of those
		want  string
	}{
		{"half of the time in three of eight windows", window(GPUBound, Limit, 0.6), 3, 0.5, LockContention},
		{"the same beside nothing", window(None, Fault, 0), 3, 0.5, LockContention},
		{"a fifth of the time in three of eight", window(GPUBound, Limit, 0.6), 3, 0.2, GPUBound},
		{"one window only", window(GPUBound, Limit, 0.6), 1, 0.9, GPUBound},
		{"beside another fault", window(DeviceWideSync, Fault, 0.3), 3, 0.9, DeviceWideSync},
	} {
		var windows []Window
		for i := range 8 {
			if i < c.locks {
				windows = append(windows, window(LockContention, Fault, c.share))
			} else {
				windows = append(windows, c.most)
			}
		}
		whole := &evidence.Totals{Trace: &analyze.Trace{}}
		j, _ := Judge(windows)
		if a := j.Of(whole); a.Verdict.Cause != c.want || c.want == LockContention &&
			a.Verdict.Share != c.share*float64(c.locks)/8 {
			t.Errorf("%s: %s with %.3f, not %s", c.name, a.Verdict.Cause, a.Verdict.Share, c.want)
		}
	}
}
