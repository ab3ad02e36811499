package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The processor times of threads, from the kernel to the report: for a program whose eight threads compute, and for one
// whose threads sleep. The story: without these times, sleeping threads were called cpu-bound.
func TestReportOfProcessorTimes(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for scenario, computes := range map[string]bool{"cpu-bound": true, "anti-phase": false} {
		ofFourRecordings(t, func(t *testing.T, milliseconds int) string {
			return processorTimes(t, scenario, computes, milliseconds)
		})
	}
}

// processorTimes records the scenario and returns what is wrong with the times of its workers. If computes is true the
// workers compute most of the time; otherwise they sleep.
func processorTimes(t *testing.T, scenario string, computes bool, milliseconds int) (wrong string) {
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	got := sh(t, "", []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=8"}, tool.mtrace, "run", "--no-report", "-o", trace,
		"--",
		filepath.Join(tool.dir, "scenario"), scenario, "--seed", "1", "--milliseconds", strconv.Itoa(milliseconds))
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	report := reportOf(t, trace)
	var ran, waited, known float64
	workers := 0
	for _, th := range report.Threads {
		if !strings.HasPrefix(th.Name, "worker") {
			continue
		}
		workers++
		if th.CPUNS == nil || th.RunnableNS == nil {
			t.Skip("this system does not show the processor times of threads")
		}
		if th.CPUCovered < 0.5 || th.CPUCovered > 1 {
			wrong = fmt.Sprintf("%s: %s is covered to %.2f", scenario, th.Name, th.CPUCovered)
		}
		ran, waited, known = ran+float64(*th.CPUNS), waited+float64(*th.RunnableNS), known+th.CPUCovered*float64(th.WindowNS)
	}
	if workers == 0 {
		t.Fatalf("%s: no thread is a worker: %+v", scenario, report.Threads)
	}
	ran, waited = ran/known, waited/known
	if verdict := report.Serialization.Verdict; computes && (ran+waited < 0.6 || verdict != "cpu-bound") || !computes &&
		ran > 0.2 || !computes && waited < 0.25 && verdict == "cpu-bound" {
		wrong = fmt.Sprintf("%s: threads ran for %.2f of the time, waited for a processor for %.2f: %s", scenario, ran,
			waited, verdict)
	}
	return wrong
}
