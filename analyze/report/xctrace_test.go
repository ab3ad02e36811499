package report

import (
	"bytes"
	"strings"
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
)

// TestRecordingOfInstruments: a recording of Instruments goes through the same analyses as our own traces; what it cannot tell is
// said, not made up.
func TestRecordingOfInstruments(t *testing.T) {
	inputs, _, err := xctrace.Inputs([]string{"../../fixtures/xctrace/recording"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	recording, err := xctrace.Load(inputs, nil)
	if err != nil {
		t.Fatal(err)
	}
	trace, err := summary.Trace(recording, summary.Filter{})
	if err != nil {
		t.Fatal(err)
	}
	checkWhole(t, trace)
	r := Build(trace, Options{})
	if r.Source.Kind != "xctrace" || len(r.Threads) == 0 || r.GPU.BusyNS == 0 || r.Overhead.Source != "unknown" {
		t.Errorf("source %q, %d threads, GPU busy for %d, overhead %q", r.Source.Kind, len(r.Threads), r.GPU.BusyNS, r.Overhead.Source)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, Options{}); err != nil || !strings.Contains(b.String(), "VERDICT") {
		t.Errorf("%v\n%s", err, b.String())
	}
	t.Log(b.String())
}
