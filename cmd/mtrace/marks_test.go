package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"mtrace/analyze"
)

// The Python lines of docs/recording.md run as they are, without the tracer and with it. Around the workload, from
// before Metal is in use, their scope is in the report, a frame of the profile, and a slice of the timeline; so is a
// scope in which the process is killed.
func TestMarksAsTheyAreShown(t *testing.T) {
	text, err := os.ReadFile("../../docs/recording.md")
	if err != nil {
		t.Fatal(err)
	}
	snippet := regexp.MustCompile("(?s)```python\n(.*?mtrace_.*?)```").FindSubmatch(text)
	if snippet == nil {
		t.Fatal("docs/recording.md shows no marks in Python")
	}
	dir := t.TempDir()
	alone, around := filepath.Join(dir, "alone.py"), filepath.Join(dir, "around.py")
	threeLines := strings.Join(strings.SplitAfter(string(snippet[1]), "\n")[:3], "")
	program := threeLines + `
import os, runpy, signal, sys
begin(b"the whole run")
sys.argv[1:] = ["--op", "axpy", "--size", "1000", "--iters", "5"]
try: runpy.run_path("` + workload(t) + `", run_name="__main__")
except SystemExit as end_of_it: assert not end_of_it.code, end_of_it.code
mark(b"computed")
begin(b"killed in this")
os.kill(os.getpid(), signal.SIGKILL)
`
	for file, content := range map[string]string{alone: string(snippet[1]), around: program} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := sh(t, dir, nil, "python3", alone); got != (outcome{}) {
		t.Errorf("untraced: %+v", got)
	}
	if got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "alone.mtrace", "--", "python3",
		alone); got.exit != 0 || got.stdout != "" {
		t.Errorf("traced: %+v", got)
	}
	if got := sh(t, dir, nil, tool.mtrace, "run", "--no-report", "-o", "around.mtrace", "--", "python3",
		around); got.exit != 137 {
		t.Fatalf("traced, around the workload: %+v", got)
	}
	trace, err := analyze.Load(filepath.Join(dir, "around.mtrace"), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scopes := map[string]analyze.Scope{}
	for _, s := range trace.Scopes {
		scopes[s.Name] = s
	}
	whole, mark, killed := scopes["the whole run"], scopes["computed"], scopes["killed in this"]
	last := trace.CommandBuffers[len(trace.CommandBuffers)-1]
	switch {
	case !whole.Unfinished || whole.Begin >= trace.CommandBuffers[0].Created.Begin || whole.End < last.GPU.End:
		t.Errorf("the scope around everything is %+v", whole)
	case !mark.Mark || mark.Begin < last.GPU.End:
		t.Errorf("the mark is %+v", mark)
	case !killed.Unfinished || killed.Begin < mark.Begin || killed.End < killed.Begin:
		t.Errorf("the scope that the process was killed in is %+v", killed)
	}
	for _, step := range [][]string{{tool.mtrace, "pprof", "around.mtrace", "-o", "profiles"},
		{tool.mtrace, "export", "around.mtrace", "--format", "chrome", "-o", "around.json"}} {
		if got := sh(t, dir, nil, step[0], step[1:]...); got.exit != 0 {
			t.Fatalf("%v: %+v", step, got)
		}
	}
	if top := sh(t, dir, nil, "go", "tool", "pprof", "-traces", "profiles/gpu.pb.gz"); !strings.Contains(top.stdout,
		"the whole run") {
		t.Errorf("the profile of the GPU does not have the scope: %+v", top)
	}
	timeline, err := os.ReadFile(filepath.Join(dir, "around.json"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"the whole run", "computed", "killed in this"} {
		if !strings.Contains(string(timeline), `"`+name+`"`) {
			t.Errorf("the timeline does not have %q", name)
		}
	}
}
