package report

import (
	"bytes"
	"strings"
	"testing"

	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
)

// TestRecordingOfInstruments: a recording of Instruments goes through the same analyses as our own traces. Facts that
// it lacks are reported as unknown, not made up.
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
		t.Errorf("source %q, %d threads, GPU busy for %d, overhead %q", r.Source.Kind, len(r.Threads), r.GPU.BusyNS,
			r.Overhead.Source)
	}
	var b bytes.Buffer
	if err := r.WriteText(&b, Options{All: true}); err != nil || !strings.Contains(b.String(), "VERDICT") {
		t.Errorf("%v\n%s", err, b.String())
	}
	// The story: ten lines in a row said that Instruments does not record something, and queues of a recording without
	// threads had 0 of them.
	text := strings.Join(strings.Fields(b.String()), " ")
	if strings.Count(text, "SKIPPED: Instruments") != 1 ||
		!strings.Contains(text, "what would show these: compilation in the middle of the work, ") {
		t.Error("what Instruments does not record is not told in one line")
	}
	// For a recording without calls the report said "0 calls, none lost".
	if headline, _, _ := strings.Cut(text, "VERDICT"); !strings.Contains(headline, " traced · 60 command buffers") ||
		strings.Contains(headline, " calls") || strings.Contains(headline, "lost") {
		t.Errorf("how much there is in it: %s", headline)
	}
	unknown := &Report{Source: Source{NotRecorded: []string{"calls"}},
		Queues: []Queue{{ID: 1, Label: "(all queues)", CommandBuffers: 4}}}
	if row := queueRows(unknown)[0]; row != (queueRow{Name: "1 (all queues)", CommandBuffers: "4"}) {
		t.Errorf("the unknown facts of a queue are %+v", row)
	}
	if traced := queueRows(&Report{Queues: []Queue{{ID: 1}}})[0]; traced.Threads != "0" || traced.Mean != "0.00" ||
		traced.Capacity == "" {
		t.Errorf("a queue of our own that was not used is %+v", traced)
	}
}
