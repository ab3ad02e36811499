package report

import (
	"io"
	"path/filepath"
	"runtime/debug"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/collector/wire"
	"mtrace/fixtures/longtrace"
	"mtrace/fixtures/tracesim"
)

// large is a trace of eight threads with a hundred thousand command buffers in all, each waited for.
func large(b *testing.B) *analyze.Trace {
	b.Helper()
	const threads, rounds = 8, 12_500
	file, p := tracesim.NewFile()
	handler := p.Thread(99, "completion", 1000)
	var (
		create  = wire.MustLookup(wire.FamilyQueue, "commandBuffer")
		queue   = wire.MustLookup(wire.FamilyDevice, "newCommandQueue")
		encoder = wire.MustLookup(wire.FamilyCommandBuffer, "computeCommandEncoder")
		end     = wire.MustLookup(wire.FamilyEncoder, "endEncoding")
		commit  = wire.MustLookup(wire.FamilyCommandBuffer, "commit")
		wait    = wire.MustLookup(wire.FamilyCommandBuffer, "waitUntilCompleted")
	)
	for t := range int64(threads) {
		r := p.Thread(uint64(10+t), "worker", 1000)
		at := 1000 + t*10_000
		r.AddMore(wire.Record{Begin: wire.Ticks(at), End: wire.Ticks(at + 50), Object: 1, Arg: uint64(2 + t), Call: queue},
			wire.More{})
		id := uint32(100 + t*10*rounds)
		for range rounds {
			r.Add(create, at+100, at+160, uint32(2+t), uint64(id))
			r.Add(encoder, at+170, at+190, id, uint64(id+1))
			r.Add(end, at+200, at+210, id+1, 0)
			r.Add(commit, at+220, at+2000, id, 0)
			r.Add(wait, at+2100, at+80_000, id, 0)
			handler.AddMore(wire.Record{Begin: wire.Ticks(at + 75_000), End: wire.Ticks(at + 75_100), Object: wire.ObjectID(id),
				Arg: 4, Call: wire.CallCompleted},
				wire.More{X0: uint64(at + 10_000), X1: uint64(at + 70_000)})
			id += 2
			at += 81_000
		}
	}
	trace, err := analyze.Load(file.Write(b), analyze.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return trace
}

// BenchmarkBuild runs all analyses on a trace with a hundred thousand command buffers.
func BenchmarkBuild(b *testing.B) {
	trace := large(b)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		Build(trace, Options{})
	}
	b.ReportMetric(float64(len(trace.CommandBuffers))*float64(b.N)/b.Elapsed().Seconds(), "buffers/s")
}

// BenchmarkCauses finds the causes in the windows of a long trace, of any length: evidence, tests, verdict, replay,
// predictions.
func BenchmarkCauses(b *testing.B) {
	path := filepath.Join(b.TempDir(), "t.mtrace")
	const callsOfAWindow = 70_000 // UsualLimits.Window records
	if _, err := longtrace.Write(path, longtrace.Shapes[0], callsOfAWindow, 1); err != nil {
		b.Fatal(err)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(analyze.GCPercent)) // as the command does
	for b.Loop() {
		for range windows {
			b.StopTimer()
			trace, err := analyze.Load(path, analyze.Options{})
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if v := cause.Analyze(trace, cause.Options{}).Verdict; v.Cause == "" {
				b.Fatal("no verdict")
			}
		}
	}
	b.ReportMetric(b.Elapsed().Seconds()/float64(b.N), "s/trace")
}

// BenchmarkText writes the report of it.
func BenchmarkText(b *testing.B) {
	r := Build(large(b), Options{})
	for b.Loop() {
		if err := r.WriteText(io.Discard, Options{All: true}); err != nil {
			b.Fatal(err)
		}
	}
}
