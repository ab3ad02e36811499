package collector

import (
	"testing"
	"time"

	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// A process that dies in its first millisecond leaves one sample, from which no rate can be derived. The collector's
// own samples, from the process's hello and from its end, give it a rate.
func TestShortProcessHasAClock(t *testing.T) {
	observer := seen{records: make(chan struct{}, 1)}
	r := startObserved(t, observer)
	conn := dial(t, r)
	first, ok := sampleClock(wire.ClockTSC)
	if !ok {
		t.Fatal("no clock")
	}
	region, _ := sendRegionWith(t, conn, wire.ClockTSC, first)
	thread, _ := region.Thread(firstThread, first.Ticks)
	if _, _, err := wiretest.DrainRing(conn, thread.Index, thread.Ring); err != nil {
		t.Fatal(err)
	}
	<-observer.records
	conn.Close()
	time.Sleep(5 * time.Millisecond)
	trace, _ := r.finish()
	p := trace.Processes()[0]
	if len(p.Samples) < 2 {
		t.Fatalf("samples %v", p.Samples)
	}
	now, _ := sampleClock(wire.ClockTSC)
	if off := p.Nanos(now.Ticks) - now.Nanos; off < -100_000 || off > 100_000 {
		t.Errorf("the clock is off by %d ns after %d ms, samples %v", off, (now.Nanos-first.Nanos)/1e6, p.Samples)
	}
}
