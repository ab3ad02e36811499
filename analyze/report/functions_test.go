package report

import (
	"testing"

	"mtrace/analyze"
)

// TestOneRowAFunction: sem_wait, which waits for a lock at one call site and for a signal at another, was in two rows
// that looked the same.
func TestOneRowAFunction(t *testing.T) {
	a, b := &analyze.Thread{ID: 1}, &analyze.Thread{ID: 2}
	stat := func(part analyze.Part, th *analyze.Thread, took ...analyze.Nanos) *analyze.CallStat {
		s := &analyze.CallStat{Selector: "sem_wait", Part: part, Durations: &analyze.Durations{},
			Exclusive: map[*analyze.Thread]analyze.Nanos{}, Counts: map[*analyze.Thread]int64{}}
		for i, n := range took {
			if i == 0 || n < s.Min {
				s.Min = n
			}
			s.Count, s.Total, s.Max = s.Count+1, s.Total+n, max(s.Max, n)
			s.Durations.Add(n)
			s.Exclusive[th] += n
			s.Counts[th]++
		}
		return s
	}
	r := &Report{}
	lock := stat(analyze.PartLock, a, 100, 300)
	buildCalls(r, &analyze.Trace{Calls: []*analyze.CallStat{lock, stat(analyze.PartOutside, b, 50, 550),
		{Selector: "sem_wait", Class: "Other", Count: 1, Total: 5, Min: 5, Max: 5}}})
	if len(r.Calls) != 2 || lock.Count != 2 {
		t.Fatalf("%d rows: %+v", len(r.Calls), r.Calls)
	}
	if c := r.Calls[0]; c.Count != 4 || c.TotalNS != 1000 || c.ExclusiveNS != 1000 || c.MeanNS != 250 || c.MinNS != 50 ||
		c.MaxNS != 550 || c.Threads != 2 || c.P50NS < 90 || c.P50NS > 310 {
		t.Errorf("the row is %+v", c)
	}
}
