package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze/scaling"
	"mtrace/cmd/mtrace/internal/cli"
)

// sweepDocument is the part of mtrace.scaling/1 that the tests look at.
type sweepDocument struct {
	Schema   string
	Software bool `json:"software_metal"`
	Series   []struct {
		Rows []struct {
			Threads    int
			Runs       int
			Throughput float64 `json:"ops_per_s"`
			Speedup    float64
		}
		USL     *struct{ Points int }
		Refused string `json:"fit_refused"`
	}
	Counted  string `json:"ops_source"`
	Verdicts []scaling.Verdict
	Times    []scaling.Time
}

// pageDocument is a document in a page of plots.
func pageDocument(t *testing.T, path, name string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(text), `id="page-data">`)
	data, _, _ := strings.Cut(rest, "</script>")
	var documents map[string]json.RawMessage
	if err := json.Unmarshal([]byte(data), &documents); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return compact(t, string(documents[name]))
}

// compact is a JSON text without blanks, its objects in the order of their keys.
func compact(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	short, _ := json.Marshal(value)
	return string(short)
}

// A sweep of the workload: a table, a fit, a verdict for each number of threads, the traces kept and a plot.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "sweep", "--threads", "4,1,2,3", "--json", "--plot", "p.svg", "--html", "p.html",
		"-o", "traces", "--",
		"python3", workload(t), "--op", "axpy", "--size", "4096", "--iters", "20", "--threads={threads}", "--json")
	var doc sweepDocument
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 || got.stderr != "" {
		t.Fatalf("%v: %+v", err, got)
	}
	if page := pageDocument(t, filepath.Join(dir, "p.html"), "sweep"); page != compact(t, got.stdout) {
		t.Errorf("the page has\n%s\nand --json\n%s", page, compact(t, got.stdout))
	}
	for _, x := range doc.Times {
		sum := 0.0
		for _, share := range x.Shares {
			sum += share
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Errorf("with %d threads the shares of time add up to %v", x.Threads, sum)
		}
	}
	rows := doc.Series[0].Rows
	if len(doc.Times) != 4 || doc.Schema != scaling.Schema || len(rows) != 4 || len(doc.Verdicts) != 4 ||
		doc.Series[0].USL == nil && doc.Series[0].Refused == "" || !strings.Contains(doc.Counted, "reported by the program") {
		t.Fatalf("%+v", doc)
	}
	for i, r := range rows {
		if r.Threads != i+1 || !(r.Throughput > 0) || r.Runs != 1 || doc.Verdicts[i].Threads != r.Threads ||
			doc.Verdicts[i].Verdict == "" {
			t.Errorf("row %d: %+v, %+v", i, r, doc.Verdicts[i])
		}
		if _, err := os.Stat(filepath.Join(dir, doc.Verdicts[i].Traces[0])); err != nil {
			t.Error(err)
		}
	}
	if plot, err := os.ReadFile(filepath.Join(dir, "p.svg")); err != nil || !strings.HasPrefix(string(plot), "<?xml") {
		t.Errorf("the plot: %v", err)
	}
}

// If the program prints no throughput the command buffers in the trace are counted; with three numbers of threads there
// is a table and no fit, and that is reported.
func TestSweepCountsItself(t *testing.T) {
	dir := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "sweep", "--threads", "1,2", "--runs", "2", "--", "python3", workload(t), "--op",
		"axpy", "--size", "4096", "--iters", "20", "--threads", "{threads}")
	for _, want := range []string{"counted in the trace", "no fit: 2 different numbers of threads", "threads  verdict",
		"runs  spread"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	if left, _ := os.ReadDir(dir); got.exit != 0 || len(left) > 0 {
		t.Errorf("exit %d, and left behind: %v", got.exit, left)
	}
}

func TestSweepRefuses(t *testing.T) {
	dir := t.TempDir()
	refused(t, dir, map[string]struct {
		args []string
		says string
	}{
		"no program":     {[]string{"sweep"}, "no program to run"},
		"no place":       {[]string{"sweep", "--", "true"}, "insert {threads}"},
		"zero threads":   {[]string{"sweep", "--threads", "0,1", "--", "true", "{threads}"}, "1 or more"},
		"a number twice": {[]string{"sweep", "--threads", "2,2", "--", "true", "{threads}"}, "twice"},
		"no number":      {[]string{"sweep", "--threads", "many", "--", "true", "{threads}"}, "invalid argument"},
		"no runs":        {[]string{"sweep", "--runs", "0", "--", "true", "{threads}"}, "at least 1 run"},
		"a bad plot":     {[]string{"sweep", "--plot", "p.bmp", "--", "true", "{threads}"}, "the name must end in .svg"},
		"a plot nowhere": {[]string{"sweep", "--plot", "none/p.svg", "--", "true", "{threads}"}, "no folder none"},
		"a page nowhere": {[]string{"sweep", "--html", "none/p.html", "--", "true", "{threads}"}, "no folder none"},
		"two on one output": {[]string{"sweep", "--html", "-", "--json", "--", "true", "{threads}"},
			"name a file for the page"},
		"a failing program": {[]string{"sweep", "--", "sh", "-c", "exit 3", "{threads}"},
			"with --threads 1 the program ended with status 3"},
		"its last words": {[]string{"sweep", "--", "sh", "-c", "echo one; echo too many threads; exit 3", "{threads}"},
			`sh -c echo one; echo too many threads; exit 3 1; it printed last: "too many threads"`},
		"no throughput": {[]string{"sweep", "--", "sh", "-c", `echo '{"ops_per_s": -4}'`, "{threads}"},
			"with --threads 1 the program printed ops_per_s -4, which must be above 0"},
		"no Metal": {[]string{"sweep", "--", "sh", "-c", "true", "{threads}"}, "no command buffer completed"},
	})
	if got := sh(t, dir, nil, tool.mtrace, "sweep", "--", "no-such-program", "{threads}"); got.exit != 127 ||
		strings.Count(got.stderr, "\n") != 1 {
		t.Errorf("a program that is not there: %+v", got)
	}
}

// Control-C, which the terminal also sends to the program, ends the sweep: a table of a part would look like the whole.
// It also ends the sweep if the program catches the signal and exits with 0: the output of such a run was once read as
// a throughput, and the next run was started.
func TestSweepInterrupted(t *testing.T) {
	for _, c := range []struct {
		name, script string
		signal       syscall.Signal
		group        bool
		exit         int
	}{
		{"it dies of it", "echo > started; exec sleep 20", syscall.SIGINT, true, 130},
		{"it ends well", "trap 'exit 0' INT; echo '{\"ops_per_s\": 5}'; echo > started; while :; do sleep 0.05; done",
			syscall.SIGINT, true, 130},
		{"terminated alone", "trap 'exit 0' TERM; echo '{\"ops_per_s\": 5}'; echo > started; while :; do sleep 0.05; done",
			syscall.SIGTERM, false, 143},
	} {
		t.Run(c.name, func(t *testing.T) {
			var stdout, stderr bytes.Buffer
			dir := t.TempDir()
			cmd := exec.Command(tool.mtrace, "sweep", "--", "sh", "-c", c.script, "{threads}")
			cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, &stderr
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			startInTime(t, cmd)
			for range 500 {
				if _, err := os.Stat(filepath.Join(dir, "started")); err == nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			to := cmd.Process.Pid
			if c.group {
				to = -to
			}
			if err := syscall.Kill(to, c.signal); err != nil {
				t.Fatal(err)
			}
			cmd.Wait()
			if exit := cli.ExitStatus(waitStatus(cmd)); exit != c.exit || stdout.Len() > 0 ||
				strings.Count(stderr.String(), "\n") != 1 || !strings.Contains(stderr.String(), "interrupted") {
				t.Errorf("exit %d, %q, %q", exit, stdout.String(), stderr.String())
			}
		})
	}
}

// The scaling table of field report R1, figure for figure, if the program prints its throughputs; {threads} is replaced
// wherever it is.
func TestSweepOfReportedFigures(t *testing.T) {
	const script = `case $0 in 1) x=65179;; 2) x=114548;; 4) x=165172;; 8) x=203897;; esac; [ "$1" = "a$0b$0" ] && ` +
		`echo "{\"ops_per_s\": $x}"`
	got := sh(t, t.TempDir(), nil, tool.mtrace, "sweep", "--threads", "8,1,2,4", "--", "sh", "-c", script, "{threads}",
		"a{threads}b{threads}")
	for _, want := range []string{"2  114,548    1.76x       87.9%", "4  165,172    2.53x       63.4%",
		"8  203,897    3.13x       39.1%", "knee: 2 threads", "(not enough data)"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in %+v", want, got)
		}
	}
	if got.exit != 0 || strings.Contains(got.stdout, "cause at the knee") {
		t.Errorf("a program without Metal has no cause: %+v", got)
	}
}
