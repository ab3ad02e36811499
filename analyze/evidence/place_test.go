package evidence_test

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/fixtures/tracesim"
)

// TestPlace: Place returns the parts of a wait in order of time, from the wait's begin to its end without gaps. Their
// durations add up to the same sums as the parts of Split.
func TestPlace(t *testing.T) {
	parts := map[analyze.Part]int{}
	for _, s := range tracesim.Scenarios {
		trace, err := analyze.Load(s.Build(1).Run(t), analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		ev := evidence.Divide(trace)
		for i := range trace.Waits {
			w := &trace.Waits[i]
			var want, got [analyze.PartCount]analyze.Nanos
			for _, p := range ev.Work.Split(w) {
				want[p.Part] += p.Nanos
			}
			at := w.Begin
			for _, p := range ev.Work.Place(w) {
				if p.Begin != at || p.Length() == 0 {
					t.Fatalf("%s: a part of %v begins at %d, the one before ended at %d", s.Name, p, p.Begin, at)
				}
				at = p.End
				got[p.Part] += p.Length()
				parts[p.Part]++
			}
			if got != want || at != w.End {
				t.Fatalf("%s: %v is divided into %v, placed as %v up to %d", s.Name, w.Interval, want, got, at)
			}
		}
	}
	for p := analyze.PartWaitExecuting; p <= analyze.PartWaitCrossThread; p++ {
		if parts[p] == 0 {
			t.Errorf("no wait of any scenario has %s", p.Key())
		}
	}
}
