package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// capturing is a Python program that commits labelled command buffers, one for each of its arguments. The arguments
// begin:NAME, end and mark:NAME begin and end a scope and set a mark; wait waits for the document of a capture.
const capturing = `
import ctypes, glob, sys, time
sys.path.insert(0, sys.argv[1])
import workload
tracer = ctypes.CDLL(None)
objc = workload.Objc(*workload.open_metal(None))
queue = objc(objc.create_device(), "newCommandQueue")
for word in sys.argv[3:]:
    kind, _, name = word.partition(":")
    if kind == "begin": tracer.mtrace_scope_begin(name.encode())
    elif kind == "end": tracer.mtrace_scope_end()
    elif kind == "mark": tracer.mtrace_mark(name.encode())
    elif kind == "wait":
        while not glob.glob(sys.argv[2] + "/t-*.gputrace/commandbuffers"): time.sleep(0.01)
    else:
        pool = objc.objc_autoreleasePoolPush()
        buffer = objc(queue, "commandBuffer")
        objc(buffer, "setLabel:", objc.string(word))
        objc(buffer, "commit")
        objc(buffer, "waitUntilCompleted")
        objc.objc_autoreleasePoolPop(pool)
`

// captured returns the labels in the one document in the trace's folder; nil when there is none.
func captured(t *testing.T, dir string) (labels []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "t-*.gputrace"))
	if err != nil || len(found) > 1 {
		t.Fatalf("%v: %q", err, found)
	}
	for _, path := range found {
		text, err := os.ReadFile(filepath.Join(path, "commandbuffers"))
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, label, _ := strings.Cut(strings.TrimSpace(line), " ")
			labels = append(labels, label)
		}
	}
	return labels
}

// TestGPUTrace: Metal captures the command buffers committed in the first scope of a name, or between two marks, and
// nothing else; the calls for the capture are not in the trace. A capture that the program does not end is ended by the
// time limit. If there is no capture, the report gives the reason. The software Metal ends a process that stops a
// capture inside a commit.
func TestGPUTrace(t *testing.T) {
	t.Parallel()
	needTruth(t)
	program := filepath.Join(t.TempDir(), "capturing.py")
	if err := os.WriteFile(program, []byte(capturing), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		flags []string
		words string
		want  []string
		says  string
	}{
		{[]string{"--gputrace", "scope:epoch"},
			"before begin:other a end begin:epoch b begin:inner c begin:epoch d end end e end after begin:epoch f end",
			[]string{"b", "c", "d", "e"}, "open it with Xcode"},
		{[]string{"--gputrace", "mark:go"}, "before mark:stop a mark:go b c mark:go d mark:go e", []string{"b", "c"},
			"open it with Xcode"},
		{[]string{"--gputrace", "mark:go", "--gputrace-limit", "200ms"}, "mark:go a wait b", []string{"a"},
			"open it with Xcode"},
		{[]string{"--gputrace", "scope:epoch", "--gputrace-limit", "200ms"}, "begin:epoch a wait b end", []string{"a"},
			"ended by its time limit"},
		{[]string{"--gputrace", "scope:never"}, "begin:epoch a end", nil, "Metal captured nothing: scope:never"},
	} {
		dir := t.TempDir()
		args := append(append([]string{"run", "-o", "t.mtrace"}, c.flags...), "--", "python3", program,
			filepath.Dir(workload(t)), dir)
		got := sh(t, dir, nil, tool.mtrace, append(args, strings.Fields(c.words)...)...)
		if said := strings.Join(strings.Fields(got.stderr), " "); got.exit != 0 || !strings.Contains(said, c.says) {
			t.Errorf("%q of %s: %+v", c.flags, c.words, got)
		}
		if labels := captured(t, dir); !slices.Equal(labels, c.want) {
			t.Errorf("%q of %s captured %q, want %q", c.flags, c.words, labels, c.want)
		}
		r := reportOf(t, filepath.Join(dir, "t.mtrace"))
		committed := 0
		for _, word := range strings.Fields(c.words) {
			if len(word) == 1 || word == "before" || word == "after" {
				committed++
			}
		}
		if count(r, "commit") != int64(committed) || r.Lost.Total != 0 {
			t.Errorf("%q: %d commits recorded, want %d; lost %+v", c.flags, count(r, "commit"), committed, r.Lost)
		}
	}
	dir := t.TempDir()
	there := sh(t, dir, []string{"MTRACE_GPUTRACE=mark:go", "MTRACE_GPUTRACE_OUT=" + filepath.Join(dir, "t")},
		tool.mtrace, "run", "--", "python3", program, filepath.Dir(workload(t)), dir, "mark:go", "a")
	if said := strings.Join(strings.Fields(there.stderr), " "); there.exit != 0 ||
		!strings.Contains(said, "Metal's capture from mark go: there is none: Capturing is not supported") {
		t.Errorf("without MTL_CAPTURE_ENABLED: %+v", there)
	}
	if got := sh(t, "", nil, tool.mtrace, "run", "--gputrace", "epoch", "--", "true"); got.exit != 2 ||
		!strings.Contains(got.stderr, "--gputrace must be scope:NAME or mark:NAME") {
		t.Errorf("neither a scope nor a mark: %+v", got)
	}
}
