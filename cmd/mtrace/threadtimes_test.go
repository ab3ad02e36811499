package main

import (
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The processor times of threads, from the kernel to the report: of a program whose eight threads compute, and of one whose
// threads sleep. The story: without them, who slept was called cpu-bound.
func TestReportOfProcessorTimes(t *testing.T) {
	needTruth(t)
	if out, err := exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for scenario, computes := range map[string]bool{"cpu-bound": true, "anti-phase": false} {
		trace := filepath.Join(t.TempDir(), "t.mtrace")
		got := sh(t, "", []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=8"}, tool.mtrace, "run", "--no-report", "-o", trace, "--",
			filepath.Join(tool.dir, "scenario"), scenario, "--seed", "1", "--milliseconds", "500")
		if got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		var report struct {
			Threads []struct {
				Name       string
				WindowNS   int64   `json:"window_ns"`
				CPUNS      *int64  `json:"cpu_ns"`
				RunnableNS *int64  `json:"runnable_ns"`
				Covered    float64 `json:"cpu_covered_share"`
			}
			Serialization struct{ Verdict string }
		}
		got = sh(t, "", nil, tool.mtrace, "report", "--json", trace)
		if err := json.Unmarshal([]byte(got.stdout), &report); err != nil {
			t.Fatal(err)
		}
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
			if th.Covered < 0.5 || th.Covered > 1 {
				t.Errorf("%s: %s is covered to %.2f", scenario, th.Name, th.Covered)
			}
			ran, waited, known = ran+float64(*th.CPUNS), waited+float64(*th.RunnableNS), known+th.Covered*float64(th.WindowNS)
		}
		if workers == 0 {
			t.Fatalf("%s: no thread is a worker: %s", scenario, got.stdout)
		}
		ran, waited = ran/known, waited/known
		if verdict := report.Serialization.Verdict; computes && (ran+waited < 0.6 || verdict != "cpu-bound") || !computes && ran > 0.2 || !computes && waited < 0.25 && verdict == "cpu-bound" {
			t.Errorf("%s: threads ran for %.2f of the time, waited for a processor for %.2f: %s", scenario, ran, waited, verdict)
		}
	}
}
