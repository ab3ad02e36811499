package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestDurations: the histogram is the one that the library would have made call by call.
func TestDurations(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	sums, want := callSums{CallStat: &CallStat{Min: 1<<63 - 1}}, hdrhistogram.New(1, longestCall, 3)
	add := func(d Nanos) {
		sums.add(d)
		if err := want.RecordValue(int64(min(d, longestCall))); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []Nanos{0, 1, 2047, 2048, 2049, 4095, 4096, longestCall - 1, longestCall, longestCall + 1, longestTime} {
		add(d)
	}
	for range 50_000 {
		add(Nanos(random.Uint64N(1 << (1 + random.IntN(45)))))
	}
	sums.finish()
	if !slices.Equal(sums.Durations.Export().Counts, want.Export().Counts) || sums.Durations.TotalCount() != want.TotalCount() {
		t.Error("the classes differ from the library's")
	}
	if sums.Min != 0 || sums.Max != longestTime {
		t.Errorf("from %d to %d", sums.Min, sums.Max)
	}
}
