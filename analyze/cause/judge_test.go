package cause

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// TestJudge: ranges disagree. A fault that is the verdict of two ranges, and large enough in the whole run, is
// reported before a limit or none. A fault that costs less, or is the verdict of one range only, is not. The story: a
// program that waited for a lock in a third of its run was reported as bound by the GPU, as its other ranges were,
// although one range is all lock-contention.
func TestJudge(t *testing.T) {
	window := func(cause string, standing Standing, share float64) Range {
		const working = 1000
		of := evidence.Evidence{Trace: &analyze.Trace{},
			Times: evidence.ThreadTimes{
				Threads: []*evidence.ThreadTime{{Thread: &analyze.Thread{}, Working: working, CommandBuffers: 1}}}}
		v := Verdict{Cause: cause, Share: share, Confidence: 0.8}
		if cause != None {
			v.Causes = []Finding{{Cause: cause, Present: true, Lost: analyze.Nanos(share * working), Standing: standing}}
		}
		return Range{Analysis: &Analysis{Evidence: &of, Verdict: v}, Scale: 4}
	}
	for _, c := range []struct {
		name  string
		most  Range
		locks int
		share float64 // of those
		want  string
	}{
		{"half of the time in three of eight ranges", window(GPUBound, Limit, 0.6), 3, 0.5, LockContention},
		{"the same beside nothing", window(None, Fault, 0), 3, 0.5, LockContention},
		{"a fifth of the time in three of eight", window(GPUBound, Limit, 0.6), 3, 0.2, GPUBound},
		{"one window only", window(GPUBound, Limit, 0.6), 1, 0.9, GPUBound},
		{"beside another fault", window(DeviceWideSync, Fault, 0.3), 3, 0.9, DeviceWideSync},
	} {
		var ranges []Range
		for i := range 8 {
			if i < c.locks {
				ranges = append(ranges, window(LockContention, Fault, c.share))
			} else {
				ranges = append(ranges, c.most)
			}
		}
		whole := &evidence.Totals{Trace: &analyze.Trace{}}
		j, _ := Judge(ranges)
		if a := j.Of(whole); a.Verdict.Cause != c.want || c.want == LockContention &&
			a.Verdict.Share != c.share*float64(c.locks)/8 {
			t.Errorf("%s: %s with %.3f, not %s", c.name, a.Verdict.Cause, a.Verdict.Share, c.want)
		}
	}
}
