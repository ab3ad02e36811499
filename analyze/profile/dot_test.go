package profile

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
)

// Labels with a quote, a backslash or a newline made graphs that Graphviz refused: go tool pprof writes values of
// labels as they are.
func TestGraphOfOddNames(t *testing.T) {
	p := &analyze.Process{ID: 7, Program: `/bin/say "hi"`}
	odd := "step \"1\"\n\x01\\"
	th := &analyze.Thread{Process: p, ID: 8, Name: odd, Active: analyze.Interval{Begin: 1, End: 1e9}}
	q := &analyze.Queue{ID: 1, Process: p, Label: odd}
	b := analyze.CommandBuffer{ID: 1, Process: p, Queue: q, Label: odd,
		Committed: analyze.Call{Interval: analyze.Interval{Begin: 10, End: 20}, Thread: th},
		GPU:       analyze.Interval{Begin: 100, End: 5e8}}
	trace := &analyze.Trace{Processes: []*analyze.Process{p}, Threads: []*analyze.Thread{th}, Queues: []*analyze.Queue{q},
		CommandBuffers: []analyze.CommandBuffer{b}}
	trace.Finish()
	paths, err := writeAll([]string{"gpu"}, trace, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("go", "tool", "pprof", "-dot", "-nodefraction=0", filepath.Clean(paths[0])).Output()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(out), "step") {
		t.Fatalf("the graph has none of the names:\n%s", out)
	}
	for i, line := range strings.Split(string(out), "\n") {
		if inside := openString(line); inside || strings.ContainsAny(line, "\x01") {
			t.Errorf("line %d is no DOT: %q", i+1, line)
		}
	}
}

// openString reports whether a line ends inside a quoted string, or has text where an attribute must be.
func openString(line string) (inside bool) {
	for i := 0; i < len(line); i++ {
		switch line[i] {
		case '\\':
			if inside {
				i++
			}
		case '"':
			inside = !inside
			if !inside && i+1 < len(line) && !strings.ContainsRune(` ];,{-`, rune(line[i+1])) {
				return true
			}
		}
	}
	return inside
}
