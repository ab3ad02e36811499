package cause

import (
	"slices"
	"strings"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/replay"
)

// The demo with a device-wide synchronisation, eight Python threads: without that wait the threads wait for the GIL,
// and without the GIL they wait for all threads' work. In 2 of 8 runs the removal of neither alone was shown to make
// the run faster, and the verdict was "none".
func TestFaultsThatOnlyHelpTogether(t *testing.T) {
	unsure := func(cause string, lost analyze.Nanos) Finding {
		return Finding{Cause: cause, Present: true, Lost: lost, Summary: cause + ".",
			Speedup: &replay.Speedup{Estimate: 1.04, Low: 0.99, High: 1.12}}
	}
	chance := unsure(InterpreterLock, 200)
	chance.QValue = 0.9
	for name, c := range map[string]struct {
		second Finding
		both   replay.Speedup
		want   string
		close  []string
	}{
		"only together": {unsure(InterpreterLock, 200), replay.Speedup{Estimate: 1.49, Low: 1.01, High: 1.67}, DeviceWideSync,
			[]string{InterpreterLock}},
		"not even together": {unsure(InterpreterLock, 200), replay.Speedup{Estimate: 1.1, Low: 0.98,
			High: 1.3}, None, nil},
		"the second costs next to nothing": {unsure(InterpreterLock, 1), replay.Speedup{Estimate: 1.49, Low: 1.2,
			High: 1.67}, None, nil},
		"the second may be chance": {chance, replay.Speedup{Estimate: 1.49, Low: 1.2, High: 1.67}, None, nil},
	} {
		ev := &evidence.Evidence{Trace: &analyze.Trace{CommandBuffers: make([]analyze.CommandBuffer, 100)},
			Submitters: evidence.Submitters{Time: 1000}}
		v := Verdict{Causes: []Finding{unsure(DeviceWideSync, 400), c.second}}
		v.decide(ev)
		if v.Cause != None {
			t.Fatalf("%s: alone it is %s", name, v.Cause)
		}
		if pair := v.jointFaults(ev, map[string]replay.Change{DeviceWideSync: {}, InterpreterLock: {}}); pair != nil {
			v.chooseJointly(ev, &Together{[2]string(pair), c.both})
		}
		if v.Cause != c.want || !slices.Equal(v.CloseCalls, c.close) ||
			(v.Cause != None && !strings.Contains(v.Summary, "1.49x faster")) {
			t.Errorf("%s: %s, close %q, want %s, close %q: %s", name, v.Cause, v.CloseCalls, c.want, c.close, v.Summary)
		}
	}
}
