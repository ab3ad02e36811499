package bench

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write the golden files anew")

// recorded reads the streams of a benchmark in testdata: real runs of rawmetal on the software Metal, with small sizes.
func recorded(t testing.TB, b *Bench) *Results {
	t.Helper()
	var r Results
	read := func(file string, p Process) {
		t.Helper()
		in, err := os.Open(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := r.Read(in, p, nil); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
	}
	switch {
	case b.Compared:
		for round := range 6 {
			read(fmt.Sprintf("%s-untraced-%d.jsonl", b.Program, round), Process{round, "traced=no"})
			read(fmt.Sprintf("%s-traced-%d.jsonl", b.Program, round), Process{round, "traced=yes"})
		}
	case b.PerProcess:
		for round := range 6 {
			read(fmt.Sprintf("%s-%d.jsonl", b.Program, round), Process{Round: round})
		}
	default:
		read(b.Program+".jsonl", Process{})
	}
	return &r
}

func conditions(h Host) Conditions {
	return Conditions{Host: h, CPUs: 2, Started: time.Date(2026, 11, 20, 9, 0, 0, 0, time.UTC), Quick: true, Tool: "test"}
}

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", "golden", name)
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v: run the test with -update", err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not as it was; if the change is meant, run with -update\n%s", name, got)
	}
}

// Every benchmark's report, as text.
func TestTables(t *testing.T) {
	for _, b := range All() {
		t.Run(b.Name, func(t *testing.T) {
			r := recorded(t, b)
			report := Report{Conditions: conditions(r.Host),
				Runs: []Run{{Bench: b, Parameters: b.Quick, Results: r, Wall: time.Second}}}
			var text bytes.Buffer
			if err := report.WriteText(&text); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(text.String(), "SOFTWARE METAL") {
				t.Error("a report of a software Metal does not say so")
			}
			golden(t, b.Name+".txt", text.Bytes())
		})
	}
}

func TestMarkdownAndJSON(t *testing.T) {
	b, _ := Find("pool")
	r := recorded(t, b)
	report := Report{Conditions: conditions(r.Host),
		Runs: []Run{{Bench: b, Parameters: b.Quick, Results: r, Wall: time.Second}}}
	var markdown, document bytes.Buffer
	if err := report.WriteMarkdown(&markdown); err != nil {
		t.Fatal(err)
	}
	golden(t, "pool.md", markdown.Bytes())
	if err := report.WriteJSON(&document); err != nil {
		t.Fatal(err)
	}
	golden(t, "pool.json", document.Bytes())
	var parsed map[string]any
	if err := json.Unmarshal(document.Bytes(), &parsed); err != nil || parsed["schema"] != Schema {
		t.Errorf("not a document of %s: %v", Schema, err)
	}
	checkTimes(t, "", parsed)
}

// checkTimes checks that whatever is called _ns is a whole number.
func checkTimes(t *testing.T, path string, v any) {
	t.Helper()
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			checkTimes(t, path+"/"+key, value)
		}
	case []any:
		for _, value := range v {
			checkTimes(t, path, value)
		}
	case float64:
		if strings.Contains(path, "_ns") && !strings.HasSuffix(path, "/clock_ns") && !strings.HasSuffix(path, "_share") &&
			!strings.HasSuffix(path, "samples") && v != float64(int64(v)) {
			t.Errorf("%s is %v: times are whole nanoseconds", path, v)
		}
	}
}

// A wrong result is reported in the report, loudly and with the element.
func TestWrongResult(t *testing.T) {
	b, _ := Find("axpy")
	r := recorded(t, b)
	r.Checks = append(r.Checks, Check{Bench: "axpy", Case: "all", Compared: 5, Worst: 3, Tolerance: 1e-5,
		Detail: "element 4 is 1, should be 4"})
	report := Report{Runs: []Run{{Bench: b, Results: r}}}
	var text bytes.Buffer
	if err := report.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "WRONG RESULT: axpy all: element 4 is 1, should be 4 (error 3, allowed 1e-05)") {
		t.Errorf("the report hides a wrong result:\n%s", text.String())
	}
}

// Terminals are 100 columns wide; the tables of all cases may be a little wider, because names of cases are.
func TestWidth(t *testing.T) {
	for _, b := range All() {
		for i, table := range b.Tables(recorded(t, b)) {
			var text bytes.Buffer
			table.WriteText(&text)
			for line := range strings.Lines(text.String()) {
				if n := len([]rune(line)); n > 105 && i == 0 || n > 140 {
					t.Errorf("%s: a line of %d characters: %s", b.Name, n, line)
				}
			}
		}
	}
}

func TestArguments(t *testing.T) {
	p := Parameters{Threads: []int{1, 2}, Iterations: 5, Rounds: 6, Warmup: 1, BudgetMS: 10, Sync: "event"}
	if got, want := strings.Join(p.Arguments(), " "),
		"--threads 1,2 --iters 5 --rounds 6 --warmup 1 --budget-ms 10 --sync event"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for _, b := range All() {
		if b.Quick.Rounds < 6 {
			t.Errorf("%s: %d rounds have no interval", b.Name, b.Quick.Rounds)
		}
	}
}
