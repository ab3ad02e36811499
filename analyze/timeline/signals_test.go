package timeline

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/tracetest"
)

// TestSignals: an arrow leads from the moment at which a thread gave a signal to the end of the wait for it, in both
// formats.
func TestSignals(t *testing.T) {
	path := filepath.Join(t.TempDir(), "signals.mtrace")
	f := tracetest.Create(t, path)
	p := f.Process(7, "signals")
	a, b := p.Thread(8, "main"), p.Thread(9, "worker")
	a.NewQueue("q")
	a.SignalWait("ready", 0x2000, 9, 5000, 200)
	a.TimedOut(func() { a.SignalWait("late", 0x2000, 9, 600, 0) })
	a.SignalWait("unknown", 0x2000, 0, 700, 0)
	b.Call(wire.FamilyCommandBuffer, "commit", b.NewObject(), 0, 2000, nil)
	b.SignalWait("work", 0x3000, 8, 3000, 100)
	end := a.Now
	p.End()
	f.Close()
	data, trace := write(t, path, perfettoOf)
	ends := map[string]string{} // by flow
	var got []string
	perfetto, _ := replay(t, data)
	for _, s := range perfetto {
		if s.flowsEnd != "" {
			ends[s.flowsEnd] = fmt.Sprintf("%s %d", s.track, s.end)
		}
	}
	for _, s := range perfetto {
		if s.category == signalGiven {
			got = append(got, fmt.Sprintf("%s %s at %d, to %s", s.track, s.name, s.begin, ends[s.flows]))
		}
	}
	slices.Sort(got)
	var want []string
	for _, w := range trace.CPUWaits.Signals {
		if w.Signaller != nil {
			want = append(want, fmt.Sprintf("7/signals of %s %s at %d, to 7/%s %d", w.Signaller.Name, w.Name, w.Signalled,
				w.Thread.Name, w.End))
		}
	}
	slices.Sort(want)
	if len(want) != 2 || !slices.Equal(got, want) {
		t.Errorf("Perfetto shows %q, want %q", got, want)
	}
	js, _ := write(t, path, chromeOf)
	begins, stops := map[string]int64{}, map[string]int64{}
	for _, e := range readChrome(t, js) {
		switch {
		case e.Name == "signal" && e.Ph == "s":
			begins[e.ID] = nanos(t, e.Ts)
		case e.Name == "signal" && e.Ph == "f":
			stops[e.ID] = nanos(t, e.Ts)
		}
	}
	if len(begins) != 2 || len(stops) != 2 {
		t.Errorf("Chrome has %d beginnings and %d ends of signals", len(begins), len(stops))
	}
	for id, at := range begins {
		if stops[id] <= at || stops[id] > tracetest.Epoch+end {
			t.Errorf("the arrow of a signal leads from %d to %d", at, stops[id])
		}
	}
}
