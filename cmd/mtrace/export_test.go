package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/convert"
)

// refused runs commands that must end with status 2 and one line that states what is wrong.
func refused(t *testing.T, directory string, cases map[string]struct {
	args []string
	says string
}) {
	t.Helper()
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			got := sh(t, directory, nil, tool.mtrace, c.args...)
			if got.exit != 2 || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, c.says) {
				t.Errorf("%v ends with %d, %q and %q; want 2 and one line with %q", c.args, got.exit, got.stdout, got.stderr,
					c.says)
			}
		})
	}
}

// holdsCalls has for each format a check of a file or folder of it against the number of traced calls. A new format
// fails TestExport until it has its row here.
var holdsCalls = map[string]func(t *testing.T, path string, calls int){
	"perfetto": func(t *testing.T, path string, calls int) {
		if len(contents(t, path)) < calls {
			t.Error("the file is too small for its calls") // analyze/timeline decodes it
		}
	},
	"chrome": func(t *testing.T, path string, calls int) {
		var chrome struct{ TraceEvents []struct{ Ph, Cat string } }
		if err := json.Unmarshal(contents(t, path), &chrome); err != nil {
			t.Fatal(err)
		}
		shown := 0
		for _, e := range chrome.TraceEvents {
			if e.Ph == "X" && e.Cat != "gpu" && e.Cat != "signal given" {
				shown++
			}
		}
		if shown != calls {
			t.Errorf("%d calls of %d", shown, calls)
		}
	},
	"speedscope": func(t *testing.T, path string, calls int) {
		if opened := bytes.Count(contents(t, path), []byte(`{"type":"O"`)); opened < calls { // the GPU's work, too
			t.Errorf("%d slices, %d calls", opened, calls)
		}
	},
	"firefox": func(t *testing.T, path string, calls int) {
		var profile struct {
			Threads []struct {
				Markers struct{ Data []json.RawMessage }
			}
		}
		if err := json.Unmarshal(contents(t, path), &profile); err != nil {
			t.Fatal(err)
		}
		markers := 0
		for _, thread := range profile.Threads {
			markers += len(thread.Markers.Data)
		}
		if markers < calls { // the GPU's work, too
			t.Errorf("%d markers, %d calls", markers, calls)
		}
	},
	"jsonl": func(t *testing.T, path string, calls int) {
		if lines := bytes.Count(contents(t, path), []byte(`{"table":"calls",`)); lines != calls {
			t.Errorf("%d calls of %d", lines, calls)
		}
	},
	"csv": func(t *testing.T, path string, calls int) {
		records, err := csv.NewReader(bytes.NewReader(contents(t, filepath.Join(path, "calls.csv")))).ReadAll()
		if err != nil || len(records)-1 != calls {
			t.Errorf("%d calls of %d, %v", len(records)-1, calls, err)
		}
	},
	"parquet": func(t *testing.T, path string, calls int) {
		file, err := parquet.OpenFile(bytes.NewReader(contents(t, filepath.Join(path, "calls.parquet"))),
			int64(len(contents(t, filepath.Join(path, "calls.parquet")))))
		if err != nil || file.NumRows() != int64(calls) {
			t.Errorf("%v, %v", file, err)
		}
	},
	"sqlite": func(t *testing.T, path string, _ int) { // analyze/table reads its rows
		if !bytes.HasPrefix(contents(t, path), []byte("SQLite format 3\x00")) {
			t.Error("no SQLite database was written")
		}
	},
}

func contents(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// TestExport exports one trace in every format. Each file is whole, is readable, and has as many calls as the report
// counts.
func TestExport(t *testing.T) {
	trace := smallTrace(t)
	dir := t.TempDir()
	var want strings.Builder
	for _, f := range convert.ExportFormats {
		want.WriteString("out/t" + f.Suffix + "\n")
	}
	got := sh(t, dir, nil, tool.mtrace, "export", trace, "--format",
		strings.Join(convert.FormatNames(convert.AnyFormat), ","), "-o", "out")
	if got.exit != 0 || got.stderr != "" || got.stdout != want.String() {
		t.Fatalf("%+v", got)
	}
	var counted struct{ Events int }
	if err := json.Unmarshal([]byte(sh(t, dir, nil, tool.mtrace, "report", "--json", trace).stdout),
		&counted); err != nil || counted.Events == 0 {
		t.Fatalf("%v, %+v", err, counted)
	}
	for _, f := range convert.ExportFormats {
		t.Run(f.Name, func(t *testing.T) {
			check := holdsCalls[f.Name]
			if check == nil {
				t.Fatal("the format has no row in holdsCalls")
			}
			check(t, filepath.Join(dir, "out", "t"+f.Suffix), counted.Events)
		})
	}
	if got := sh(t, dir, nil, tool.mtrace, "export", trace, "--format", "sqlite", "-o", "-"); got.exit != 2 ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a database on standard output: %+v", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "out", "*.part")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
}

func TestExportToStdout(t *testing.T) {
	got := sh(t, "", nil, tool.mtrace, "export", smallTrace(t), "--format", "jsonl", "-o", "-")
	lines := strings.Split(strings.TrimSpace(got.stdout), "\n")
	if got.exit != 0 || !strings.Contains(lines[len(lines)-1], `"schema":"mtrace.events/1"`) {
		t.Errorf("exit %d, %q, the last line is %s", got.exit, got.stderr, lines[len(lines)-1])
	}
}

// A recording of Instruments goes through the same exports: its commits and the GPU's work are on the timeline.
func TestExportOfInstruments(t *testing.T) {
	dir := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "export", exports(t), "--format", "chrome", "-o", "x.json")
	if got.exit != 0 {
		t.Fatalf("%+v", got)
	}
	text, err := os.ReadFile(filepath.Join(dir, "x.json"))
	if err != nil {
		t.Fatal(err)
	}
	var chrome struct{ TraceEvents []struct{ Ph, Cat string } }
	if err := json.Unmarshal(text, &chrome); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, e := range chrome.TraceEvents {
		if e.Ph == "X" {
			count[e.Cat]++
		}
	}
	if count["commit"] != 500 || count["gpu"] < 500 {
		t.Errorf("of 500 command buffers the timeline shows %v", count)
	}
}

func TestExportRefuses(t *testing.T) {
	trace := smallTrace(t)
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, map[string]struct {
		args []string
		says string
	}{
		"no trace":           {[]string{"export", "--format", "jsonl", "-o", "x"}, "give one trace, not 0"},
		"two traces":         {[]string{"export", trace, trace, "--format", "jsonl", "-o", "x"}, "not 2"},
		"no format":          {[]string{"export", trace, "-o", "x"}, "no format: --format perfetto"},
		"unknown format":     {[]string{"export", trace, "--format", "pdf", "-o", "x"}, `no format "pdf"`},
		"a format twice":     {[]string{"export", trace, "--format", "csv,csv", "-o", "x"}, "twice"},
		"no output":          {[]string{"export", trace, "--format", "csv"}, "the output is missing"},
		"missing":            {[]string{"export", "none.mtrace", "--format", "csv", "-o", "x"}, "no such file"},
		"a text":             {[]string{"export", text, "--format", "csv", "-o", "x"}, "not an .mtrace file"},
		"an empty folder":    {[]string{"export", t.TempDir(), "--format", "csv", "-o", "x"}, "folder"},
		"tables to stdout":   {[]string{"export", trace, "--format", "csv", "-o", "-"}, "one file per table"},
		"tables to a file":   {[]string{"export", trace, "--format", "parquet", "-o", text}, "needs a folder"},
		"a file to a folder": {[]string{"export", trace, "--format", "jsonl", "-o", dir}, "is a folder"},
		"no such folder":     {[]string{"export", trace, "--format", "jsonl", "-o", "none/x"}, "no such file"},
		"a range": {[]string{"export", trace, "--format", "jsonl", "-o", "x", "--from", "2s", "--to", "1s"},
			"--to later than --from"},
		"no such process": {[]string{"export", trace, "--format", "jsonl", "-o", "x", "--pid", "1"}, "no process"},
	})
	if left, _ := filepath.Glob(filepath.Join(dir, "x*")); len(left) > 0 {
		t.Errorf("refused, and left behind: %v", left)
	}
}

// The file that a full disk leaves must not look complete.
func TestExportToAFullDisk(t *testing.T) {
	if _, err := os.Stat("/dev/full"); err != nil {
		t.Skip("this system has no /dev/full")
	}
	got := sh(t, "", nil, tool.mtrace, "export", smallTrace(t), "--format", "perfetto", "-o", "/dev/full")
	if got.exit != 2 || !strings.Contains(got.stderr, "no space left") || strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("%+v", got)
	}
}

// An export that is interrupted leaves nothing. A pipe without a reader keeps it waiting.
func TestExportInterrupted(t *testing.T) {
	trace := smallTrace(t)
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skip("no named pipes here: ", err)
	}
	reader, err := os.OpenFile(pipe, os.O_RDWR, 0) // so that opening it to write does not wait
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	cmd := exec.Command(tool.mtrace, "export", trace, "--format", "jsonl", "-o", pipe)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	startInTime(t, cmd)
	time.Sleep(300 * time.Millisecond) // the pipe is full by now
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	left, err := os.ReadDir(dir)
	if exit := cli.ExitStatus(waitStatus(cmd)); exit != 143 || err != nil || len(left) != 1 {
		t.Errorf("exit %d, %q, and there are %v, %v", exit, stderr.String(), left, err)
	}
}

// A cut trace is exported as far as it is readable, and reported as incomplete.
func TestExportOfACutTrace(t *testing.T) {
	trace := smallTrace(t)
	whole, err := os.ReadFile(trace)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cut.mtrace"), whole[:len(whole)-40], 0o644); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, "export", "cut.mtrace", "--format", "jsonl", "-o", "cut.jsonl")
	text, err := os.ReadFile(filepath.Join(dir, "cut.jsonl"))
	if got.exit != 2 || !strings.Contains(got.stderr, "cut") || err != nil ||
		!bytes.Contains(text, []byte(`"warnings":["the file is cut`)) {
		t.Errorf("%+v, %v: %s", got, err, text[max(0, len(text)-400):])
	}
}
