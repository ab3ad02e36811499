//go:build !race

package collector

import (
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// A file that is shortened under a mapping raises SIGBUS in whoever reads it, and that would end the collector and with
// it the traces of all other processes.
//
// Not under the race detector: there an atomic load touches its address first, in Go, and then loads in C, on the
// scheduler's stack. A file that is shortened between the two, one in some thousand runs, is a fault on a stack that Go
// cannot unwind, and ends the program; without the detector the load is one instruction of the function that is
// guarded.
func TestMemoryMadeShorter(t *testing.T) {
	observer := seen{records: make(chan struct{}, 1)}
	r := startObserved(t, observer)
	conn := dial(t, r)
	region, memory := sendRegion(t, conn)
	thread, _ := region.Thread(firstThread, 1)
	thread.Record(wire.Record{Begin: 1, End: 2, Call: callCommit})
	if _, _, err := wiretest.DrainRing(conn, thread.Index, thread.Ring); err != nil {
		t.Fatal(err)
	}
	<-observer.records
	if err := memory.Truncate(wire.PageSize); err != nil {
		t.Skip("shared memory cannot be shortened here: ", err)
	}
	closedByCollector(t, conn)
	trace, result := r.finish()
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "was truncated") || len(result.Warnings) != 1 {
		t.Errorf("note %q, result %+v", note, result)
	}
	if n := trace.Streams()[0].Records; n != 2 {
		t.Errorf("%d records were kept", n)
	}
}
