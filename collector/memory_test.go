package collector

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
	"mtrace/fixtures/wiretest"
)

// Memory that is no region is refused with a reason.
func TestBadMemory(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*os.File) error
		log    string
	}{
		"too small": {func(f *os.File) error { return f.Truncate(4096) }, "4096 bytes"},
		"zeros":     {func(f *os.File) error { return nil }, "begins with 0x0000000000000000"},
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
	if _, err := memory.WriteAt(binary.LittleEndian.AppendUint64(nil, 1<<40),
		wire.PageSize+wire.RingHeadOffset); err != nil {
		t.Fatal(err)
	}
	closedByCollector(t, conn)
	trace, _ := r.finish()
	if note := trace.Processes()[0].End.Note; !strings.Contains(note, "ring 0 states that it holds") {
		t.Errorf("note %q", note)
	}
}

// A ring that was exactly full when its process was killed lost its two oldest records. They are in slots where the
// thread might have been writing, but without a released slot it cannot write.
func TestOldest(t *testing.T) {
	const n = wire.RecordsPerRing
	for _, c := range []struct{ head, tail, want uint64 }{
		{0, 0, 0},
		{10, 0, 0},
		{10, 10, 0},    // nothing was overwritten yet
		{n, 0, 0},      // full
		{n + 7, 7, 7},  // full, further on
		{n + 7, 8, 8},  // the thread may be writing one
		{n + 7, 9, 9},  // or two
		{n + 7, 10, 9}, // of the released ones, all but those two
		{5 * n, 5 * n, 4*n + 2},
	} {
		if got := oldest(c.head, c.tail); got != c.want {
			t.Errorf("head %d, tail %d: %d, want %d", c.head, c.tail, got, c.want)
		}
	}
}

func TestFullRingIsSalvaged(t *testing.T) {
	r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
	w, err := tracefile.Create(r.path, tracefile.Info{})
	if err != nil {
		t.Fatal(err)
	}
	if r.Collector, err = New(Options{Writer: w}); err != nil {
		t.Fatal(err)
	}
	cmd, truth := task{Threads: 2, Calls: wire.RecordsPerRing, Drain: "no"}.start(t, r.Address())
	r.wait(cmd)
	trace, result := r.finish()
	checkThreads(t, trace, 0, truth, 2, false)
	if result.Records < 2*(wire.RecordsPerRing-1) || result.Salvaged != result.Records {
		t.Errorf("result %+v", result)
	}
}

// The process that runs the collector can react with more processors when one is not enough: Behind is called when a
// poll finds more than half a ring of new records.
func TestBehind(t *testing.T) {
	for records, want := range map[int]bool{wire.RecordsPerRing / 4: false, wire.RecordsPerRing/2 + 1: true} {
		r := &recording{path: filepath.Join(t.TempDir(), "t.mtrace"), tb: t}
		w, err := tracefile.Create(r.path, tracefile.Info{})
		if err != nil {
			t.Fatal(err)
		}
		behind := make(chan struct{}, 1)
		if r.Collector, err = New(Options{Writer: w, Behind: func() { behind <- struct{}{} }}); err != nil {
			t.Fatal(err)
		}
		go r.Serve(context.Background())
		region, _ := sendRegion(t, dial(t, r))
		thread, _ := region.Thread(firstThread, 1)
		thread.Record(slices.Repeat([]wire.Record{{Begin: 1, End: 2, Call: callCommit}}, records)...)
		for !thread.Drained() {
			time.Sleep(time.Millisecond)
		}
		r.finish()
		if got := len(behind) > 0; got != want {
			t.Errorf("%d records at once: behind is %v", records, got)
		}
	}
}

// Rings that are more than a quarter full are drained in parallel, and each record is there once, in the order of its
// ring.
func TestFullRingsBesideEachOther(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	const rings, records = 5, wire.RecordsPerRing / 2
	r := startRecording(t)
	conn := dial(t, r)
	region, _ := sendRegion(t, conn)
	var threads []*wiretest.Thread
	for i := range uint64(rings) {
		thread, _ := region.Thread(firstThread+i, 1)
		thread.Record(numbered(i, records)...)
		threads = append(threads, thread)
	}
	for _, thread := range threads {
		for !thread.Drained() {
			time.Sleep(time.Millisecond)
		}
	}
	trace, result := r.finish()
	if result.Records != rings*(records+1) || result.Lost != 0 {
		t.Errorf("result %+v", result)
	}
	for _, s := range trace.Streams() {
		next := uint64(0)
		if err := trace.Read(s, func(all []wire.Record) error {
			for _, record := range all {
				if record.Call != callCommit {
					continue
				}
				if record.Arg != uint64(s.Ring)<<32|next {
					return fmt.Errorf("ring %d: %#x where %d belongs", s.Ring, record.Arg, next)
				}
				next++
			}
			return nil
		}); err != nil || next != records {
			t.Errorf("ring %d: %d records, %v", s.Ring, next, err)
		}
	}
}

// numbered returns records that contain their ring's number and their own.
func numbered(ring uint64, n int) (records []wire.Record) {
	for i := range uint64(n) {
		records = append(records, wire.Record{Begin: wire.Ticks(2 * i), End: wire.Ticks(2*i + 1), Arg: ring<<32 | i,
			Call: callCommit})
	}
	return records
}
