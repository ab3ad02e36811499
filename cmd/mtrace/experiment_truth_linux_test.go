package main

import (
	"os/exec"
	"testing"

	"mtrace/fixtures/scenarios"
)

// TestExperimentFindsTheTruth: the interval of every target holds its truth, of programs in Python and C whose truth is
// known: one thread that waits, a full GPU, a lock and a barrier. An interval misses its truth in one of twenty runs,
// so a program whose interval does is run a second time.
func TestExperimentFindsTheTruth(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	const (
		seconds   = 9
		tolerance = 0.1 // programs sleep and wake in between: a truth of 1 is 1 ± 0.1
	)
	tools := scenarios.Tools{Bin: tool.dir, Scripts: "../../fixtures/scenarios/programs"}
	tested := map[string]bool{"one thread that waits after each commit": true, "the same in Python": true,
		"GPU full, three in flight": true, "one lock, six threads": true, "a barrier of four threads, one slow": true}
	for _, e := range scenarios.Experiments {
		if !tested[e.Name] {
			continue
		}
		delete(tested, e.Name)
		t.Run(e.Name, func(t *testing.T) {
			for again := false; ; again = true {
				var measured []scenarios.Measured
				var err error
				withPriority(func() { measured, err = e.Run(tools, seconds, t.TempDir()) })
				if err != nil {
					t.Fatal(err)
				}
				held := true
				for _, truth := range e.Truths {
					m := truth.Of(measured)
					if m == nil || m.Sensitivity == nil {
						t.Fatalf("%s: nothing was measured: %+v", truth.Target, measured)
					}
					t.Logf("%s: %v, want %s", truth.Target, m.Sensitivity, truth.Text())
					near := scenarios.Sensitivity{Low: truth.Low - tolerance*max(1, truth.Low),
						High: truth.High + tolerance*max(1, truth.High)}
					if !m.Sensitivity.Holds(near) {
						held = false
						if again {
							t.Errorf("%s: %v in the second run, too, want %s", truth.Target, m.Sensitivity, truth.Text())
						}
					}
				}
				if held || again {
					return
				}
			}
		})
	}
	for name := range tested {
		t.Errorf("there is no program %q", name)
	}
}
