package analyze_test

import (
	"os"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/tracesim"
	"mtrace/collector/wire"
)

// BenchmarkLoad reads a trace of four threads that make one command buffer for each ten calls.
func BenchmarkLoad(b *testing.B) {
	const rounds = 100_000
	f, p := tracesim.NewFile()
	for t := range int64(4) {
		r := p.Thread(uint64(10+t), "worker", 1000)
		at := 1000 + t*10
		r.AddMore(wire.Record{Begin: wire.Ticks(at), End: wire.Ticks(at + 50), Object: 1, Arg: uint64(2 + t), Call: newQueue}, wire.More{})
		id := uint32(100 + t*10*rounds)
		for range rounds {
			at += 100
			r.Add(commandBuffer, at, at+60, uint32(2+t), uint64(id))
			r.Add(computeEncoder, at+70, at+90, id, uint64(id+1))
			for i := range int64(5) {
				r.Add(setPipeline, at+100+10*i, at+105+10*i, id+1, 7)
			}
			r.Add(endEncoding, at+200, at+210, id+1, 0)
			r.Add(commit, at+220, at+2000, id, 0)
			r.Add(waitUntilCompleted, at+2100, at+20_000, id, 0)
			completed(r, at+19_000, id, at+5000, at+18_000)
			id += 2
			at += 21_000
		}
	}
	path := f.Write(b)
	info, err := os.Stat(path)
	if err != nil {
		b.Fatal(err)
	}
	const events = 4 * rounds * 11
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := analyze.Load(path, analyze.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*events/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(info.Size())/events, "B/event")
}
