package experiment

import (
	"flag"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"mtrace/analyze"
	"mtrace/analyze/replay"
	"mtrace/collector/wire"
	"mtrace/fixtures/schema"
)

var update = flag.Bool("update", false, "write the expected files anew")

// The published schema matches the document that is written.
func TestPublishedSchema(t *testing.T) {
	about := "What `mtrace experiment --json` says of the delays that it added to a program."
	if err := schema.Compare("../..", Schema, about, Measurement{}, *update); err != nil {
		t.Error(err)
	}
}

// example has a target of each result, and a replay that disagrees about one.
func example() *Result {
	e := &analyze.Experiment{Seed: 7, Budget: 0.05, Progress: wire.ProgressCommands, Threads: 6,
		Targets: []analyze.ExperimentTarget{
			{ID: 1, Name: "lock:cache held", Kind: wire.ExperimentLock, Mode: wire.ExperimentDelay, Lock: 0x1000},
			{ID: 2, Calls: []string{"commit"}, Kind: wire.ExperimentCall, Mode: wire.ExperimentDelay},
			{ID: 3, Kind: wire.ExperimentHandler, Mode: wire.ExperimentDelay},
			{ID: 4, Calls: []string{"newBufferWithLength:options:"}, Kind: wire.ExperimentCall, Mode: wire.ExperimentSpeedup},
		}}
	r := &Result{Experiment: e, Baseline: 2013e3, Slowed: 0.031, Warnings: []string{"a warning"}}
	point := func(share, saved float64) Point {
		return Point{Share: share, Blocks: 12, Saved: &Slope{saved, saved - 0.004, saved + 0.004}, PValue: 0.001}
	}
	r.Estimates = []Estimate{
		{Target: e.Targets[0], Status: Affects, Blocks: 38, Units: 3800, Occurrences: 3800, Total: 38e6, Injected: 10e3,
			Sensitivity: &Slope{5.8, 5.2, 6.4}, PValue: 1e-6, QValue: 3e-6, Replay: &Prediction{
				Sensitivity: &replay.Sensitivity{Estimate: 1.1, Low: 0.9, High: 1.3}, Disagrees: true,
				Lacks: lacksWaits(wire.ExperimentLock)}},
		{Target: e.Targets[1], Status: Slack, Blocks: 40, Units: 4000, Occurrences: 4000, Total: 40e6, Injected: 10e3,
			Sensitivity: &Slope{0.02, -0.05, 0.09}, PValue: 0.4, QValue: 0.6, Replay: &Prediction{
				Sensitivity: &replay.Sensitivity{Estimate: 0, Low: -0.05, High: 0.05}}},
		{Target: e.Targets[2], Status: Undecided, Blocks: 4, PValue: 1, QValue: 1, Longer: 40e9},
		{Target: e.Targets[3], Status: Affects, Curve: []Point{point(0.1, 0.01), point(0.25, 0.025), point(0.5, 0.05)},
			PValue: 0.003, QValue: 0.006},
	}
	e.Blocks = blocksOf(10*ms, 100, 90, 100, 90)
	return r
}

// The text has at most a screen, with the measured sensitivities, disputes with the replay, and missing time.
func TestText(t *testing.T) {
	var b strings.Builder
	d := example().Document()
	if err := d.WriteText(&b); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "example.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil || b.String() != string(want) {
		t.Errorf("%v; got\n%s\nwant\n%s", err, b.String(), want)
	}
	if n := strings.Count(b.String(), "\n"); n > 40 {
		t.Errorf("%d lines are more than a screen", n)
	}
	for _, line := range strings.Split(b.String(), "\n") {
		if n := utf8.RuneCountInString(line); n > 120 {
			t.Errorf("a line of %d columns: %s", n, line)
		}
	}
	for id, want := range map[int]string{
		2: "measured: 10.0 µs more in each command buffer (commit) cost 200 ns (-500 ns to 900 ns); replay: 0 ns",
		3: "handler: not enough blocks: run 40 s longer",
		9: "",
	} {
		if got := d.Finding(id); got != want {
			t.Errorf("target %d: %q, want %q", id, got, want)
		}
	}
}

// A document matches its schema. An open end of an interval is null in JSON, which has no infinity.
func TestJSON(t *testing.T) {
	r := example()
	r.Estimates[0].Sensitivity.High = math.Inf(1)
	var b strings.Builder
	if err := r.Document().WriteJSON(&b); err != nil || !strings.Contains(b.String(), `"high": null`) {
		t.Errorf("%v: %s", err, b.String())
	}
	if err := schema.Validate("../..", []byte(b.String())); err != nil {
		t.Errorf("%s\n%v", b.String(), err)
	}
}
