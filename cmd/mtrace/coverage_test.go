package main

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/report"
)

// The self-check is in the report with full coverage, and the program's figures are the same as without it.
func TestSelfCheckInReport(t *testing.T) {
	directory := t.TempDir()
	run := func(flags ...string) (r report.Report) {
		path := filepath.Join(directory, strings.Join(flags, "")+"t.mtrace")
		args := append(append([]string{"run", "--no-report", "-o", path}, flags...), "--", "python3", workload(t), "--op",
			"axpy", "--size", "1024", "--dtype", "float32",
			"--threads", "2", "--iters", "20", "--sync-mode", "event")
		if got := sh(t, directory, nil, tool.mtrace, args...); got.exit != 0 {
			t.Fatalf("%+v", got)
		}
		got := sh(t, directory, nil, tool.mtrace, "report", "--json", path)
		if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
			t.Fatalf("%v: %+v", err, got)
		}
		return r
	}
	plain, checked := run(), run("--self-check")
	for _, r := range []report.Report{plain, checked} {
		if len(r.Coverage.Processes) != 1 || r.Coverage.Share == nil || *r.Coverage.Share != 1 {
			t.Fatalf("coverage %+v", r.Coverage)
		}
		p := r.Coverage.Processes[0]
		if p.Commits.Made == 0 || p.Commits.Seen != p.Commits.Made || p.Completions != p.Commits || len(p.Classes) < 5 ||
			len(p.Unhooked) != 0 {
			t.Errorf("coverage of the process %+v", p)
		}
	}
	if s := plain.Coverage.Processes[0].SelfCheck; s != nil {
		t.Errorf("a self-check that was not asked for: %+v", s)
	}
	if s := checked.Coverage.Processes[0].SelfCheck; s == nil || s.Made < 30 || s.Seen != s.Made {
		t.Errorf("self-check %+v", s)
	}
	count := func(r report.Report, selector string) (n int64) {
		for _, c := range r.Calls {
			if c.Selector == selector {
				n += c.Count
			}
		}
		return n
	}
	for _, selector := range []string{"newCommandQueue", "commandBuffer", "commit", "blitCommandEncoder",
		"newBufferWithLength:options:"} {
		if a, b := count(plain, selector), count(checked, selector); a != b {
			t.Errorf("%s: %d calls without the self-check, %d with it", selector, a, b)
		}
	}
}
