package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/report"
)

// selectedRun is the JSON report on a run of the workload with two workers, recorded with flags.
func selectedRun(t *testing.T, flags ...string) (r report.Report, text string) {
	t.Helper()
	trace := filepath.Join(t.TempDir(), "t.mtrace")
	args := append(append([]string{"run", "--no-report", "-o", trace}, flags...), "--", "python3", workload(t), "--op",
		"axpy", "--size", "4096", "--threads", "2", "--iters", "20",
		"--sync-mode", "event")
	if got := sh(t, "", nil, tool.mtrace, args...); got.exit != 0 || got.stderr != "" {
		t.Fatalf("%q: %+v", flags, got)
	}
	r, _ = windowedReport(t, trace)
	return r, strings.Join(strings.Fields(sh(t, "", nil, tool.mtrace, "report", "--wide", trace).stdout), " ")
}

// count is how often a call was recorded.
func count(r *report.Report, selector string) (n int64) {
	for _, c := range r.Calls {
		if c.Selector == selector {
			n += c.Count
		}
	}
	return n
}

// TestRunRecordsASelection: the selection is in the trace, and nothing else. The report says so first, and in the
// verdict, and rules nothing out.
func TestRunRecordsASelection(t *testing.T) {
	t.Parallel()
	needTruth(t)
	all, text := selectedRun(t)
	if strings.Contains(text, "RECORDED IN PART") || len(all.Source.Selected) != 0 || all.Source.LeftOut != 0 ||
		count(&all, "commit") == 0 {
		t.Fatalf("all of it: %+v\n%s", all.Source, text)
	}
	check := func(r *report.Report, text string, asked ...string) {
		t.Helper()
		of := strings.Join(asked, ", ")
		if r.Source.LeftOut == 0 || strings.Join(r.Source.Selected, ", ") != of ||
			!strings.Contains(text, "RECORDED IN PART, as asked for ("+of+"): ") {
			t.Errorf("the report does not begin with the selection: %+v\n%s", r.Source, text)
		}
		if s := r.Serialization; len(s.RuledOut) != 0 ||
			!strings.Contains(s.Summary, "only a selection was recorded ("+of+")") {
			t.Errorf("the verdict: %+v", s)
		}
		for _, i := range r.Insights {
			if i.Severity != "skipped" {
				t.Errorf("insight of a part: %+v", i)
			}
		}
	}

	calls, text := selectedRun(t, "--only", "call:commit", "--only", "call:wait*")
	check(&calls, text, "--only call:commit", "--only call:wait*")
	if count(&calls, "commit") != count(&all, "commit") || count(&calls, "computeCommandEncoder") != 0 ||
		count(&calls, "commandBuffer") != 0 {
		t.Errorf("calls: %+v", calls.Calls)
	}
	if calls.GPU.BusyNS == 0 {
		t.Error("when the GPU ran is not known")
	}

	// Calls that a flag excludes count as outside in the table of threads, which did not say so.
	if !strings.Contains(text, "outside: in no traced call, or in a call that a flag excluded") {
		t.Errorf("the table of threads does not say what is outside:\n%s", text)
	}

	thread, text := selectedRun(t, "--only", "thread:worker-1")
	check(&thread, text, "--only thread:worker-1")
	buffers := 0
	for _, th := range thread.Threads {
		if th.CommandBuffers > 0 && th.Name != "worker-1" {
			t.Errorf("a thread that was not asked for: %+v", th)
		}
		buffers += int(th.CommandBuffers)
	}
	if buffers != 20 || count(&thread, "commit") != 20 {
		t.Errorf("worker-1 has %d command buffers and %d commits: %+v", buffers, count(&thread, "commit"), thread.Threads)
	}

	queue, text := selectedRun(t, "--leave-out", "queue:stream 0")
	check(&queue, text, "--leave-out queue:stream 0")
	for _, q := range queue.Queues {
		if made := q.CommandBuffers; (made > 0) != (q.Label == "stream 1") {
			t.Errorf("queue %q has %d command buffers", q.Label, made)
		}
	}
}

// TestSelectionIsSaidByOthers: commands that compare or check traces report that one was recorded in part.
func TestSelectionIsSaidByOthers(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	for name, flags := range map[string][]string{"all": nil, "part": {"--leave-out", "call:set*"}} {
		args := append(append([]string{"run", "--no-report", "-o", filepath.Join(dir, name+".mtrace")}, flags...), "--",
			"python3", workload(t), "--op", "axpy", "--size", "4096",
			"--threads", "2", "--iters", "20", "--sync-mode", "event")
		if got := sh(t, "", nil, tool.mtrace, args...); got.exit != 0 {
			t.Fatalf("%+v", got)
		}
	}
	got := sh(t, dir, nil, tool.mtrace, "diff", "--json", "all.mtrace", "part.mtrace")
	var d struct{ Warnings []string }
	if err := json.Unmarshal([]byte(got.stdout), &d); err != nil || !strings.Contains(strings.Join(d.Warnings, "\n"),
		"part.mtrace was recorded in part, as requested: --leave-out call:set*") {
		t.Errorf("%v: %+v", err, got)
	}
	runs := sh(t, dir, nil, tool.mtrace, "report", "all.mtrace", "part.mtrace")
	if strings.Count(runs.stdout, "RECORDED IN PART") != 1 {
		t.Errorf("of two runs, one in part: %s", runs.stdout)
	}
	if got := sh(t, dir, nil, tool.mtrace, "run", "--only", "colour:red", "--", "true"); got.exit != 2 ||
		!strings.Contains(got.stderr,
			`--only must be thread:NAME, queue:LABEL, label:LABEL or call:SELECTOR, not "colour:red"`) {
		t.Errorf("a rule that is none: %+v", got)
	}
}
