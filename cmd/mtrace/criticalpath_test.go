package main

import (
	"os/exec"
	"path/filepath"
	"testing"

	"mtrace/analyze/path"
)

// With one serial stream all of the GPU's work is on the critical path, of real recordings too: with completion
// handlers that post a semaphore for which the thread waits, and with a queue that is always full and never waited for.
// The path went to Metal's own threads and called all the program's, or called what lay before a gap scheduling.
func TestCriticalPathHasAllWorkOfOneStream(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for scenario, options := range map[string][]string{
		"in-flight":        nil,
		"full-of-handlers": {"--without"}, // its handlers have nothing to do
		"independent":      nil,
	} {
		t.Run(scenario, func(t *testing.T) {
			trace := filepath.Join(t.TempDir(), "t.mtrace")
			command := append([]string{"run", "--no-report", "-o", trace, "--",
				filepath.Join(tool.dir, "scenario"), scenario, "--threads", "1", "--milliseconds", "300"}, options...)
			if got := sh(t, "", []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=1"}, tool.mtrace, command...); got.exit != 0 {
				t.Fatalf("%+v", got)
			}
			report := reportOf(t, trace)
			var onGPU int64
			for _, part := range report.Serialization.CriticalPath.Parts {
				if part.What == path.GPU {
					onGPU += part.NS
				}
			}
			if busy := report.GPU.BusyNS; busy == 0 || float64(max(onGPU-busy, busy-onGPU)) > 0.01*float64(busy) {
				t.Errorf("the GPU was busy for %d ns, and its work is %d ns of the path: %+v", busy, onGPU,
					report.Serialization.CriticalPath)
			}
		})
	}
}
