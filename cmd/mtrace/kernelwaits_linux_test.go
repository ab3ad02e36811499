package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/policy"
	"mtrace/analyze/report"
)

// Kernels that poll memory until another queue's kernel has written it were called the program's limit if they worked
// on afterwards, and a shorter polling kernel was predicted to make the run faster. The kernels run on processors, and
// if other programs have these, a kernel notices the value late: such a run is repeated more often.
func TestKernelsThatPoll(t *testing.T) {
	needTruth(t)
	program, err := filepath.Abs("../../fixtures/scenarios/programs/kernelwaits.py")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		program string
		waits   bool
		verdict string // the required one, if other programs do not change it
	}{
		{"polls", true, "none"},
		{"works_after", true, "none"},
		{"mostly", true, "none"}, // 70 and 75% of the executions wait: the verdict was gpu-bound
		{"mostly_works_after", true, "none"},
		{"beside", false, ""},
		{"with_event", false, ""}, // the sleeping producer is the limit, with and without the event
	} {
		var said string
		right := false
		var doc report.Report
		for attempts := 0; !right && (attempts < 5 || attempts < disturbedAttempts && disturbed(&doc)); attempts++ {
			var got outcome
			withPriority(func() {
				got = sh(t, t.TempDir(), []string{"SOFTMETAL_CORES=4", "SOFTMETAL_ENGINES=4"}, tool.mtrace, "run", "--json",
					"-o", "t.mtrace", "--", "python3", program, c.program)
			})
			doc = report.Report{}
			if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 {
				t.Fatalf("%v: %+v", err, got)
			}
			found, predicted := false, false
			for _, i := range doc.Insights {
				found = found || i.ID == "kernel-waits" && i.Severity != "skipped"
			}
			for _, w := range doc.WhatIf {
				predicted = predicted || w.What.Kind == "kernel"
			}
			v := doc.Serialization
			said = v.Verdict + ": " + v.Summary
			right = found == c.waits && (c.verdict == "" || v.Verdict == c.verdict) &&
				(!c.waits || strings.Contains(v.Summary, "Kernels wait on the GPU") && !predicted)
			if found && !c.waits {
				t.Fatalf("%s: the report claims that its kernels wait: %s", c.program, said)
			}
		}
		if !right {
			t.Errorf("%s: %s", c.program, said)
		}
	}
}

// disturbedAttempts is how often a test that compares times runs a program if other programs disturb it each time.
const disturbedAttempts = 15

// disturbed reports whether other programs had so much of the machine's processors during a run that its report warns
// of it. Times of such a run are not the program's: a test that compares them runs the program again.
func disturbed(doc *report.Report) bool {
	others := doc.Source.OthersShare
	return others != nil && *others >= policy.WorthNaming.Value
}
