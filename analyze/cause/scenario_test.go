package cause_test

import (
	"fmt"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/fixtures/tracesim"
)

func load(t testing.TB, path string) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return trace
}

// TestScenarios: a wrong cause is worse than none.
func TestScenarios(t *testing.T) {
	for _, s := range tracesim.Scenarios {
		t.Run(s.Name, func(t *testing.T) {
			a := cause.Analyze(load(t, s.Build(1).Run(t)), cause.Options{})
			if slices.Contains(s.Causes, a.Verdict.Cause) {
				return
			}
			t.Errorf("verdict %s, want %v: %s", a.Verdict.Cause, s.Causes, a.Verdict.Summary)
			for _, f := range a.Verdict.Causes {
				t.Logf("  %-20s lost %v, explains %s: %q", f.Cause, f.Lost, fmt.Sprint(f.Confidence), f.Evidence)
			}
			for _, f := range a.Verdict.RuledOut {
				t.Logf("  not %-16s %s", f.Cause, f.Why)
			}
		})
	}
}

// TestSeeds runs every scenario with several seeds and prints the confusion matrix with -v. No verdict may be wrong.
func TestSeeds(t *testing.T) {
	seeds := uint64(3)
	if testing.Short() {
		seeds = 1
	}
	for _, s := range tracesim.Scenarios {
		got := map[string]int{}
		for seed := range seeds {
			a := cause.Analyze(load(t, s.Build(seed+10).Run(t)), cause.Options{Seed: seed})
			got[a.Verdict.Cause]++
			if !slices.Contains(s.Causes, a.Verdict.Cause) {
				t.Errorf("%s, seed %d: verdict %s, want %v: %s", s.Name, seed+10, a.Verdict.Cause, s.Causes, a.Verdict.Summary)
			}
		}
		t.Logf("%-40s %v", s.Name, got)
	}
}

// rate returns the command buffers per nanosecond that threads committed while all of them did: these programs end when
// the slowest thread has finished, and then the others have long been idle.
func rate(t *analyze.Trace) float64 {
	first, last := t.TimeRange.End, map[*analyze.Thread]analyze.Nanos{}
	for b := range t.Buffers() {
		first = min(first, b.Created.Begin)
		last[b.Committed.Thread] = max(last[b.Committed.Thread], b.Committed.End)
	}
	end := t.TimeRange.End
	for _, at := range last {
		end = min(end, at)
	}
	n := 0
	for b := range t.Buffers() {
		if b.Committed.End <= end {
			n++
		}
	}
	return float64(n) / float64(end-first)
}

// TestWhatIf: the predicted speed-up matches a run of the same program without the cause, within a tenth.
func TestWhatIf(t *testing.T) {
	for _, s := range tracesim.Scenarios {
		if s.Cured == nil {
			continue
		}
		t.Run(s.Name, func(t *testing.T) {
			with, without := s.Build(3), s.Cured(3)
			trace := load(t, with.Run(t))
			a := cause.Analyze(trace, cause.Options{})
			real := rate(load(t, without.Run(t))) / rate(trace)
			if len(a.Verdict.Causes) == 0 || a.Verdict.Causes[0].Speedup == nil {
				t.Fatalf("nothing is predicted; the run without the cause is %.2f times as fast; replay error %.3f", real,
					a.ReplayError)
			}
			p := a.Verdict.Causes[0].Speedup
			t.Logf("predicted %.2f (%.2f to %.2f), real %.2f, replay error %.3f", p.Estimate, p.Low, p.High, real, a.ReplayError)
			if off := p.Estimate/real - 1; !s.Vague && (off > 0.1 || off < -0.1) || real < p.Low || real > p.High {
				t.Errorf("predicted %.2f (%.2f to %.2f), the run without the cause is %.2f times as fast", p.Estimate, p.Low,
					p.High, real)
			}
		})
	}
}

// TestTogether: removing two causes is predicted too, and brings no less than removing one.
func TestTogether(t *testing.T) {
	for _, s := range tracesim.Scenarios {
		if s.Name != "compilation 70, device-wide sync 30" {
			continue
		}
		v := cause.Analyze(load(t, s.Build(1).Run(t)), cause.Options{}).Verdict
		if v.Together == nil || v.Causes[0].Speedup == nil {
			t.Fatalf("nothing is predicted: %+v", v.Causes)
		}
		if v.Together.Estimate < v.Causes[0].Speedup.Estimate || v.Together.Causes[0] != v.Causes[0].Cause {
			t.Errorf("together %+v, the first alone %+v", v.Together, v.Causes[0].Speedup)
		}
	}
}
