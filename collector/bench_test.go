package collector

import (
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"mtrace/collector/tracefile"
)

// measure runs one recording and reports its rates and losses.
func measure(b *testing.B, t task) {
	var records, lost uint64
	var bytes int64
	var took time.Duration
	for b.Loop() {
		r := startRecording(b)
		cmd, truth := t.start(b, r.Address())
		r.wait(cmd)
		_, result := r.finish()
		took += time.Since(time.Unix(0, atomic.LoadInt64(truth.began())))
		records += result.Records
		lost += result.Lost
		bytes += result.Bytes
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(records)/took.Seconds()/1e6, "Mrecords/s")
	b.ReportMetric(float64(bytes)/float64(records), "B/record")
	b.ReportMetric(100*float64(lost)/float64(records+lost), "%lost")
}

// BenchmarkSocket: a traced process that records as fast as it is drained, from its rings to the file, on the same
// cores.
func BenchmarkSocket(b *testing.B) {
	measure(b, task{Threads: 2, Workload: 2_000_000, Drain: "yes", Block: true})
}

// BenchmarkMemory: the same without a drainer: the collector reads the shared memory.
func BenchmarkMemory(b *testing.B) {
	measure(b, task{Threads: 2, Workload: 2_000_000, Drain: "no", Block: true})
}

// BenchmarkPaced: two threads with 2 million records a second together, which drop records without space and spin
// between their records.
func BenchmarkPaced(b *testing.B) {
	measure(b, task{Threads: 2, Workload: 2_000_000, Rate: 1_000_000, Drain: "yes"})
}

// BenchmarkPacedMemory: the same without a drainer.
func BenchmarkPacedMemory(b *testing.B) {
	measure(b, task{Threads: 2, Workload: 2_000_000, Rate: 1_000_000, Drain: "no"})
}

// BenchmarkSalvage: all the rings of a dead process, full.
func BenchmarkSalvage(b *testing.B) {
	var records uint64
	var took time.Duration
	for b.Loop() {
		w, err := tracefile.Create(filepath.Join(b.TempDir(), "t.mtrace"), tracefile.Info{})
		if err != nil {
			b.Fatal(err)
		}
		c, err := New(Options{Writer: w})
		if err != nil {
			b.Fatal(err)
		}
		cmd, _ := task{Threads: 32, Workload: 65_000, Drain: "no"}.start(b, c.Address())
		cmd.Wait()
		began := time.Now()
		result, err := c.Close()
		if err != nil {
			b.Fatal(err)
		}
		took += time.Since(began)
		records += result.Records
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(records)/took.Seconds()/1e6, "Mrecords/s")
	b.ReportMetric(took.Seconds()*1e3/float64(b.N), "ms/end")
}
