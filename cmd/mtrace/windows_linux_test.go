package main

import (
	"fmt"
	"math"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/fixtures/scenarios"
)

// TestVerdictByWindows: the verdict from a run's windows equals the verdict on the whole run, and the costs are near
// each other. Recordings differ with the machine's load, so each is compared with itself. The story of lock-beside:
// three of its threads commit now and then and wait for a lock in between. In windows in which they did not commit they
// were left out, and the run seemed to wait for the GPU.
func TestVerdictByWindows(t *testing.T) {
	needTruth(t)
	if out, err := saidBy(exec.Command("../../fixtures/scenarios/programs/build.sh", tool.dir), commandLimit); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	tools := scenarios.Tools{Bin: tool.dir}
	for _, s := range scenarios.All {
		if !slices.Contains([]string{"device-sync", "one-lock", "lock-beside", "launch-bound", "saturated"}, s.Name) {
			continue
		}
		// Other load on the machine differs between a window and the whole run: that alone sometimes makes them differ.
		ofFourRecordings(t, func(t *testing.T, milliseconds int) string { return verdictsApart(t, s, tools, 2*milliseconds) })
	}
}

// verdictsApart records a scenario and returns how far the verdict by windows differs from the verdict on the whole, ""
// if they are near.
func verdictsApart(t *testing.T, s scenarios.Scenario, tools scenarios.Tools, milliseconds int) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), s.Name+".mtrace")
	if _, err := s.Record(tools, scenarios.Run{Seed: 1, Milliseconds: milliseconds}, path); err != nil {
		t.Fatal(err)
	}
	f, err := analyze.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	trace, err := f.Load(analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := f.Records()
	parts, _, err := report.BuildLong(f, analyze.Options{},
		report.Options{Limits: report.Limits{Whole: n / 2, Summed: n / 10, Window: n / 16, Buffers: 300}})
	if err != nil {
		t.Fatal(err)
	}
	whole := report.Build(trace, report.Options{})
	a, b := whole.Serialization, parts.Serialization
	near := a.Verdict == b.Verdict
	if !near && len(a.Causes) > 1 { // two that cost about the same
		second := slices.IndexFunc(a.Causes, func(c report.Cause) bool { return c.Cause == b.Verdict })
		near = second > 0 && a.Causes[0].Share-a.Causes[second].Share < 0.1
	}
	if near && (a.Verdict != b.Verdict || math.Abs(a.Share-b.Share) <= 0.1) {
		return ""
	}
	return fmt.Sprintf("%s: %s with %.2f of the time, by windows %s with %.2f: %+v", s.Name, a.Verdict, a.Share,
		b.Verdict, b.Share, parts.Sampled.Windows)
}
