package collector

import (
	"encoding/binary"
	"os"
	"strings"
	"testing"

	"mtrace/collector/wire"
	"mtrace/collector/wire/wiretest"
)

// A file that is shortened under a mapping raises SIGBUS in whoever reads it. The prototype's collector died of it.
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
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "made shorter") || len(result.Warnings) != 1 {
		t.Errorf("note %q, result %+v", note, result)
	}
	if n := trace.Streams()[0].Records; n != 2 {
		t.Errorf("%d records were kept", n)
	}
}

// What is no region is refused with a reason.
func TestBadMemory(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*os.File) error
		log    string
	}{
		"too small": {func(f *os.File) error { return f.Truncate(4096) }, "4096 bytes"},
		"zeros":     {func(f *os.File) error { return nil }, "starts with 0x0000000000000000"},
		"version": {func(f *os.File) error {
			_, err := f.WriteAt(binary.LittleEndian.AppendUint64(nil, wire.RegionMagic), wire.RegionMagicOffset)
			return err
		}, "version 0"},
	} {
		r := startRecording(t)
		conn := dial(t, r)
		memory, err := wiretest.Memory()
		if err == nil {
			err = c.change(memory)
		}
		if err == nil {
			err = wiretest.SendRings(conn, memory)
		}
		if err != nil {
			t.Fatal(err)
		}
		memory.Close()
		closedByCollector(t, conn)
		r.finish()
		if !strings.Contains(r.log.String(), c.log) {
			t.Errorf("%s: log %q", name, r.log.String())
		}
	}
}

// Ring headers that make no sense end the process's part, and nothing is read outside the ring.
func TestBadRingHeader(t *testing.T) {
	r := startRecording(t)
	conn := dial(t, r)
	region, memory := sendRegion(t, conn)
	thread, _ := region.Thread(firstThread, 1)
	if _, _, err := wiretest.DrainRing(conn, thread.Index, thread.Ring); err != nil {
		t.Fatal(err)
	}
	if _, err := memory.WriteAt(binary.LittleEndian.AppendUint64(nil, 1<<40), wire.PageSize+wire.RingHeadOffset); err != nil {
		t.Fatal(err)
	}
	closedByCollector(t, conn)
	trace, _ := r.finish()
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "ring 0 claims to hold") {
		t.Errorf("note %q", note)
	}
}
