package report

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/experiment"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
	"mtrace/fixtures/schema"
)

// experimentWith are blocks with and without a delay before each commit of a thread, which takes so much longer for a
// command buffer, in units of the delay.
func experimentWith(sensitivity int64) *analyze.Experiment {
	const ms = 1_000_000
	e := &analyze.Experiment{Seed: 7, Budget: 0.05, Progress: wire.ProgressCommands, Threads: 1,
		Targets: []analyze.ExperimentTarget{{ID: 1, Name: "commit", Kind: wire.ExperimentCall,
			Mode: wire.ExperimentDelay, Calls: []string{"commit"}}}}
	for i := range analyze.Nanos(24) {
		b := analyze.ExperimentBlock{Interval: analyze.Interval{Begin: i * 100 * ms, End: (i + 1) * 100 * ms},
			Units: 1000 + int64(i%3)} // 100 µs each
		if i%2 == 1 {
			b.Target, b.Delay, b.Units = 1, 10_000, 1000*10/(10+sensitivity)+int64(i%3)
			b.Occurrences, b.Injected = b.Units, 10_000*analyze.Nanos(b.Units)
		}
		e.Blocks = append(e.Blocks, b)
	}
	return e
}

// The report of a run with added delays says so first, and shows the measured sensitivities. If the replay predicts
// something else, the verdict is less certain.
func TestExperiment(t *testing.T) {
	for _, c := range []struct {
		sensitivity int64
		disagrees   bool
	}{{1, false}, {3, true}} {
		trace := scenario(t, "one thread, half busy") // it waits after each commit
		before := Build(trace, Options{})
		trace.Processes[0].Experiment = experimentWith(c.sensitivity)
		r := Build(trace, Options{})
		if r.Experiment == nil || r.Experiment.Targets[0].Status != experiment.Affects ||
			r.Experiment.Disagrees != c.disagrees {
			t.Fatalf("sensitivity %d: %+v", c.sensitivity, r.Experiment)
		}
		if len(r.Warnings) == 0 || !strings.HasPrefix(r.Warnings[0], "Delays were added to this run (") {
			t.Errorf("no warning that delays were added: %q", r.Warnings)
		}
		if lower := r.Serialization.Confidence <= policy.DisputedVerdict && before.Serialization.Confidence >
			policy.DisputedVerdict; lower != c.disagrees {
			t.Errorf("sensitivity %d: confidence %v instead of %v", c.sensitivity, r.Serialization.Confidence,
				before.Serialization.Confidence)
		}
		var screen, all, page, document bytes.Buffer
		for _, err := range []error{r.WriteText(&screen, Options{}), r.WriteText(&all, Options{All: true}),
			r.WriteHTML(&page, Pictures{}), r.WriteJSON(&document)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		if n := strings.Count(screen.String(), "\n"); n > mostScreenLines ||
			!strings.Contains(screen.String(), "\nMEASURED ") {
			t.Errorf("%d lines, or no MEASURED:\n%s", n, screen.String())
		}
		if !strings.Contains(all.String(), "\nEXPERIMENT") ||
			strings.Contains(all.String(), "The replay disagrees about commit") != c.disagrees {
			t.Errorf("sensitivity %d:\n%s", c.sensitivity, all.String())
		}
		if !strings.Contains(page.String(), `id="experiment"`) || !strings.Contains(page.String(), `class="range"`) {
			t.Error("the page has no sensitivities")
		}
		if err := schema.Validate("../..", document.Bytes()); err != nil {
			t.Error(err)
		}
	}
}

// Positions in the page lie within the axis, and an interval without an end reaches the end of the axis.
func TestSensitivities(t *testing.T) {
	end := 0.4
	rows := sensitivities(&experiment.Measurement{Targets: []experiment.TargetResult{
		{Name: "open", Sensitivity: &experiment.Estimated{Estimate: 2, Low: &end}},
		{Name: "none"},
		{Name: "faster", Mode: string(wire.ExperimentSpeedup)},
	}})
	if len(rows) != 2 || rows[1].Known || rows[0].Low <= 0 || rows[0].Low+rows[0].Width < 99.9 ||
		rows[0].At <= rows[0].Marks[1] || !slices.IsSorted(rows[0].Marks) {
		t.Errorf("%+v", rows)
	}
}
