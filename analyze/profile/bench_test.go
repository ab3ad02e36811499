package profile

import (
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/tracetest"
)

// BenchmarkBuild makes the GPU's and the waits' profile of a loaded trace: a sample is a command buffer's work, or a wait.
func BenchmarkBuild(b *testing.B) {
	const steps = 50_000
	trace, err := analyze.Load(tracetest.Steps(b, steps), analyze.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		for _, kind := range []string{"gpu", "wait"} {
			if _, err := Build(kind, trace); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(2*steps*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msamples/s")
}
