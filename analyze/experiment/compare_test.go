package experiment

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
	"mtrace/analyze/replay/change"
	"mtrace/collector/wire"
	"mtrace/fixtures/tracesim"
)

// Each kind of target adds a delay at another point of the replayed program, for the target's threads only. A lock is
// found by its name, which follows "lock:" in the target.
func TestAddedBy(t *testing.T) {
	var s *tracesim.Scenario
	for i := range tracesim.Scenarios {
		if tracesim.Scenarios[i].Name == "a lock kept during the wait" {
			s = &tracesim.Scenarios[i]
		}
	}
	trace, err := analyze.Load(s.Build(1).Run(t), analyze.Options{})
	if err != nil {
		t.Fatal(err)
	}
	of := replay.New(evidence.Gather(trace, evidence.Options{Seed: 1}), evidence.ExternalGPUUse{}, 1)
	var worker *analyze.Thread
	for b := range trace.Buffers() {
		worker = b.Committed.Thread
	}
	for _, c := range []struct {
		target analyze.ExperimentTarget
		at     change.DelayPoint
		lock   int32
		none   bool
	}{
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentCall, Calls: []string{"commit"}}, at: change.BeforeCommit},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentCall, Calls: []string{"commandBuffer"}},
			at: change.BeforeAcquire},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentOwn}, at: change.BeforeAcquire},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentWait}, at: change.AfterWait},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentHandler}, at: change.InHandler},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentLock, Name: "lock:a turn", Lock: 0x8000}, at: change.InLock,
			lock: 1},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentLock, Name: "lock:other", Lock: 0x9000}, none: true},
		{target: analyze.ExperimentTarget{Kind: wire.ExperimentOwn, Threads: []analyze.ThreadID{999999}}, none: true},
	} {
		x := &Estimate{Target: c.target, Injected: 5000}
		added, why := addedBy(trace, worker.Process, of, x)
		if (added == nil) != c.none || c.none && why == "" ||
			added != nil && (added.At != c.at || added.Lock != c.lock || added.By != 5000 || added.Threads != nil) {
			t.Errorf("%+v: %+v %s, locks %q", c.target, added, why, of.Locks())
		}
	}
	x := &Estimate{Target: analyze.ExperimentTarget{Kind: wire.ExperimentOwn, Threads: []analyze.ThreadID{worker.ID}}}
	if added, why := addedBy(trace, worker.Process, of, x); added == nil || len(added.Threads) != 1 {
		t.Errorf("%+v %s, want the one thread", added, why)
	}
}
