package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/tracefile"
	"mtrace/fixtures/schema"
)

// TestTail: calls of a program come while it runs, each line of the published schema; when it ends, so does the stream, and its lines make the trace.
func TestTail(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	trace, over := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "over")
	run := exec.Command(tool.mtrace, "run", "--no-report", "-o", trace, "--", "python3", phases(t), "gelu", "until:"+over)
	startInTime(t, run)
	waitFor(t, "the trace", func() bool { return exists(trace + partSuffix) })
	tailing := exec.Command(tool.mtrace, "tail", trace)
	out, err := tailing.StdoutPipe()
	tailing.Stderr = os.Stderr
	if err != nil {
		t.Fatal(err)
	}
	startInTime(t, tailing)
	var text bytes.Buffer
	kinds, last := map[string]bool{}, ""
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, 1<<22)
	for commits := 0; lines.Scan(); {
		last = lines.Text()
		text.WriteString(last + "\n")
		if kind := kindOfLine(last); !kinds[kind] { // one of each is enough
			kinds[kind] = true
			if err := schema.ValidateAs("../..", "mtrace.trace/1", []byte(last)); err != nil {
				t.Errorf("%s\n%v", last, err)
			}
		}
		if strings.Contains(last, `"call":"commit"`) {
			if commits++; commits == 30 { // it runs, or nothing would come to an end
				os.WriteFile(over, nil, 0o600)
			}
		}
	}
	if err := tailing.Wait(); err != nil {
		t.Errorf("tail: %v", err)
	}
	if err := run.Wait(); err != nil {
		t.Errorf("run: %v", err)
	}
	var end struct{ Result *tracefile.Result }
	if err := json.Unmarshal([]byte(last), &end); err != nil || end.Result == nil {
		t.Errorf("the last line is %s", last)
	}
	again := filepath.Join(dir, "again.mtrace")
	if err := tracefile.ReadText(&text, again); err != nil {
		t.Fatal(err)
	}
	var events [2]int64
	for i, path := range []string{trace, again} {
		loaded, err := analyze.Load(path, analyze.Options{})
		if err != nil {
			t.Fatal(err)
		}
		events[i] = loaded.Events
	}
	if events[0] != events[1] || events[0] == 0 {
		t.Errorf("the trace has %d calls, the lines %d", events[0], events[1])
	}
	for _, args := range [][]string{{"tail"}, {"tail", "nowhere"}, {"tail", dir}, {"tail", phases(t)}} {
		if got := sh(t, "", nil, tool.mtrace, args...); got.exit != exitUsage || strings.Count(got.stderr, "\n") != 1 || got.stdout != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}
