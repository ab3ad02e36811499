package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
	"mtrace/fixtures/schema"
)

// TestTail: calls of a program come while it runs, each line of the published schema; when it ends, so does the stream,
// and its lines make the trace.
func TestTail(t *testing.T) {
	t.Parallel()
	needTruth(t)
	dir := t.TempDir()
	trace, over := filepath.Join(dir, "t.mtrace"), filepath.Join(dir, "over")
	run := exec.Command(tool.mtrace, "run", "--no-report", "-o", trace, "--", "python3", phases(t), "gelu", "until:"+over)
	startInTime(t, run)
	waitFor(t, "the trace", func() bool { return cli.Exists(trace + cli.PartSuffix) })
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
		if got := sh(t, "", nil, tool.mtrace, args...); got.exit != cli.ExitUsage || strings.Count(got.stderr, "\n") != 1 ||
			got.stdout != "" {
			t.Errorf("%q: %+v", args, got)
		}
	}
}

// TestTailEndsWithItsWriter: tail ends with status 2 when no process writes the trace any more, and not before: a
// recording of an idle program is followed to its end. At a cut trace, tail never ended.
func TestTailEndsWithItsWriter(t *testing.T) {
	t.Parallel()
	trace, err := os.ReadFile(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	cut := filepath.Join(dir, "cut.mtrace")
	if err := os.WriteFile(cut, trace[:len(trace)*2/3], 0o644); err != nil {
		t.Fatal(err)
	}
	ended := func(got outcome) bool {
		return got.exit == cli.ExitUsage && strings.Contains(got.stderr, "no process writes to it any more") &&
			strings.Count(got.stderr, "\n") == 1 && got.stdout != ""
	}
	if got := sh(t, dir, nil, tool.mtrace, "tail", cut); !ended(got) {
		t.Errorf("of a cut trace: %+v", got)
	}
	for _, killed := range []bool{true, false} {
		path := filepath.Join(dir, fmt.Sprint("killed-", killed, ".mtrace"))
		run := exec.Command(tool.mtrace, "run", "--no-report", "-o", path, "--", "sleep", "5")
		startInTime(t, run)
		waitFor(t, "the trace", func() bool { return cli.Exists(path + cli.PartSuffix) })
		done := make(chan outcome, 1)
		begin := time.Now()
		go func() { done <- sh(t, dir, nil, tool.mtrace, "tail", path) }()
		if killed {
			time.Sleep(500 * time.Millisecond)
			run.Process.Kill()
		}
		got := <-done
		run.Wait()
		if took := time.Since(begin); killed && !ended(got) || !killed && (got.exit != 0 || took < 4*time.Second) {
			t.Errorf("killed %v: after %v %+v", killed, took, got)
		}
	}
}
