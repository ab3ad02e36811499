package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze/report"
)

// Programs with one habit each, and some that narrowly have none, as they run: the habit is found, with the line that
// has it.
func TestInsightsOfPrograms(t *testing.T) {
	needTruth(t)
	programs, err := filepath.Abs("../../fixtures/scenarios/programs")
	if err != nil {
		t.Fatal(err)
	}
	processors := make(chan struct{}, runtime.GOMAXPROCS(0)) // more programs at once would disturb each other
	for _, c := range []struct {
		program string
		found   []string // insights found, of those that are looked for here
		at      string   // of the first: its place
	}{
		{"compile_in_loop", []string{"compile-in-loop", "repeated-compile", "wait-after-commit"}, "compile_in_loop()"},
		{"compile_first", []string{"wait-after-commit"}, "finish() from habits.py:66 step()"},
		{"allocate_in_loop", []string{"allocation-in-loop", "released-and-remade", "wait-after-commit"},
			"allocate_in_loop()"},
		{"leak", []string{"allocation-in-loop", "memory-growth", "wait-after-commit"}, "leak()"},
		{"allocate_first", []string{"wait-after-commit"}, "from habits.py:66 step()"},
		{"two_in_flight", nil, ""},
		{"tiny", []string{"tiny-command-buffers", "wait-after-commit"}, "step()"},
		{"back_to_back", []string{"fusion", "wait-after-commit"}, "encode()"},
		{"to_and_fro", []string{"copies", "wait-after-commit"}, "to_and_fro"},
		{"there_once", []string{"wait-after-commit"}, "from habits.py:66 step()"},
		{"grow", []string{"growing-steps", "wait-after-commit"}, ""},
		{"new_sizes", []string{"new-sizes", "allocation-in-loop", "wait-after-commit"}, "new_sizes()"},
		{"clear_cache", []string{"released-and-remade", "allocation-in-loop", "wait-after-commit"}, "clear_cache"},
		{"two_humps", []string{"two-populations", "wait-after-commit"}, ""},
		{"pause", []string{"commit-after-idle", "wait-after-commit"}, "step()"},
		{"slow_after_pause", []string{"slow-after-pause", "wait-after-commit"}, ""},
		{"as_fast_after_pause", []string{"wait-after-commit"}, ""},
		{"use_resources", []string{"encoding-calls", "wait-after-commit"}, ""},
		{"change_residency", []string{"residency", "allocation-in-loop", "memory-growth", "wait-after-commit"}, ""},
		{"keep_events", []string{"object-growth", "wait-after-commit"}, "keep_events()"},
		{"release_events", []string{"wait-after-commit"}, ""},
		{"events_first", []string{"wait-after-commit"}, ""},
		{"keep_pipelines", []string{"compile-in-loop", "repeated-compile", "object-growth", "wait-after-commit"}, ""},
		{"keep_encoders", []string{"kept-command-buffers", "wait-after-commit"}, ""},
		{"keep_some_command_buffers", []string{"object-growth", "wait-after-commit"}, ""},
	} {
		t.Run(c.program, func(t *testing.T) {
			compares := strings.HasSuffix(c.program, "_after_pause") // compares processor time, which others would distort
			if !compares {
				t.Parallel()
				processors <- struct{}{}
				defer func() { <-processors }()
			}
			var doc report.Report
			var wrong []string
			for attempts := 0; attempts == 0 || len(wrong) > 0 && attempts < disturbedAttempts && disturbed(&doc); attempts++ {
				var got outcome
				run := func() {
					got = sh(t, t.TempDir(), []string{"SOFTMETAL_TIMED=1", "SOFTMETAL_ENGINES=2",
						"SOFTMETAL_RESIDENCY_US=4000", "SOFTMETAL_RESIDENCY_IDLE_US=20000"}, tool.mtrace, "run", "--stacks", "python",
						"--json", "-o", "t.mtrace", "--", "python3", filepath.Join(programs, "habits.py"), c.program)
				}
				if compares {
					withPriority(run)
				} else {
					run()
				}
				doc = report.Report{}
				if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 {
					t.Fatalf("%v: %+v", err, got)
				}
				wrong = wrongInsights(&doc, c.found, c.at)
			}
			for _, w := range wrong {
				t.Error(w)
			}
		})
	}
}

// wrongInsights returns what is wrong with the insights of a report. Of a list of insights, exactly the ones in `wanted`
// must be found, and the first of them at the place `at`.
func wrongInsights(doc *report.Report, wanted []string, at string) (wrong []string) {
	found := map[string]report.Insight{}
	for _, i := range doc.Insights {
		if i.Severity != "skipped" {
			found[i.ID] = i
		}
	}
	for _, id := range []string{"compile-in-loop", "repeated-compile", "allocation-in-loop", "memory-growth",
		"wait-after-commit", "tiny-command-buffers", "fusion", "copies", "unlabelled", "validation", "growing-steps",
		"new-sizes", "released-and-remade", "two-populations", "commit-after-idle", "residency", "large-allocations",
		"slow-after-pause", "encoding-calls", "object-growth", "kept-command-buffers"} {
		i, there := found[id]
		if k := slices.Index(wanted, id); there != (k >= 0) {
			wrong = append(wrong, fmt.Sprintf("%s is found: %v, want %v: %+v", id, there, k >= 0, i))
		} else if k == 0 && at != "" &&
			(len(i.Where) == 0 || !strings.Contains(i.Where[0].At+" from "+i.Where[0].From, at) || i.Where[0].Line == 0) {
			wrong = append(wrong, fmt.Sprintf("%s is not at %s: %+v", id, at, i))
		}
	}
	return wrong
}

// Times under Metal's validation layer are not the program's, and that is reported.
func TestInsightOfTheValidationLayer(t *testing.T) {
	needTruth(t)
	got := sh(t, t.TempDir(), []string{"MTL_DEBUG_LAYER=1"}, tool.mtrace, "run", "-o", "t.mtrace", "--section",
		"insights", "--",
		"python3", workload(t), "--op", "axpy", "--size", "4096", "--threads", "1", "--iters", "30", "--sync-mode", "event")
	if !strings.Contains(got.stderr,
		"measured under a debugging layer [validation]: Metal's validation layer is in use") ||
		!strings.Contains(strings.Join(strings.Fields(got.stderr), " "), "unset MTL_DEBUG_LAYER to measure") {
		t.Errorf("%+v", got)
	}
}
