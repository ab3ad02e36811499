package tracefile

import (
	"path/filepath"
	"slices"
	"testing"

	"mtrace/collector/wire"
)

const (
	benchRings   = 8
	benchRecords = 1 << 18 // in each ring
)

func writeBench(b *testing.B, path string, records []wire.Record) int64 {
	w, err := Create(path, Info{})
	if err != nil {
		b.Fatal(err)
	}
	p := w.AddProcess(wire.Hello{})
	position := uint64(0)
	for part := range slices.Chunk(records, 4096) { // about what a frame brings
		for ring := range uint16(benchRings) {
			if err := w.Records(p, ring, position, part); err != nil {
				b.Fatal(err)
			}
		}
		position += uint64(len(part))
	}
	if err := w.EndProcess(p, End{}); err != nil {
		b.Fatal(err)
	}
	if err := w.Close(Result{}); err != nil {
		b.Fatal(err)
	}
	return w.Size()
}

// calls are the records that are not More records of others.
func calls(records []wire.Record) (n int) {
	for _, r := range records {
		if r.Call != wire.CallMore {
			n++
		}
	}
	return n
}

// BenchmarkWrite writes a trace of eight threads from one goroutine.
func BenchmarkWrite(b *testing.B) {
	records := workload(benchRecords, benchRings)
	path := filepath.Join(b.TempDir(), "t.mtrace")
	var size int64
	for b.Loop() {
		size = writeBench(b, path, records)
	}
	b.ReportMetric(float64(size)/float64(benchRings*len(records)), "B/record")
	b.ReportMetric(float64(size)/float64(benchRings*calls(records)), "B/call")
	b.ReportMetric(float64(benchRings*len(records))*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}

// BenchmarkRead opens a trace and reads all of it in one goroutine.
func BenchmarkRead(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.mtrace")
	writeBench(b, path, workload(benchRecords, benchRings))
	n := 0
	for b.Loop() {
		n = 0
		r, err := Open(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, s := range r.Streams() {
			if err := r.Read(s, func(records []wire.Record) error { n += len(records); return nil }); err != nil {
				b.Fatal(err)
			}
		}
		r.Close()
	}
	b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mrecords/s")
}

func BenchmarkNanos(b *testing.B) {
	p := &Process{Clock: wire.ClockTSC}
	for i := range wire.Ticks(600) {
		p.Samples = append(p.Samples, wire.ClockSample{Ticks: i * 245e6, Nanos: int64(i) * 100e6})
	}
	t := wire.Ticks(0)
	for b.Loop() {
		t = (t + 123456789) % (600 * 245e6)
		p.Nanos(t)
	}
}
