package tracefile

import (
	"reflect"
	"testing"

	"mtrace/collector/wire"
)

var testExperiment = &wire.Experiment{
	Seed: 1<<64 - 1, Budget: 0.05, Progress: wire.ProgressMark + "step", Threads: 2,
	Targets: []wire.ExperimentTarget{
		{ID: 1, Name: "commit", Kind: wire.ExperimentCall, Mode: wire.ExperimentDelay, Calls: []string{"commit"}},
		{ID: 2, Name: "lock:table", Kind: wire.ExperimentLock, Mode: wire.ExperimentDelay, Address: 0x7ffff0001000,
			Object: 5, Threads: []uint64{7, 8}, TookNS: 12},
	},
	Blocks: []wire.ExperimentBlock{
		{Start: 1000e6, End: 1100e6, Units: 40, LastBefore: 999e6, LastIn: 1099e6},
		{Start: 1101e6, End: 1201e6, Target: 2, DelayNS: 2000, Occurrences: 39, InjectedNS: 78123, Units: 39},
	},
}

// TestExperiment: an experiment is read back as it was written, of a file that was cut before its end too, and a
// target that becomes known better replaces the earlier one.
func TestExperiment(t *testing.T) {
	for _, closed := range []bool{true, false} {
		path, _ := writeSmall(t, closed)
		r, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range r.Processes() {
			if !reflect.DeepEqual(p.Experiment, testExperiment) {
				t.Errorf("closed %v: process %d has the experiment %+v, want %+v", closed, i, p.Experiment, testExperiment)
			}
		}
		r.Close()
	}
	var e wire.Experiment
	better := testExperiment.Targets[0]
	better.TookNS = 99
	for _, f := range append(testExperiment.Facts(), better.Fact()) {
		if err := e.Take(f); err != nil {
			t.Fatal(err)
		}
	}
	if len(e.Targets) != 2 || e.Targets[0].TookNS != 99 {
		t.Errorf("the targets are %+v, want the first to take 99 ns", e.Targets)
	}
}

// TestExperimentThatCannotBe: facts that cannot be true are refused with the fact's own text.
func TestExperimentThatCannotBe(t *testing.T) {
	for _, f := range []wire.Fact{
		{Kind: wire.FactExperiment, Text: `{"budget_share":2}`},
		{Kind: wire.FactExperiment, Text: `five percent`},
		{Kind: wire.FactExperimentTarget, Key: 0, Text: `{}`},
		{Kind: wire.FactExperimentTarget, Key: 1, Text: `{"took_ns":-1}`},
		{Kind: wire.FactExperimentBlock, Text: `{"start_ns":5,"end_ns":4}`},
		{Kind: wire.FactExperimentBlock, Text: `{"start_ns":5,"end_ns":9,"delay_ns":-1}`},
	} {
		if f.Check() == nil {
			t.Errorf("%+v was taken", f)
		}
	}
}
