package main

import (
	"path/filepath"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/experiment"
)

// TestExperimentFindsTheTruth: a thread that waits after each commit takes as much longer as its waits do. The test
// accepts twice the interval, since an interval misses the truth in one of twenty runs.
func TestExperimentFindsTheTruth(t *testing.T) {
	const truth = 1.0
	dir := t.TempDir()
	got := sh(t, dir, []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_DURATION_US=3000", "SOFTMETAL_ENGINES=1"},
		tool.mtrace, "experiment", "--target", "wait", "--budget", "10%", "--seed", "5", "-o", "t.mtrace", "--",
		"python3", workload(t), "--no-check", "--sync-mode", "device", "--threads", "1", "--iters", "3000")
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	trace, err := analyze.Load(filepath.Join(dir, "t.mtrace"), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	p := experiment.Of(trace)
	if p == nil {
		t.Fatalf("no experiment: %+v", got)
	}
	x := experiment.Analyze(p.Experiment).Estimates[0]
	s := x.Sensitivity
	if s == nil {
		t.Fatalf("%d blocks say nothing: %+v", x.Blocks, got)
	}
	t.Logf("%.2f (%.2f to %.2f), %d blocks, %s", s.Estimate, s.Low, s.High, x.Blocks, x.Status)
	if truth < s.Estimate-2*(s.Estimate-s.Low) || truth > s.Estimate+2*(s.High-s.Estimate) {
		t.Errorf("sensitivity %.2f (%.2f to %.2f), want %v", s.Estimate, s.Low, s.High, truth)
	}
}
