package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/fixtures/xctrace/export"
)

// exports writes a recording's tables into a directory.
func exports(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	r := export.Record(export.Config{Seed: 1, CommandBuffers: 500, Threads: 4, Wait: true, Compositor: true})
	if err := r.WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// summaryJSON is the part of mtrace.xctrace/1 that the tests look at.
type summaryJSON struct {
	Schema  string
	Subject struct{ PIDs []int }
	Threads []struct {
		TID         uint64
		Submissions int
		Rate        float64 `json:"submissions_per_s"`
	}
	GPU struct {
		Own struct {
			Intervals int
			BusyNS    int64 `json:"busy_ns"`
			SumNS     int64 `json:"sum_ns"`
		}
	}
	Window struct {
		LengthNS int64 `json:"length_ns"`
	}
	Serialization struct{ Verdict string }
}

func TestXctraceJSON(t *testing.T) {
	dir := exports(t)
	got := sh(t, dir, nil, tool.mtrace, "xctrace", "--json", dir)
	if got.exit != 0 || got.stderr != "" {
		t.Fatalf("exit %d, stderr %q", got.exit, got.stderr)
	}
	var s summaryJSON
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
		t.Fatal(err)
	}
	total := 0
	for _, th := range s.Threads {
		total += th.Submissions
		if rate := float64(th.Submissions) / (float64(s.Window.LengthNS) / 1e9); rate < th.Rate*0.999 ||
			rate > th.Rate*1.001 {
			t.Errorf("thread %+v in %d ns", th, s.Window.LengthNS)
		}
	}
	if s.Schema != "mtrace.xctrace/1" || len(s.Threads) != 4 || total != 500 || s.GPU.Own.Intervals != 500 ||
		s.GPU.Own.BusyNS == 0 || len(s.Subject.PIDs) != 1 {
		t.Errorf("%+v", s)
	}
}

func TestXctraceText(t *testing.T) {
	dir := exports(t)
	got := sh(t, dir, nil, tool.mtrace, "xctrace", dir)
	for _, want := range []string{"workload (5265) *", "WindowServer (476)", "Threads that commit",
		"start-latency = GPU start − commit: checked on 500 intervals, 0 violations", "Cannot tell", "Serialization"} {
		if !strings.Contains(got.stdout, want) {
			t.Errorf("no %q in\n%s", want, got.stdout)
		}
	}
	if got.exit != 0 || strings.Contains(got.stdout+got.stderr, "\x1b") {
		t.Errorf("exit %d, or colours where there is no terminal", got.exit)
	}
	one := sh(t, dir, nil, tool.mtrace, "xctrace", "--process", "WindowServer", "--from", "100ms", "--to", "10s", dir)
	if one.exit != 0 || !strings.Contains(one.stdout, "summary of pid 476 (asked for)") {
		t.Errorf("exit %d, %s%s", one.exit, one.stderr, one.stdout)
	}
}

func TestXctraceStdin(t *testing.T) {
	dir := exports(t)
	cmd := exec.Command(tool.mtrace, "xctrace", "--json", "-")
	input, err := os.Open(filepath.Join(dir, "metal-gpu-intervals.xml"))
	if err != nil {
		t.Fatal(err)
	}
	defer input.Close()
	cmd.Stdin = input
	out, err := printedBy(cmd, commandLimit)
	if err != nil {
		t.Fatal(err)
	}
	var s summaryJSON
	if err := json.Unmarshal(out, &s); err != nil || s.GPU.Own.Intervals < 500 {
		t.Errorf("%v, %+v", err, s)
	}
}

// A cut file: the readable part, and a status that marks it as incomplete.
func TestXctraceCut(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	if err := export.Record(export.Config{Seed: 2, CommandBuffers: 200}).Write(&b, "metal-gpu-intervals"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "cut.xml")
	if err := os.WriteFile(path, b.Bytes()[:b.Len()/2], 0o666); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, "xctrace", "--json", path)
	if got.exit != cli.ExitUsage || !strings.Contains(got.stderr,
		"cut.xml is incomplete: the summary covers only the rows before the end of the file") ||
		!strings.Contains(got.stdout, `"truncated": [`) {
		t.Errorf("exit %d, stderr %q", got.exit, got.stderr)
	}
}

// Wrong usage and unusable input: status 2, one line, nothing on stdout.
func TestXctraceErrors(t *testing.T) {
	dir := exports(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "nothing to summarise"},
		{[]string{"/nonexistent"}, "no such file"},
		{[]string{"--pid", "99", dir},
			"no row belongs to a process with pid 99; the processes with rows are WindowServer (476), workload (5265)"},
		{[]string{"--from", "2s", "--to", "1s", dir}, "--to later than --from"},
		{[]string{"--unknown", dir}, "--help lists the flags"},
		{[]string{"/bin/sh"}, "not an export"},
		{[]string{"record"}, "no program to record"},
		{[]string{"record", "-o", "x.zip", "--", "true"}, "must end in .trace"},
		{[]string{dir + "/../none.trace"}, "no such file"},
		// These flags were ignored: the summary described the first run, and no file was written.
		{[]string{"--run", "2", dir}, "--run works only with .trace bundles"},
		{[]string{"--run", "-1", dir}, "numbered from 1 on"},
		{[]string{"-o", "summary.txt", dir}, "--output works only with mtrace xctrace record"},
		{[]string{"--time-limit", "5s", dir}, "--time-limit works only with mtrace xctrace record"},
	} {
		got := sh(t, dir, []string{"MTRACE_XCTRACE=/bin/true"}, tool.mtrace, append([]string{"xctrace"}, c.args...)...)
		if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, c.want) || got.stdout != "" ||
			strings.Count(got.stderr, "\n") != 1 {
			t.Errorf("%q: exit %d, stderr %q, stdout %.40q; want %q", c.args, got.exit, got.stderr, got.stdout, c.want)
		}
	}
	bundle := filepath.Join(t.TempDir(), "x.trace")
	os.Mkdir(bundle, 0o777)
	got := sh(t, dir, []string{"MTRACE_XCTRACE=/nonexistent"}, tool.mtrace, "xctrace", bundle)
	if got.exit != cli.ExitUsage || !strings.Contains(got.stderr, "comes with Xcode") {
		t.Errorf("no xctrace: exit %d, %q", got.exit, got.stderr)
	}
}

func TestXctraceProfiles(t *testing.T) {
	dir := exports(t)
	out := filepath.Join(t.TempDir(), "profiles")
	got := sh(t, dir, nil, tool.mtrace, "xctrace", "--json", "--pprof", out, dir)
	if got.exit != 0 {
		t.Fatal(got.stderr)
	}
	var s summaryJSON
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		value int
		want  int64
	}{"gpu": {1, s.GPU.Own.SumNS}, "cpu": {0, 0}} {
		p := profileIn(t, filepath.Join(out, name+".pb.gz"))
		var sum int64
		for _, sample := range p.Sample {
			sum += sample.Value[c.value]
			if sample.Label["process"][0] != "workload" || sample.NumLabel["tid"][0] == 0 {
				t.Errorf("%s: labels %v %v", name, sample.Label, sample.NumLabel)
			}
		}
		if sum == 0 || c.want != 0 && sum != c.want {
			t.Errorf("%s: sum %d, want %d", name, sum, c.want)
		}
	}
	top := sh(t, dir, nil, "go", "tool", "pprof", "-top", "-sample_index=gpu", filepath.Join(out, "gpu.pb.gz"))
	if top.exit != 0 || !strings.Contains(top.stdout, "Compute Command 0") {
		t.Errorf("go tool pprof: %d, %s%s", top.exit, top.stdout, top.stderr)
	}
}

// Recording, on the stand-in for xctrace: the program's output is passed on to stderr, the bundle is written, exported
// and summarised.
func TestXctraceRecord(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	standin := filepath.Join(dir, "xctrace")
	if out, err := saidBy(exec.Command("go", "build", "-o", standin, "mtrace/fixtures/xctrace/standin"),
		commandLimit); err != nil {
		t.Fatal(string(out))
	}
	temporary := filepath.Join(dir, "tmp")
	if err := os.Mkdir(temporary, 0o777); err != nil {
		t.Fatal(err)
	}
	env := []string{"TMPDIR=" + temporary, "MTRACE_XCTRACE=" + standin,
		`STANDIN_PLAN={"Config": {"CommandBuffers": 120, "Threads": 2}, "Faults": [{"Table": "metal-gpu-intervals", ` +
			`"Kind": "segv", "Times": 1}]}`}
	got := sh(t, dir, env, tool.mtrace, "xctrace", "record", "-o", "out.trace", "--json", "--env", "COLOUR=red", "--",
		"sh", "-c", "echo from the program and $COLOUR")
	if got.exit != 0 || !strings.Contains(got.stderr, "from the program and red") ||
		!strings.Contains(got.stderr, "SIGSEGV: attempt 2 of 3") {
		t.Fatalf("exit %d, stderr %s", got.exit, got.stderr)
	}
	var s summaryJSON
	if err := json.Unmarshal([]byte(got.stdout), &s); err != nil || s.GPU.Own.Intervals != 120 || len(s.Threads) != 2 {
		t.Errorf("%v, %+v", err, s)
	}
	again := sh(t, dir, env, tool.mtrace, "xctrace", "--json", "out.trace")
	if again.exit != 0 || again.stdout == "" {
		t.Errorf("the bundle again: exit %d, %s", again.exit, again.stderr)
	}
	if twice := sh(t, dir, env, tool.mtrace, "xctrace", "record", "-o", "out.trace", "--",
		"true"); twice.exit != cli.ExitUsage || !strings.Contains(twice.stderr, "does not overwrite") {
		t.Errorf("an existing bundle: exit %d, %s", twice.exit, twice.stderr)
	}
	env[2] = `STANDIN_PLAN={"Config": {"CommandBuffers": 120, "Threads": 2}, "Faults": [{"Table": "toc", ` +
		`"Kind": "status", ` +
		`"Times": 99}]}`
	bare := sh(t, dir, env, tool.mtrace, "xctrace", "record", "-o", "bare.trace", "--json", "--", "true")
	if err := json.Unmarshal([]byte(bare.stdout), &s); bare.exit != 0 || err != nil || s.GPU.Own.Intervals != 120 ||
		!strings.Contains(bare.stderr, "trying each table without the table of contents") {
		t.Errorf("without a table of contents: exit %d, %s", bare.exit, bare.stderr)
	}
	left, err := os.ReadDir(temporary)
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files were left: %q, %v", left, err)
	}
}

// An interrupt while xctrace exports ends both, and leaves no files.
func TestXctraceInterrupted(t *testing.T) {
	dir := t.TempDir()
	standin, temporary, bundle := filepath.Join(dir, "xctrace"), filepath.Join(dir, "tmp"), filepath.Join(dir, "x.trace")
	if out, err := saidBy(exec.Command("go", "build", "-o", standin, "mtrace/fixtures/xctrace/standin"),
		commandLimit); err != nil {
		t.Fatal(string(out))
	}
	for _, d := range []string{temporary, bundle} {
		if err := os.Mkdir(d, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	plan := `{"Config": {"CommandBuffers": 50}, "Faults": [{"Table": "metal-gpu-intervals", "Kind": "slow", "Times": 9}]}`
	if err := os.WriteFile(filepath.Join(bundle, "plan.json"), []byte(plan), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tool.mtrace, "xctrace", bundle)
	cmd.Env = append(os.Environ(), "TMPDIR="+temporary, "MTRACE_XCTRACE="+standin)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	startInTime(t, cmd)
	for begin := time.Now(); ; time.Sleep(10 * time.Millisecond) {
		if _, err := os.Stat(filepath.Join(bundle, "attempts-metal-gpu-intervals")); err == nil {
			break
		}
		if time.Since(begin) > 3*time.Minute {
			cmd.Process.Kill()
			t.Fatal("the export did not begin: ", stderr.String())
		}
	}
	cmd.Process.Signal(os.Interrupt)
	cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 130 || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("exit %d, %q", code, stderr.String())
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("files were left: %v, %v", left, err)
	}
}

// Commands that read our traces read recordings of Instruments too.
func TestXctraceInOtherCommands(t *testing.T) {
	dir := exports(t)
	out := t.TempDir()
	got := sh(t, dir, nil, tool.mtrace, "report", "--json", dir)
	var doc struct {
		Source  struct{ Kind, Program string }
		Kernels []struct {
			Name       string
			Dispatches int
			Source     string
		}
		Serialization struct{ Verdict, Summary string }
	}
	if err := json.Unmarshal([]byte(got.stdout), &doc); err != nil || got.exit != 0 {
		t.Fatal(err, got.stderr)
	}
	if doc.Source.Kind != "xctrace" || doc.Source.Program != "workload" || len(doc.Kernels) != 1 ||
		doc.Kernels[0].Name != `encoder "Compute Command 0"` || doc.Kernels[0].Source != "measured" {
		t.Errorf("report %+v", doc)
	}
	if doc.Serialization.Verdict != "launch-bound" || !strings.Contains(doc.Serialization.Summary, "one command buffer") {
		t.Errorf("verdict %+v", doc.Serialization)
	}
	for _, args := range [][]string{
		{"pprof", dir, "--type", "gpu", "-o", filepath.Join(out, "gpu.pb.gz")},
		{"export", dir, "--format", "perfetto", "-o", filepath.Join(out, "timeline")},
		{"export", dir, "--format", "parquet", "-o", filepath.Join(out, "tables")},
		{"report", dir, "--html", filepath.Join(out, "report.html")},
	} {
		if got := sh(t, dir, nil, tool.mtrace, args...); got.exit != 0 {
			t.Errorf("%q: exit %d, %s", args, got.exit, got.stderr)
		}
		if info, err := os.Stat(args[len(args)-1]); err != nil || info.Size() == 0 {
			t.Errorf("%q: %v", args, err)
		}
	}
	same := sh(t, dir, nil, tool.mtrace, "diff", "--json", "--fail-over", "1", dir, dir)
	if same.exit != 0 || !strings.Contains(same.stdout, `encoder \"Compute Command 0\"`) {
		t.Errorf("a recording differs from itself: exit %d, %s%.300s", same.exit, same.stderr, same.stdout)
	}
}

// A recording without Metal: its report was a verdict on nothing and its profiles were five empty files. Now it is an
// error that lists the recording's content, and the available outputs are written.
func TestXctraceWithoutMetal(t *testing.T) {
	from, out := exports(t), t.TempDir()
	samples := filepath.Join(from, "time-profile.xml")
	for _, args := range [][]string{{"report", samples}, {"diff", samples, samples},
		{"export", samples, "--format", "csv", "-o", filepath.Join(out, "csv")},
		{"pprof", samples, "--type", "wait", "-o", filepath.Join(out, "wait")}} {
		got := sh(t, out, nil, tool.mtrace, args...)
		if got.exit != cli.ExitUsage || got.stdout != "" ||
			!strings.Contains(got.stderr, "no Metal data (time-profile with ") {
			t.Errorf("%q: exit %d, %s%s", args[0], got.exit, got.stdout, got.stderr)
		}
	}
	if got := sh(t, out, nil, tool.mtrace, "pprof", samples, "-o", "profiles"); got.exit != 0 ||
		got.stdout != "profiles/cpu.pb.gz\n" {
		t.Errorf("profiles: exit %d, %q, %s", got.exit, got.stdout, got.stderr)
	}
	if got := sh(t, out, nil, tool.mtrace, "pprof", samples, "--format", "folded", "--type", "cpu", "-o",
		"cpu.folded"); got.exit != 0 {
		t.Errorf("folded: exit %d, %s", got.exit, got.stderr)
	}
	folded, err := os.ReadFile(filepath.Join(out, "cpu.folded"))
	if err != nil || !strings.Contains(string(folded), "workload;worker-1;start;main ") {
		t.Errorf("folded stacks: %v, %.300s", err, folded)
	}
}

// Any table's rows in three formats, which hold the same.
func TestExportTable(t *testing.T) {
	from, out := exports(t), t.TempDir()
	const schema = "gpu-performance-state-intervals"
	lines := sh(t, out, nil, tool.mtrace, "export", from, "--table", schema, "--format", "jsonl", "-o", "-")
	var row map[string]any
	if err := json.Unmarshal([]byte(strings.SplitN(lines.stdout, "\n", 2)[0]), &row); err != nil || lines.exit != 0 ||
		row["gpu-performance-state"] == nil || row["duration"] == nil {
		t.Fatalf("%v, exit %d, %v, %s", err, lines.exit, row, lines.stderr)
	}
	n := strings.Count(lines.stdout, "\n")
	if got := sh(t, out, nil, tool.mtrace, "export", from, "--table", schema, "--format", "csv", "-o",
		"a.csv"); got.exit != 0 {
		t.Fatal(got.stderr)
	}
	data, _ := os.ReadFile(filepath.Join(out, "a.csv"))
	if strings.Count(string(data), "\n") != n+1 || !strings.HasPrefix(string(data), "start,duration,") {
		t.Errorf("%d lines of JSON, CSV %.200s", n, data)
	}
	if got := sh(t, out, nil, tool.mtrace, "export", from, "--table", schema, "--format", "parquet", "-o",
		"a.parquet"); got.exit != 0 {
		t.Fatal(got.stderr)
	}
	file, err := parquet.OpenFile(open(t, filepath.Join(out, "a.parquet")))
	if err != nil || file.NumRows() != int64(n) {
		t.Errorf("Parquet: %v, %+v", err, file)
	}
	if got := sh(t, out, nil, tool.mtrace, "export", from, "--table", "nonsense", "--format", "csv", "-o",
		"b.csv"); got.exit != cli.ExitUsage ||
		!strings.Contains(got.stderr, "no rows of a table named nonsense") || !strings.Contains(got.stderr, schema) {
		t.Errorf("a table that is not there: exit %d, %s", got.exit, got.stderr)
	}
	if _, err := os.Stat(filepath.Join(out, "b.csv")); err == nil {
		t.Error("an empty file was left")
	}
}

// The rows of a cut export were written with status 0, as if complete; and with a packed copy of the same export, every
// row was there twice.
func TestExportTableOfACutExport(t *testing.T) {
	const schema = "gpu-performance-state-intervals"
	data, err := os.ReadFile(filepath.Join(exports(t), schema+".xml"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cut.xml"), data[:len(data)*3/4], 0o666); err != nil {
		t.Fatal(err)
	}
	got := sh(t, dir, nil, tool.mtrace, "export", "cut.xml", "--table", schema, "--format", "csv", "-o", "a.csv")
	if csv, err := os.ReadFile(filepath.Join(dir, "a.csv")); err != nil || got.exit != cli.ExitUsage ||
		strings.Count(string(csv), "\n") < 2 ||
		got.stderr != "mtrace export: cut.xml is incomplete: only the rows before the end of the file are written; export "+
			"the recording from Instruments again\n" {
		t.Errorf("%v, %+v", err, got)
	}
	whole := t.TempDir()
	for _, name := range []string{"a.xml", "b.xml"} {
		if err := os.WriteFile(filepath.Join(whole, name), data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	once := sh(t, whole, nil, tool.mtrace, "export", "a.xml", "--table", schema, "--format", "csv", "-o", "-")
	twice := sh(t, whole, nil, tool.mtrace, "export", ".", "--table", schema, "--format", "csv", "-o", "-")
	if twice.stdout != once.stdout || twice.exit != 0 ||
		twice.stderr != "mtrace: table "+schema+" in b.xml is left out: the table was already read from a.xml\n" {
		t.Errorf("%d lines and not %d: %+v", strings.Count(twice.stdout, "\n"), strings.Count(once.stdout, "\n"), twice)
	}
}

// open opens a file, with its size.
func open(t *testing.T, path string) (*os.File, int64) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	return f, info.Size()
}

// TestXctraceWithoutAUsableRow: an export without a usable row is unusable input, and a table without one is reported
// on standard error. The summary was empty, with status 0. A NUL byte anywhere makes a file damaged; NUL bytes in names
// used to pass.
func TestXctraceWithoutAUsableRow(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile("../../fixtures/xctrace/recording/" + name + ".xml")
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	starts := regexp.MustCompile(`(<start-time [^>]*>)[0-9]+<`)
	intervals, buffers := read("metal-gpu-intervals"), read("metal-application-command-buffer-submissions")
	broken := starts.ReplaceAllString(intervals, "${1}never<")
	if broken == intervals {
		t.Fatal("no start was replaced")
	}
	write := func(dir, name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	alone, beside := t.TempDir(), t.TempDir()
	write(alone, "intervals.xml", broken)
	write(beside, "intervals.xml", broken)
	write(beside, "buffers.xml", buffers)
	if got := sh(t, alone, nil, tool.mtrace, "xctrace", alone); got.exit != cli.ExitUsage || got.stdout != "" ||
		strings.Count(got.stderr, "\n") != 1 ||
		!strings.Contains(got.stderr, "metal-gpu-intervals: none of its ") {
		t.Errorf("alone: %+v", got)
	}
	if got := sh(t, beside, nil, tool.mtrace, "xctrace", "--all", beside); got.exit != 0 ||
		!strings.Contains(got.stderr, "metal-gpu-intervals: none of its ") {
		t.Errorf("with other tables: exit %d, %q", got.exit, got.stderr)
	}
	for name, text := range map[string]string{
		"in a name":      strings.Replace(intervals, `fmt="`, "fmt=\"\x00", 1),
		"between rows":   strings.Replace(intervals, "</row>", "</row>\x00", 1),
		"behind the end": intervals + "\x00\x00",
		"from somewhere": intervals[:len(intervals)/2] + strings.Repeat("\x00", len(intervals)/2),
	} {
		dir := t.TempDir()
		write(dir, "intervals.xml", text)
		if got := sh(t, dir, nil, tool.mtrace, "xctrace", filepath.Join(dir, "intervals.xml")); got.exit != cli.ExitUsage ||
			got.stdout != "" || !strings.Contains(got.stderr, "a NUL byte") {
			t.Errorf("NUL bytes %s: exit %d, %q", name, got.exit, got.stderr)
		}
	}
}
