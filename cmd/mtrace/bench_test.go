package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mtrace/cmd/mtrace/internal/bench"
	"mtrace/cmd/mtrace/internal/cli"
)

const shaders = "../../shaders"

// buildRawmetal builds the benchmark program into the tool's folder, once.
var buildRawmetal = sync.OnceValues(func() ([]byte, error) {
	return saidBy(exec.Command("../../fixtures/rawmetal/build.sh", tool.dir), commandLimit)
})

func needRawmetal(t *testing.T) {
	t.Helper()
	if out, err := buildRawmetal(); err != nil {
		t.Fatalf("rawmetal does not build: %v\n%s", err, out)
	}
}

// benchReport has the keys of the JSON document that the tests read.
type benchReport struct {
	Schema     string
	Conditions struct {
		Host struct {
			Device   string
			Software bool `json:"software_metal"`
		}
		Traced bool
	}
	Benches []struct {
		Name  string
		Cases []struct {
			Case    map[string]string
			Metrics map[string]struct {
				Samples     int
				Min, Median float64
			}
		}
		Tables []struct{ Rows [][]string }
		Checks []struct {
			OK       bool
			Compared int
		}
		Traces []string
	}
}

// runBench runs `mtrace bench` with few operations, in a folder of its own, and decodes its document.
func runBench(t *testing.T, dir string, args ...string) benchReport {
	t.Helper()
	kernels, err := filepath.Abs(shaders)
	if err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, append([]string{"bench", "--quick", "--json", "--shaders", kernels}, args...)...)
	if got.exit != 0 || got.stderr != "" {
		t.Fatalf("bench %v: exit %d, stderr %q", args, got.exit, got.stderr)
	}
	var r benchReport
	if err := json.Unmarshal([]byte(got.stdout), &r); err != nil {
		t.Fatalf("bench %v: %v", args, err)
	}
	return r
}

// Every benchmark runs for real, its results are right, every metric has samples and every table rows.
func TestBenchEveryName(t *testing.T) {
	t.Parallel()
	needRawmetal(t)
	r := runBench(t, t.TempDir(), "all", "--iters", "6", "--rounds", "2", "--threads", "1,2", "--elements", "1000",
		"--sizes", "32")
	if r.Schema != "mtrace.bench/1" || r.Conditions.Host.Device == "" {
		t.Errorf("schema %q, device %q", r.Schema, r.Conditions.Host.Device)
	}
	if _, software := cli.SoftwareMetal(); software && !r.Conditions.Host.Software {
		t.Error("a software Metal is not said to be one")
	}
	if len(r.Benches) != len(bench.All()) {
		t.Errorf("%d benchmarks ran, want %d", len(r.Benches), len(bench.All()))
	}
	for _, b := range r.Benches {
		compared := 0
		for _, check := range b.Checks {
			compared += check.Compared
			if !check.OK {
				t.Errorf("%s: a wrong result", b.Name)
			}
		}
		if compared == 0 && b.Name != "acquire" {
			t.Errorf("%s: no result was checked", b.Name)
		}
		if len(b.Cases) == 0 || len(b.Tables) == 0 {
			t.Errorf("%s: %d cases, %d tables", b.Name, len(b.Cases), len(b.Tables))
		}
		for _, c := range b.Cases {
			for metric, m := range c.Metrics {
				if m.Samples == 0 || strings.HasSuffix(metric, "_ns") && m.Median < 0 || metric == "ops_per_s" && m.Min <= 0 {
					t.Errorf("%s %v %s: %+v", b.Name, c.Case, metric, m)
				}
			}
		}
		for _, table := range b.Tables {
			if len(table.Rows) == 0 {
				t.Errorf("%s: an empty table", b.Name)
			}
		}
	}
}

// Each way to wait makes the same results.
func TestBenchSync(t *testing.T) {
	t.Parallel()
	needRawmetal(t)
	for _, mode := range []string{"wait", "event", "device", "none"} {
		r := runBench(t, t.TempDir(), "scaling", "axpy", "--iters", "40", "--rounds", "2", "--threads", "3", "--elements",
			"100", "--sync", mode)
		for _, b := range r.Benches {
			for _, c := range b.Cases {
				if c.Case["sync"] != mode {
					t.Errorf("%s: %v, want sync %s", b.Name, c.Case, mode)
				}
			}
			for _, check := range b.Checks {
				if !check.OK || check.Compared != 3*100 {
					t.Errorf("%s %s: %+v, want 300 right values", b.Name, mode, check)
				}
			}
		}
	}
}

// Under the tracer a benchmark leaves a trace with its calls, which can be reported.
func TestBenchTraced(t *testing.T) {
	t.Parallel()
	needRawmetal(t)
	dir := t.TempDir()
	r := runBench(t, dir, "scaling", "--trace", "--iters", "60", "--rounds", "2", "--threads", "1,2", "--elements", "100")
	if len(r.Benches) != 1 || len(r.Benches[0].Traces) != 1 || !r.Conditions.Traced {
		t.Fatalf("no trace: %+v", r)
	}
	report := sh(t, dir, nil, tool.mtrace, "report", "--json", r.Benches[0].Traces[0])
	var document struct {
		Calls []struct {
			Selector string
			Count    int
		}
	}
	if err := json.Unmarshal([]byte(report.stdout), &document); err != nil || report.exit != 0 {
		t.Fatalf("the trace does not report: exit %d, %v, %s", report.exit, err, report.stderr)
	}
	commits := 0
	for _, c := range document.Calls {
		if c.Selector == "commit" {
			commits += c.Count
		}
	}
	// Rounds: 2 × 30 operations by 1, 2 shared and 2 separate threads; before them 200 warm-up operations by each.
	if want := (2*30 + 200) * 5; commits != want {
		t.Errorf("%d commits in the trace, want %d", commits, want)
	}
}

// A kernel that computes something else must not get a good mark for its speed.
func TestBenchWrongResult(t *testing.T) {
	needRawmetal(t)
	dir := t.TempDir()
	source, err := os.ReadFile(filepath.Join(shaders, "axpy.metal"))
	if err != nil {
		t.Fatal(err)
	}
	broken := strings.Replace(string(source), "y[i] = fma(a, x[i], y[i])", "y[i] = fma(a, x[i], y[i]) + (i == 5 ? 1 : 0)",
		1)
	if broken == string(source) {
		t.Fatal("axpy.metal is not as this test expects")
	}
	if err := os.WriteFile(filepath.Join(dir, "axpy.metal"), []byte(broken), 0o644); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, "bench", "scaling", "--quick", "--iters", "6", "--threads", "1", "--shaders", dir)
	if got.exit != 1 || !strings.Contains(got.stdout, "WRONG RESULT: scaling all: element 5 is") ||
		!strings.Contains(got.stderr, "wrong result") {
		t.Errorf("exit %d\n%s\n%s", got.exit, got.stdout, got.stderr)
	}
}

func TestBenchClaims(t *testing.T) {
	needRawmetal(t)
	kernels, _ := filepath.Abs(shaders)
	dir := t.TempDir()
	for _, c := range []struct {
		name, target string
		exit         int
		says         string
	}{
		{"holds", `{"at_least":0.5,"unit":"share"}`, 0, "1 PASS, 0 FAIL, 0 SKIPPED"},
		{"fails", `{"at_least":1.5,"unit":"share"}`, 1, "0 PASS, 1 FAIL, 0 SKIPPED"},
	} {
		path := filepath.Join(dir, c.name+".json")
		claims := `{"schema":"mtrace.bench-claims/1","title":"Claims","claims":[{"id":"x","claim":"fewer allocations",
			"about":"host",
			"measure":{"bench":"pool","kind":"reduction","of":{"case":"buffers=pooled","metric":"allocations"},
			"to":{"case":"buffers=new","metric":"allocations"}},
			"target":` + c.target + `}]}`
		if err := os.WriteFile(path, []byte(claims), 0o644); err != nil {
			t.Fatal(err)
		}
		got := sh(t, dir, nil, tool.mtrace, "bench", "pool", "--quick", "--iters", "12", "--shaders", kernels, "--claims",
			path)
		if got.exit != c.exit || !strings.Contains(got.stdout, c.says) {
			t.Errorf("%s: exit %d, want %d and %q\n%s%s", c.name, got.exit, c.exit, c.says, got.stdout, got.stderr)
		}
	}
}

func TestBenchBadUsage(t *testing.T) {
	needRawmetal(t)
	dir := t.TempDir()
	script := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return "MTRACE_RAWMETAL=" + path
	}
	notClaims := filepath.Join(dir, "claims.json")
	if err := os.WriteFile(notClaims, []byte(`{"schema":"x"}`), 0o644); err != nil {
		t.Fatal(err)
	}
	kernels, _ := filepath.Abs(shaders)
	ours := []string{"--shaders", kernels}
	for _, c := range []struct {
		name string
		env  string
		args []string
		exit int
		says string
	}{
		{"no name", "", nil, 2, "which benchmark?"},
		{"no such name", "", []string{"speed"}, 2, `no benchmark "speed"`},
		{"no such way to wait", "", []string{"scaling", "--sync", "never"}, 2, "wait, event, device or none"},
		{"no threads", "", []string{"scaling", "--threads", "0"}, 2, "numbers from 1 to 256"},
		{"too many values", "", []string{"scaling", "--threads", strings.Repeat("1,", 16) + "1"}, 2, "at most 16"},
		{"elements that are no number", "", []string{"axpy", "--elements", "many"}, 2, "--elements"},
		{"two formats", "", []string{"axpy", "--json", "--markdown"}, 2, "exclude each other"},
		{"overhead traced", "", []string{"overhead", "--trace"}, 2, "which it starts itself"},
		{"claims that are not there", "", []string{"pool", "--claims", filepath.Join(dir, "none")}, 2,
			"cannot read the claims"},
		{"claims that are none", "", []string{"pool", "--claims", notClaims}, 2, "not a file of claims"},
		{"kernels that are not there", "", []string{"pool", "--shaders", dir}, 2, "no axpy.metal"},
		{"no rawmetal", "MTRACE_RAWMETAL=" + filepath.Join(dir, "none"), append([]string{"pool"}, ours...), 2,
			"does not exist"},
		{"results cut", script("cut", `echo '{"type":"progress","bench":"pool","case":"x","done":0,"total":1}'`),
			append([]string{"pool"}, ours...), 1, "results are incomplete"},
		{"results that are none", script("nonsense", `echo hello`), append([]string{"pool"}, ours...), 1,
			"line 1 of the results"},
		{"a run that fails", script("fails", "echo first >&2; echo 'no more memory' >&2; exit 1"),
			append([]string{"pool"}, ours...), 1, "no more memory"},
		{"a run that finds no Metal", script("refuses", "echo 'this machine has no Metal' >&2; exit 2"),
			append([]string{"pool"}, ours...), 2, "no Metal"},
		{"a run that is killed", script("killed", "kill -KILL $$"), append([]string{"pool"}, ours...), 1, "killed"},
		// The story: on a busy machine the process of a benchmark had died of ^C before mtrace noticed it, and mtrace
		// reported a failure.
		{"a run that is interrupted", script("interrupted", "kill -INT $$"), append([]string{"pool"}, ours...), 130,
			"interrupted"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var env []string
			if c.env != "" {
				env = append(env, c.env)
			}
			got := sh(t, dir, env, tool.mtrace, append([]string{"bench"}, c.args...)...)
			if got.exit != c.exit || got.stdout != "" || strings.Count(got.stderr, "\n") != 1 ||
				!strings.Contains(got.stderr, c.says) {
				t.Errorf("exit %d, want %d; want one line with %q and nothing on stdout, got %q and %q", got.exit, c.exit, c.says,
					got.stderr, got.stdout)
			}
		})
	}
}

// An interrupted benchmark ends at once, with the status of one, and leaves neither processes nor files.
func TestBenchInterrupted(t *testing.T) {
	t.Parallel()
	needRawmetal(t)
	kernels, _ := filepath.Abs(shaders)
	dir := t.TempDir()
	ended, group := interrupted(t, dir, []string{"TMPDIR=" + dir}, after(2*time.Second), tool.mtrace, "bench", "scaling",
		"--iters", "100000000", "--shaders", kernels)
	if got := cli.ExitStatus(ended); got != 130 {
		t.Errorf("exit %d, want 130", got)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "mtrace-bench-*")); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	// A process that has ended exists until its current parent waits for it.
	waitFor(t, "the end of each of its processes", func() bool { return syscall.Kill(-group, 0) != nil })
}

// If one of several benchmarks fails, the others are reported all the same, and the exit status shows the failure.
func TestBenchOneOfSeveralFails(t *testing.T) {
	needRawmetal(t)
	dir := t.TempDir()
	script := filepath.Join(dir, "sometimes")
	text := "#!/bin/sh\n[ $1 = pool ] && { echo 'rawmetal: out of memory' >&2; exit 1; }\nexec " +
		filepath.Join(tool.dir, "rawmetal") + " \"$@\"\n"
	if err := os.WriteFile(script, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	kernels, _ := filepath.Abs(shaders)
	got := sh(t, dir, []string{"MTRACE_RAWMETAL=" + script}, tool.mtrace, "bench", "pool", "acquire", "--quick",
		"--iters", "6", "--shaders", kernels)
	if got.exit != 1 || !strings.Contains(got.stdout, "Acquiring a command buffer") ||
		got.stderr != "mtrace bench: pool: rawmetal: out of memory\n" {
		t.Errorf("exit %d\n%s\n%q", got.exit, got.stdout, got.stderr)
	}
}

// A tracer that records nothing costs nothing. The benchmark of the tracer's cost once would have praised it for that.
func TestBenchOverheadOfNothing(t *testing.T) {
	needRawmetal(t)
	empty := filepath.Join(t.TempDir(), cli.LibraryName())
	if out, err := saidBy(exec.Command("cc", "-shared", "-x", "c", "-o", empty, "/dev/null"), commandLimit); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	kernels, _ := filepath.Abs(shaders)
	got := sh(t, t.TempDir(), []string{"MTRACE_LIBRARY=" + empty}, tool.mtrace, "bench", "overhead", "--quick",
		"--rounds", "1", "--iters", "6", "--threads", "1", "--shaders", kernels)
	if got.exit != 1 || !strings.Contains(got.stdout,
		"WRONG RESULT: overhead commit in the trace: only 0 of ") {
		t.Errorf("exit %d\n%s\n%s", got.exit, got.stdout, got.stderr)
	}
}
