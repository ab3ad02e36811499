package profile

import (
	"runtime/debug"
	"syscall"
	"testing"
	"time"

	"mtrace/analyze"
	"mtrace/fixtures/tracetest"
)

// BenchmarkBuild makes the GPU's and the waits' profile of a loaded trace: a sample is a command buffer's work, or a
// wait.
func BenchmarkBuild(b *testing.B) {
	const steps = 50_000
	trace, err := analyze.Load(tracetest.Steps(b, steps), analyze.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(analyze.GCPercent)) // as the command does
	before := processorTime(b)
	b.ResetTimer()
	for range b.N {
		if _, err := BuildAll([]string{"gpu", "wait"}, trace); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(2*steps*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
	b.ReportMetric(2*steps*float64(b.N)/(processorTime(b)-before).Seconds()/1e6, "Msamples/cpu-s")
}

// processorTime returns the processor time of the process so far. On a machine with other load it is more reliable than
// the clock.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
