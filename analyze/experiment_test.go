package analyze_test

import (
	"reflect"
	"testing"

	"mtrace/analyze"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// TestExperiment: an experiment's changes are on its process as plain values, on the trace's clock.
func TestExperiment(t *testing.T) {
	f, p := tracesim.NewFile()
	p.Thread(7, "main", 1000).Add(commit, 2000, 2050, 11, 0)
	e := &wire.Experiment{Seed: 9, Budget: 0.05, Progress: wire.ProgressCommands, Threads: 1,
		Targets: []wire.ExperimentTarget{{ID: 1, Name: "commit", Kind: wire.ExperimentCall, Mode: wire.ExperimentDelay,
			Calls: []string{"commit"}, Threads: []uint64{7}, TookNS: 50}},
		Blocks: []wire.ExperimentBlock{{Start: 1000, End: 3000, Target: 1, DelayNS: 20, Occurrences: 1, InjectedNS: 21,
			Units: 1, LastIn: 2900}}}
	p.Facts = append(p.Facts, e.Facts()...)
	want := &analyze.Experiment{Seed: 9, Budget: 0.05, Progress: wire.ProgressCommands, Threads: 1,
		Targets: []analyze.ExperimentTarget{{ID: 1, Name: "commit", Kind: wire.ExperimentCall, Mode: wire.ExperimentDelay,
			Calls: []string{"commit"}, Threads: []analyze.ThreadID{7}, Took: 50}},
		Blocks: []analyze.ExperimentBlock{{Interval: analyze.Interval{Begin: 1000, End: 3000}, Target: 1, Delay: 20,
			Occurrences: 1, Injected: 21, Units: 1, LastIn: 2900}}}
	if got := load(t, f.Write(t), analyze.Options{}).Processes[0].Experiment; !reflect.DeepEqual(got, want) {
		t.Errorf("the experiment is %+v, want %+v", got, want)
	}
}
