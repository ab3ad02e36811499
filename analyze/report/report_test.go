package report

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"

	"mtrace/analyze"
	"mtrace/fixtures/tracesim"
	"mtrace/fixtures/tracetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func load(t testing.TB, path string) *analyze.Trace {
	t.Helper()
	trace, err := analyze.Load(path, analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	trace.Source.Path = "test.mtrace" // not the test's folder
	return trace
}

func scenario(t testing.TB, name string) *analyze.Trace {
	t.Helper()
	return scenarioWith(t, name, nil)
}

func scenarioWith(t testing.TB, name string, more func(*tracesim.Process)) *analyze.Trace {
	t.Helper()
	for _, s := range tracesim.Scenarios {
		if s.Name == name {
			sim := s.Build(1)
			sim.BeforeWrite = more
			return load(t, sim.Run(t))
		}
	}
	t.Fatalf("no scenario %q", name)
	return nil
}

// scenarioReports returns the report of each scenario, in the order of tracesim.Scenarios. They are built once for all
// tests, which do not change them.
var scenarioReports = func() func(t testing.TB) []*Report {
	var once sync.Once
	var reports []*Report
	return func(t testing.TB) []*Report {
		t.Helper()
		once.Do(func() {
			for _, s := range tracesim.Scenarios {
				reports = append(reports, Build(scenario(t, s.Name), Options{}))
			}
		})
		if len(reports) != len(tracesim.Scenarios) {
			t.Fatal("the reports of the scenarios were not built: see the first test that needs them")
		}
		return reports
	}
}()

// cases are the golden files: NAME.txt, NAME.json and NAME.html.
var cases = map[string]func(t testing.TB) *analyze.Trace{
	"small":       func(t testing.TB) *analyze.Trace { return load(t, tracetest.Small(t)) },
	"device-sync": func(t testing.TB) *analyze.Trace { return scenario(t, "device-wide sync") },
	"stacks": func(t testing.TB) *analyze.Trace {
		return scenarioWith(t, "device-wide sync",
			tracesim.PythonProgram)
	},
	"saturated": func(t testing.TB) *analyze.Trace { return scenario(t, "GPU saturated, queues full") },
	"lock":      func(t testing.TB) *analyze.Trace { return scenario(t, "a lock inside commit") },
	"none":      func(t testing.TB) *analyze.Trace { return scenario(t, "independent threads") },
}

func TestGolden(t *testing.T) {
	for name, build := range cases {
		r := Build(build(t), Options{})
		r.Source.Started = r.Source.Started.UTC()
		for ext, write := range map[string]func(*bytes.Buffer) error{
			"txt":        func(b *bytes.Buffer) error { return r.WriteText(b, Options{All: true}) },
			"screen.txt": func(b *bytes.Buffer) error { return r.WriteText(b, Options{}) },
			"json":       func(b *bytes.Buffer) error { return r.WriteJSON(b) },
			"html":       func(b *bytes.Buffer) error { return r.WriteHTML(b, Pictures{}) },
		} {
			if name != "small" && ext == "json" || name != "device-sync" && ext == "html" {
				continue
			}
			var got bytes.Buffer
			if err := write(&got); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join("testdata", name+"."+ext)
			if *update {
				if err := os.MkdirAll("testdata", 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
				continue
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s is not as before; if it is right, run the test with -update. Got:\n%s", path, got.Bytes())
			}
		}
	}
}

// TestWidth: the text is readable on sheets of any width: no line is longer, and of each table the first column and one
// more are there.
func TestWidth(t *testing.T) {
	for i, s := range tracesim.Scenarios {
		r := scenarioReports(t)[i]
		for _, width := range []int{0, LeastWidth, 80, MostWidth} {
			var b bytes.Buffer
			if err := errors.Join(r.WriteText(&b, Options{Width: width, All: true}),
				r.WriteText(&b, Options{Width: width})); err != nil {
				t.Fatal(err)
			}
			for line := range strings.Lines(b.String()) {
				if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > cmp.Or(width, UsualWidth) {
					t.Errorf("%s: %d columns: %s", s.Name, n, line)
				}
			}
		}
	}
}

// TestSchema: all keys of docs/terms.md are there, and no list is null.
func TestSchema(t *testing.T) {
	for _, trace := range []*analyze.Trace{{}, scenario(t, "device-wide sync")} {
		var b bytes.Buffer
		if err := Build(trace, Options{}).WriteJSON(&b); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(Build(trace, Options{}).WriteText(io.Discard, Options{All: true}),
			Build(trace, Options{}).WriteHTML(io.Discard, Pictures{})); err != nil {
			t.Error(err)
		}
		var doc map[string]any
		if err := json.Unmarshal(b.Bytes(), &doc); err != nil {
			t.Fatal(err)
		}
		if doc["schema"] != "mtrace.report/1" {
			t.Errorf("schema is %v", doc["schema"])
		}
		for path, keys := range map[string]string{
			"": "source events lost overhead warnings calls threads queues gpu kernels fusion_candidates memory " +
				"compile serialization what_if insights",
			"source":        "kind path program args host os device software_metal started wall_ns window_ns",
			"lost":          "total per_thread",
			"overhead":      "ns_per_event share",
			"gpu":           "busy_ns busy_share sum_ns overlap start_latency idle_gaps",
			"memory":        "allocations bytes peak_bytes reuse_share by_storage_mode",
			"compile":       "libraries pipelines repeated hit_share lost_ns",
			"serialization": "verdict share confidence summary causes ruled_out wait_matrix mutual_exclusion",
		} {
			at := doc
			if path != "" {
				at, _ = doc[path].(map[string]any)
			}
			for _, k := range strings.Fields(keys) {
				if _, there := at[k]; !there {
					t.Errorf("no key %s in %q", k, path)
				}
			}
		}
		for _, k := range []string{"warnings", "calls", "threads", "queues", "kernels", "fusion_candidates", "what_if",
			"insights"} {
			if doc[k] == nil {
				t.Errorf("%s is null", k)
			}
		}
	}
}

// TestPartitionInJSON: the values of time add up to window_ns exactly.
func TestPartitionInJSON(t *testing.T) {
	for i, s := range tracesim.Scenarios {
		for _, th := range scenarioReports(t)[i].Threads {
			sum := int64(0)
			for _, n := range th.Time {
				sum += n
			}
			if sum != th.WindowNS || len(th.Time) != int(analyze.PartCount) {
				t.Errorf("%s, thread %d: %d parts add up to %d, the window is %d", s.Name, th.TID, len(th.Time), sum, th.WindowNS)
			}
		}
	}
}

// Possible losses are in the first lines. The story: the children of a fork continue untraced, whatever they do. The
// report of a program whose children did most of the work began with "none lost"; its last lines named them (found by
// the torture test).
func TestUntracedChildrenAreInTheFirstLines(t *testing.T) {
	trace := load(t, tracetest.Small(t))
	trace.Recording.Lost.Children = 2
	inFirstLines(t, trace, "2 forked child processes UNTRACED")
}

// Losses are counted in records, and some calls have two records: no line calls lost records calls.
func TestLossesAreInRecords(t *testing.T) {
	trace := load(t, tracetest.Small(t))
	trace.Recording.Lost.Records = 7409
	inFirstLines(t, trace, "7,409 RECORDS LOST")
	if got := Build(trace, Options{}).Lost.Text(); got != "lost: 7,409 records" {
		t.Error(got)
	}
}

// A process may outlive the program, and the recording with it: a daemon, or the children of a program that was killed.
// Its calls after the program's end are not in the trace. Only a line about the process reported that, while the first
// lines said "none lost" (found by the torture test).
func TestRunningProcessesAreInTheFirstLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	for pid := range 3 {
		p := f.Process(100+pid, "/bin/program")
		p.Thread(uint64(100+pid), "main").NewQueue("work")
		p.Counted.Running = pid > 0
		p.End()
	}
	f.Close()
	trace := load(t, path)
	inFirstLines(t, trace, "none of these lost", "2 PROCESSES STILL RUNNING at the end")
	var document struct {
		Lost struct {
			Running int `json:"running_processes"`
		}
	}
	text, err := json.Marshal(Build(trace, Options{}))
	if err == nil {
		err = json.Unmarshal(text, &document)
	}
	if err != nil || document.Lost.Running != 2 {
		t.Errorf("%v, %+v", err, document)
	}
}

// A process whose recording ended before the process did, because of the data that it sent, lacks an unknown number of
// calls. The first lines said "none lost".
func TestPartThatEndedEarlyIsInTheFirstLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "t.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(100, "/bin/program")
	p.Thread(100, "main").NewQueue("work")
	p.Counted.Note = "its trace ends early: unknown kind 77"
	p.End()
	f.Close()
	inFirstLines(t, load(t, path), "LOSSES NOT KNOWN")
}

// inFirstLines checks that the first lines of the report, as text and as a page, contain all of what.
func inFirstLines(t *testing.T, trace *analyze.Trace, what ...string) {
	t.Helper()
	r := Build(trace, Options{})
	var text, page bytes.Buffer
	if err := r.WriteText(&text, Options{All: true}); err != nil {
		t.Fatal(err)
	}
	if err := r.WriteHTML(&page, Pictures{}); err != nil {
		t.Fatal(err)
	}
	lines, _, _ := strings.Cut(text.String(), "\n\n")
	head, _, _ := strings.Cut(page.String(), "class=\"loud\"")
	for _, says := range what {
		if !strings.Contains(strings.Join(strings.Fields(lines), " "), says) {
			t.Errorf("the report does not begin with %q:\n%s", says, lines)
		}
		if !strings.Contains(head, says) {
			t.Errorf("the page does not begin with %q:\n%s", says, head)
		}
	}
}

func TestSections(t *testing.T) {
	if err := CheckSections([]string{"threads", "nonsense"}); err == nil || !strings.Contains(err.Error(), "nonsense") {
		t.Errorf("an unknown section gives %v", err)
	}
	var b bytes.Buffer
	if err := Build(scenario(t, "event chain"), Options{}).WriteText(&b,
		Options{Sections: []string{"queues"}}); err != nil {
		t.Fatal(err)
	}
	if s := b.String(); !strings.Contains(s, "QUEUES") || strings.Contains(s, "VERDICT") || strings.Contains(s, "\x1b") {
		t.Errorf("section queues gives\n%s", s)
	}
}

// A label is the traced program's text: it must neither steer the terminal of the report's reader nor break the
// report's lines.
func TestNamesDoNotSteerTheTerminal(t *testing.T) {
	const evil = "\x1b[2J\x1b]0;owned\a\r\nq"
	trace := scenario(t, "device-wide sync")
	trace.Queues[0].Label, trace.Source.Device = evil, evil
	for b := range trace.Buffers() {
		b.Label = evil
		for i := range b.Encoders {
			for _, d := range b.Encoders[i].Dispatches {
				d.Pipeline.Kernel = evil
			}
		}
	}
	var text bytes.Buffer
	if err := Build(trace, Options{}).WriteText(&text, Options{All: true}); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(text.String(), "\n") {
		if strings.ContainsFunc(line, unicode.IsControl) {
			t.Errorf("line %d: %q", i+1, line)
		}
	}
}

// Calls that the tracer did not see are red on a terminal. The escapes were mistaken for a part of a name and replaced.
func TestColoursReachTheTerminal(t *testing.T) {
	r := Build(scenario(t, "device-wide sync"), Options{})
	r.Coverage.Processes = []ProcessCoverage{{PID: 1, Commits: Audit{Made: 10, Seen: 9},
		Unhooked: []UnhookedClass{{Class: "AGX\x1b[2J", Methods: 1}}}}
	var text bytes.Buffer
	if err := r.WriteText(&text, Options{Color: true, All: true}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"\x1b[1;31m9 of 10 commits seen\x1b[0m", "1 method of AGX\ufffd[2J not hooked"} {
		if !strings.Contains(text.String(), want) {
			t.Errorf("no %q in\n%s", want, text.String())
		}
	}
}

// A number at the end of a line without its unit is misread.
func TestNumbersKeepTheirUnits(t *testing.T) {
	var b bytes.Buffer
	wrap(newSheet(&b, Options{}), strings.Repeat("x", UsualWidth-10)+" took 12.5 ms, 40% of 3 GiB)", "", "")
	if want := strings.Repeat("x", UsualWidth-10) + " took\n12.5 ms, 40% of 3 GiB)\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}
