package analyze_test

import (
	"os"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/tracesim"
	"mtrace/collector/wire"
)

// BenchmarkLoad reads a trace of four threads that make one command buffer for each 11 calls, the least there can be, or for each
// 50, as machine learning frameworks do.
func BenchmarkLoad(b *testing.B) {
	b.Run("calls=11", func(b *testing.B) { benchmarkLoad(b, 5, 100_000) })
	b.Run("calls=50", func(b *testing.B) { benchmarkLoad(b, 44, 25_000) })
}

func benchmarkLoad(b *testing.B, encoded, rounds int64) {
	b.Helper()
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
			for i := range encoded {
				r.Add(setPipeline, at+100+10*i, at+105+10*i, id+1, 7)
			}
			r.Add(endEncoding, at+600, at+610, id+1, 0)
			r.Add(commit, at+620, at+2000, id, 0)
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
	events := 4 * rounds * (encoded + 6)
	b.ReportAllocs()
	b.ResetTimer()
	for range b.N {
		if _, err := analyze.Load(path, analyze.Options{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*float64(events)/b.Elapsed().Seconds()/1e6, "Mevents/s")
	b.ReportMetric(float64(info.Size())/float64(events), "B/event")
}
