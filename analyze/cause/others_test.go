package cause_test

import (
	"slices"
	"testing"

	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

// busyMachine is a program of four threads, on a machine of two processors that other programs use, too. The GPU's work
// runs on these processors or does not, and each thread waits for all threads' work or for its own.
func busyMachine(others int, onProcessors, everybody bool) *tracesim.Sim {
	s := tracesim.NewSim(4, 7)
	s.Processors = tracesim.Processors{Count: 2, Others: others, AreGPU: onProcessors}
	latest := make([]*tracesim.Buffer, 4)
	for i := range latest {
		q := s.NewQueue("", 0)
		s.Thread(func(t *tracesim.Thread) {
			for range 150 {
				t.Sleep(int64(t.Random() * 1000 * us))
				t.Work(150 * us)
				b := t.CommandBuffer(q)
				t.Encode(b, "matmul", 250*us)
				t.Commit(b)
				latest[i] = b
				t.Wait(b)
				for _, other := range latest {
					if everybody && other != nil && other != b {
						t.Wait(other)
					}
				}
			}
		})
	}
	return s
}

// The processor time that other programs used and waited for is reported, and the predictions also hold in the presence
// of those programs.
func TestOtherPrograms(t *testing.T) {
	for _, others := range []int{0, 1, 3, 6} {
		for _, onProcessors := range []bool{false, true} {
			trace := load(t, busyMachine(others, onProcessors, true).Run(t))
			trace.Source.Processors = 2
			real := rate(load(t, busyMachine(others, onProcessors, false).Run(t))) / rate(trace)
			a := cause.Analyze(trace, cause.Options{})
			o := &a.Evidence.Processors.Others
			if want, got := float64(others), float64(o.Ran+o.Waited)/float64(o.Covered); o.Covered == 0 || got < 0.99*want ||
				got > 1.01*want+0.01 {
				t.Errorf("%d threads of other programs: %+v", others, *o)
			}
			i := slices.IndexFunc(a.Verdict.Causes, func(f cause.Finding) bool { return f.Cause == cause.DeviceWideSync })
			if i < 0 || a.Verdict.Causes[i].Speedup == nil {
				t.Errorf("%d threads of other programs, GPU of processors %v: %s, and nothing is predicted", others, onProcessors,
					a.Verdict.Cause)
				continue
			}
			if s := a.Verdict.Causes[i].Speedup; s.Estimate < 0.9*real || s.Estimate > 1.1*real {
				t.Errorf("%d threads of other programs, GPU of processors %v: predicted %.2f (%.2f to %.2f), the run is %.2f "+
					"times as fast", others, onProcessors,
					s.Estimate, s.Low, s.High, real)
			}
		}
	}
}
