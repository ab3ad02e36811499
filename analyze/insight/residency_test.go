package insight

import (
	"strings"
	"testing"

	"mtrace/fixtures/tracesim"
)

// Calls of Metal that make memory resident were once recorded, but never reported.
func TestResidency(t *testing.T) {
	work := func(th *tracesim.Thread, q *tracesim.Queue) { th.Wait(iterate(th, q, 400*us, "step")) }
	ids := []string{"residency", "commit-after-idle", "large-allocations"}
	for name, c := range map[string]struct {
		script func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread)
		id     string // the insight found among ids; "" for none
		says   string
	}{
		"a set that each step changes": {steady(60, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Residency("addAllocation:", 2*us)
			th.Residency("commit", 30*us)
			th.Residency("requestResidency", 200*us)
			work(th, q)
		}), "residency", "requestResidency 60 times"},
		"one large request": {func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			work(th, q)
			th.Residency("requestResidency", 80*ms)
			steady(60, func(th *tracesim.Thread, q *tracesim.Queue, i int) { work(th, q) })(s, q, th)
		}, "residency", "requestResidency 1 times, 8"},
		"once, and soon done": {func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			work(th, q)
			th.Residency("requestResidency", 20*us)
			steady(60, func(th *tracesim.Thread, q *tracesim.Queue, i int) { work(th, q) })(s, q, th)
		}, "", ""},
		"the commit after a pause takes 3 ms": {func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			usual := s.Costs.Commit
			for i := range 60 {
				if s.Costs.Commit = usual; i%10 == 9 {
					th.Sleep(50 * ms)
					s.Costs.Commit = 3 * ms
				}
				work(th, q)
			}
		}, "commit-after-idle", "6 command buffers that come after the GPU was idle for 10.0 ms or longer took 3."},
		"pauses that cost nothing": {steady(60, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			if i%10 == 9 {
				th.Sleep(50 * ms)
			}
			work(th, q)
		}), "", ""},
		"large memory": {func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			usual := s.Costs.Commit
			for i := range 60 {
				if s.Costs.Commit = usual; i%10 == 9 {
					th.Make(64<<20, 0, tracesim.Private)
					s.Costs.Commit = 5 * ms
				}
				work(th, q)
			}
		}, "large-allocations", "384 MiB in all"},
		"large memory that costs nothing": {steady(60, func(th *tracesim.Thread, q *tracesim.Queue, i int) {
			th.Make(64<<20, 0, tracesim.Private)
			work(th, q)
		}), "", ""},
	} {
		found := look(t, 1, c.script)
		for _, id := range ids {
			i, there := found[id]
			if there != (id == c.id) || there && !strings.Contains(i.Evidence, c.says) {
				t.Errorf("%s: %s is found %v: %q", name, id, there, i.Evidence)
			}
		}
	}
}

// A run that uses nearly all of the memory that the device recommends got no remark.
func TestNearTheWorkingSet(t *testing.T) {
	for share, severity := range map[float64]string{0.85: "", 0.95: Info, 1.1: Warning} {
		found := look(t, 1, func(s *tracesim.Sim, q *tracesim.Queue, th *tracesim.Thread) {
			s.BeforeWrite = recommends(100 << 20)
			for range 30 {
				b := th.Make(uint64(share*float64(100<<20)), 0, tracesim.Private)
				th.Wait(iterate(th, q, 400*us, "step"))
				th.Release(b)
			}
		})["beyond-working-set"]
		if found.Severity != severity {
			t.Errorf("%.0f %% of what is recommended: %+v", 100*share, found)
		}
	}
}
