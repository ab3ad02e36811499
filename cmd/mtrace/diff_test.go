package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze/diff"
)

// A program that does something else is recognised: the kernel differs, the calls are the same.
func TestDiff(t *testing.T) {
	small := smallTrace(t)
	other, _ := runWorkload(t, "--op", "gelu", "--size", "65536", "--dtype", "float32", "--threads", "2", "--iters", "20",
		"--sync-mode", "event")
	pagePath := filepath.Join(t.TempDir(), "d.html")
	got := sh(t, "", nil, tool.mtrace, "diff", "--json", "--html", pagePath, small, other)
	var doc diff.Document
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 || got.stderr != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	if page := pageDocument(t, pagePath, "diff"); page != compact(t, got.stdout) {
		t.Errorf("the page has\n%s\nand --json\n%s", page, compact(t, got.stdout))
	}
	statuses := map[diff.Kind]map[diff.Status]int{}
	for _, c := range doc.Changes {
		if statuses[c.Kind] == nil {
			statuses[c.Kind] = map[diff.Status]int{}
		}
		statuses[c.Kind][c.Status]++
		if c.Kind == diff.KindCall && c.Name == "commit" && (c.CountA == 0 || c.CountB == 0) {
			t.Errorf("commit: %+v", c)
		}
		if c.Name == "waitUntilSignaledValue:timeoutMS:" && c.Status != diff.Added {
			t.Errorf("one side waits for events, and that is %s", c.Status)
		}
	}
	if doc.Schema != diff.Schema || doc.Tested == 0 || statuses[diff.KindCall][diff.Added] == 0 {
		t.Errorf("%s: %d tested, %v", doc.Schema, doc.Tested, statuses)
	}
	if text := sh(t, "", nil, tool.mtrace, "diff", small, small); text.exit != 0 ||
		!strings.Contains(text.stdout, "no relevant change exceeds the noise") {
		t.Errorf("a trace against itself: %+v", text)
	}
}

// The exit status is the answer: 1 if something important became slower, 0 if nothing did. The runs are simulated: in
// real runs on 16 processors with 50 runnable programs, thirty times the work was once within the noise between four
// runs, and rightly so.
func TestDiffFailOver(t *testing.T) {
	t.Parallel()
	fast, slow := simulatedRuns(t, 4, 200), simulatedRuns(t, 4, 6000)
	if got := sh(t, "", nil, tool.mtrace, "diff", "--fail-over", "50", fast, slow); got.exit != 1 || got.stderr != "" ||
		!strings.Contains(got.stdout, "FAIL: slower by more than 50%") {
		t.Errorf("thirty times the work: %+v", got)
	}
	files, _ := filepath.Glob(filepath.Join(slow, "*.mtrace"))
	if got := sh(t, "", nil, tool.mtrace, "diff", "--fail-over", "50", strings.Join(files, ","), fast); got.exit != 0 ||
		!strings.Contains(got.stdout, "PASS") {
		t.Errorf("a thirtieth of the work: %+v", got)
	}
}

func TestDiffRefuses(t *testing.T) {
	trace := smallTrace(t)
	dir := t.TempDir()
	for name, content := range map[string]string{"text": "hello\n", "other.json": `{"schema": "mtrace.scaling/1"}`,
		"cut.json": `{"schema": `} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "empty"), 0o777); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, map[string]struct {
		args []string
		says string
	}{
		"nothing":           {[]string{"diff"}, "give two sides, not 0"},
		"one side":          {[]string{"diff", trace}, "not 1"},
		"three sides":       {[]string{"diff", trace, trace, trace}, "not 3"},
		"missing":           {[]string{"diff", trace, "none.mtrace"}, "no such file"},
		"one of a list":     {[]string{"diff", trace, trace + ",none.mtrace"}, "no such file"},
		"a text":            {[]string{"diff", trace, "text"}, "not an .mtrace file"},
		"another document":  {[]string{"diff", trace, "other.json"}, "mtrace.scaling/1"},
		"a cut document":    {[]string{"diff", trace, "cut.json"}, "cut.json"},
		"an empty folder":   {[]string{"diff", trace, "empty"}, "has no traces"},
		"a bad percentage":  {[]string{"diff", "--fail-over", "-3", trace, trace}, "percentage"},
		"not a number":      {[]string{"diff", "--fail-over", "NaN", trace, trace}, "percentage"},
		"no end":            {[]string{"diff", "--fail-over", "Inf", trace, trace}, "percentage"},
		"two on one output": {[]string{"diff", "--html", "-", "--json", trace, trace}, "name a file for the page"},
		"over its input":    {[]string{"diff", "--force", "--html", trace, trace, trace}, "is the input"},
		"no percentage":     {[]string{"diff", "--fail-over", "much", trace, trace}, "invalid argument"},
	})
}
