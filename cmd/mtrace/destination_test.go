package main

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/creack/pty"
	pprof "github.com/google/pprof/profile"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
	"mtrace/fixtures/schema"
)

// TestRunWritesReportElsewhere: `mtrace run --json` printed its report after the program's output to the same stream,
// and a reader of one got the other.
func TestRunWritesReportElsewhere(t *testing.T) {
	t.Parallel()
	needTruth(t)
	client := buildShapesClient(t)
	dir := t.TempDir()
	report := filepath.Join(dir, "report.json")
	// The program prints a text that looks like a report, and the descriptors that it has.
	script := `"$0" classes 3 >/dev/null; echo '{"schema": "mine"}'; [ ! -e /dev/fd/7 ] || echo "it has 7"`
	for name, line := range map[string]string{
		"a file":       `"$MTRACE" run -o t.mtrace --json=report.json -- sh -c "$SCRIPT" "$CLIENT"`,
		"a descriptor": `"$MTRACE" run -o t.mtrace --json=fd:7 -- sh -c "$SCRIPT" "$CLIENT" 7>report.json`,
		"a pipe": `"$MTRACE" run -o t.mtrace --json=/dev/fd/7 -- sh -c "$SCRIPT; exec 7>&-" "$CLIENT" 7>&1 >out | ` +
			`cat >report.json; cat out`,
	} {
		for _, left := range []string{"t.mtrace", "report.json"} {
			os.Remove(filepath.Join(dir, left))
		}
		got := sh(t, dir, []string{"MTRACE=" + tool.mtrace, "SCRIPT=" + script, "CLIENT=" + client}, "sh", "-c", line)
		// the program has this pipe too, by its number: the shell was not started with --json=fd:7
		if name == "a pipe" {
			got.stdout = strings.Replace(got.stdout, "it has 7\n", "", 1)
		}
		if got.exit != 0 || got.stdout != "{\"schema\": \"mine\"}\n" ||
			!strings.HasPrefix(got.stderr, "mtrace: wrote t.mtrace, ") || strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%s: %+v", name, got)
		}
		text, err := os.ReadFile(report)
		if err == nil {
			err = schema.Validate("../..", text)
		}
		if err != nil || !bytes.Contains(text, []byte(`"mtrace.report/1"`)) {
			t.Errorf("%s: %v in %.100s", name, err, text)
		}
	}
	for name, args := range map[string][]string{
		"no number":     {"--json=fd:x", "--", "true"},
		"nothing there": {"--json=fd:8", "--", "true"},
		"no folder":     {"--json=nowhere/report.json", "--", "true"},
		"a folder":      {"--json=.", "--", "true"},
		"empty":         {"--json=", "--", "true"},
		"a space for =": {"--json", "report.json", "--", "true"},
		"trace to -":    {"-o", "-", "--", "true"},
		"no yes or no":  {"--keep-empty=maybe", "--", "true"},
	} {
		empty := t.TempDir()
		if got := sh(t, empty, nil, tool.mtrace, append([]string{"run"}, args...)...); got.exit != cli.ExitUsage ||
			strings.Count(got.stderr, "\n") != 1 || got.stdout != "" || len(files(t, empty)) > 0 {
			t.Errorf("%s: %+v, left %q", name, got, files(t, empty))
		}
	}
}

// TestRunSaysWhatItLeaves: the last line on standard error is the trace and its size. For a program that used no Metal
// no trace is left, unless it was requested.
func TestRunSaysWhatItLeaves(t *testing.T) {
	t.Parallel()
	needTruth(t)
	for _, c := range []struct {
		args  []string
		says  string // the last line on standard error
		files int
	}{
		{[]string{"--", buildShapesClient(t), "classes", "3"}, "mtrace: wrote client-", 1},
		{[]string{"--", "true"}, "mtrace: no Metal call was recorded, so the empty trace was removed; " +
			"--keep-empty keeps it\n", 0},
		{[]string{"--json", "--", "true"},
			"mtrace: no Metal call was recorded, so the empty trace was removed; --keep-empty keeps it\n", 0},
		{[]string{"--keep-empty", "--", "true"}, "mtrace: wrote true-", 1},
		{[]string{"-o", "t.mtrace", "--", "true"}, "mtrace: wrote t.mtrace, ", 1},
		{[]string{"--keep-empty=false", "-o", "t.mtrace", "--", "true"},
			"mtrace: no Metal call was recorded, so the empty trace was removed", 0},
		{[]string{"--no-report", "--", "true"}, "", 1}, // it prints nothing that may become another program's input
		{[]string{"--no-report", "--keep-empty=false", "--", "true"}, "", 0},
	} {
		dir := t.TempDir()
		got := sh(t, dir, nil, tool.mtrace, append([]string{"run"}, c.args...)...)
		lines := strings.SplitAfter(strings.TrimSuffix(got.stderr, "\n"), "\n")
		last := strings.TrimSuffix(lines[len(lines)-1], "\n")
		left := files(t, dir)
		if got.exit != 0 || !strings.HasPrefix(last, strings.TrimSuffix(c.says, "\n")) || c.says == "" && last != "" ||
			len(left) != c.files {
			t.Errorf("%q: %+v, left %q", c.args, got, left)
		}
		if c.files == 1 && c.says != "" && !strings.HasPrefix(last, "mtrace: wrote "+left[0]+", ") {
			t.Errorf("%q says %q and left %q", c.args, last, left)
		}
	}
}

// TestDashIsStandardOutput: wherever a file can be named, - is standard output, with nothing else on it. `mtrace pprof
// -o -` made a file of that name.
func TestDashIsStandardOutput(t *testing.T) {
	t.Parallel()
	trace, err := filepath.Abs(smallTrace(t))
	if err != nil {
		t.Fatal(err)
	}
	claims := filepath.Join(t.TempDir(), "claims.json")
	if err := os.WriteFile(claims, []byte(`{"claims": [{"title": "it is", "expr": "gpu.busy_share > 0"}]}`),
		0o644); err != nil {
		t.Fatal(err)
	}
	isXML := func(text string) error {
		d := xml.NewDecoder(strings.NewReader(text))
		for {
			if _, err := d.Token(); err == io.EOF {
				return nil
			} else if err != nil {
				return err
			}
		}
	}
	for _, c := range []struct {
		args   []string
		begins string
		check  func(string) error
	}{
		{[]string{"report", "--html", "-", trace}, "<!", nil},
		{[]string{"report", "--json", trace}, "{", func(s string) error { return schema.Validate("../..", []byte(s)) }},
		{[]string{"report", "--json=-", trace}, "{", func(s string) error { return schema.Validate("../..", []byte(s)) }},
		{[]string{"pprof", "--type", "wait", "-o", "-", trace}, "\x1f\x8b",
			func(s string) error { _, err := pprof.ParseData([]byte(s)); return err }},
		{[]string{"pprof", "--type", "wait", "--format", "folded", "-o", "-", trace}, "", nil},
		{[]string{"check", "--claims", claims, "--junit", "-", trace}, "<?xml", isXML},
		{[]string{"diff", "--fail-over", "10", "--junit", "-", trace, trace}, "<?xml", isXML},
		{[]string{"export", "--format", "chrome", "-o", "-", trace}, "{", nil},
		{[]string{"repair", "-o", "-", trace}, "\x89MTRACE\n", func(s string) error {
			path := filepath.Join(t.TempDir(), "t.mtrace")
			if err := os.WriteFile(path, []byte(s), 0o644); err != nil {
				return err
			}
			r, err := tracefile.Open(path)
			if err == nil {
				r.Close()
			}
			return err
		}},
	} {
		dir := t.TempDir()
		got := sh(t, dir, nil, tool.mtrace, c.args...)
		if got.exit != 0 || !strings.HasPrefix(got.stdout, c.begins) || got.stdout == "" || len(files(t, dir)) > 0 {
			t.Errorf("%q: exit status %d, %q, %.60q, left %q", c.args, got.exit, got.stderr, got.stdout, files(t, dir))
		}
		if c.check != nil {
			if err := c.check(got.stdout); err != nil {
				t.Errorf("%q: %v", c.args, err)
			}
		}
	}
	for _, args := range [][]string{
		{"report", "--html", "-", "--json", trace}, {"report", "--json=a.json", trace, trace}, {"pprof", "-o", "-", trace},
		{"check", "--claims", claims, "--junit", "-", "--json", trace}, {"diff", "--fail-over", "10", "--junit", "-",
			"--markdown", trace, trace},
		{"sweep", "--plot", "-", "--json", "--", "true", "{threads}"}, {"report", "--json=" + trace, trace},
	} {
		dir := t.TempDir()
		if got := sh(t, dir, nil, tool.mtrace, args...); got.exit != cli.ExitUsage || strings.Count(got.stderr, "\n") != 1 ||
			got.stdout != "" || len(files(t, dir)) > 0 {
			t.Errorf("%q: %+v, left %q", args, got, files(t, dir))
		}
	}
}

// TestColoursAreForTerminals: decisions have colours on a terminal, unless NO_COLOR is set, and nowhere else.
func TestColoursAreForTerminals(t *testing.T) {
	t.Parallel()
	claims := filepath.Join(t.TempDir(), "claims.json")
	text := `{"claims": [{"title": "A", "expr": "gpu.busy_share > 0"}, {"title": "PASS is a word", "expr": ` +
		`"gpu.busy_share > 2"}]}`
	if err := os.WriteFile(claims, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	trace := smallTrace(t)
	for env, coloured := range map[string]bool{"NO_COLOR=": true, "NO_COLOR=1": false} {
		for _, args := range [][]string{{"check", "--claims", claims, trace}, {"report", trace},
			{"diff", "--fail-over", "10", trace, trace}} {
			cmd := exec.Command(tool.mtrace, args...)
			cmd.Env = append(os.Environ(), env)
			screen, err := pty.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			endInTime(t, cmd)
			seen, _ := io.ReadAll(screen) // which ends with an error when the other side is closed
			cmd.Wait()
			screen.Close()
			if got := bytes.Contains(seen, []byte("\x1b[")); got != coloured || len(seen) == 0 {
				t.Errorf("%s %q: coloured %v\n%s", env, args, got, seen)
			}
			if args[0] == "check" && coloured && (!bytes.Contains(seen, []byte("\x1b[32m  PASS\x1b[0m")) ||
				!bytes.Contains(seen, []byte("\x1b[1;31m  FAIL\x1b[0m")) || bytes.Contains(seen, []byte("mPASS is"))) {
				t.Errorf("%q", seen)
			}
			if piped := sh(t, "", []string{env}, tool.mtrace, args...); strings.Contains(piped.stdout+piped.stderr, "\x1b") {
				t.Errorf("%q is coloured into a pipe", args)
			}
		}
	}
}

func TestBar(t *testing.T) {
	for want, of := range map[string][2]int64{
		"[........................]   0%": {0, 7}, "[############............]  50%": {1 << 40, 1 << 41},
		"[########################] 100%": {9, 7}, "[######..................]  25%": {1, 4},
	} {
		if got := cli.Bar(of[0], of[1]); got != want {
			t.Errorf("%v: %q", of, got)
		}
	}
	if got := cli.Bar(0, 0); got != "[########################] 100%" {
		t.Errorf("of nothing: %q", got)
	}
}
