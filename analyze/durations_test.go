package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/HdrHistogram/hdrhistogram-go"
)

// TestDurations: classes, quantiles, mean and bounds equal the results of the library that defines the classes, for one
// list and for two merged ones.
func TestDurations(t *testing.T) {
	random := rand.New(rand.NewPCG(6, 6))
	sums, other, want := CallStat{Min: 1<<63 - 1, Durations: &Durations{}}, &Durations{}, hdrhistogram.New(1, longestCall,
		3)
	add := func(d Nanos) {
		if sums.add(d); random.IntN(2) == 0 {
			other.Add(d)
			_ = want.RecordValue(int64(min(d, longestCall)))
		}
		if err := want.RecordValue(int64(min(d, longestCall))); err != nil {
			t.Fatal(err)
		}
	}
	for _, d := range []Nanos{0, 1, 2047, 2048, 2049, 4095, 4096, longestCall - 1, longestCall, longestCall + 1,
		longestTime} {
		add(d)
	}
	for range 50_000 {
		add(Nanos(random.Uint64N(1 << (1 + random.IntN(45)))))
	}
	got := sums.Durations
	got.Merge(other)
	got.Merge(nil)
	counts := make([]int64, len(want.Export().Counts))
	got.each(func(c durationClass, n int64) bool {
		counts[c] = n
		return true
	})
	if !slices.Equal(counts, want.Export().Counts) || got.Count() != want.TotalCount() {
		t.Error("the classes differ from the library's")
	}
	if sums.Min != 0 || sums.Max != longestTime {
		t.Errorf("from %d to %d", sums.Min, sums.Max)
	}
	if int64(got.Min()) != want.Min() || int64(got.Max()) != want.Max() || got.Mean() != want.Mean() {
		t.Errorf("from %d to %d, mean %v; the library says from %d to %d, mean %v", got.Min(), got.Max(), got.Mean(),
			want.Min(), want.Max(), want.Mean())
	}
	for _, percent := range []float64{0.001, 1, 5, 50, 95, 99, 99.999, 100} {
		if got, want := got.At(percent), want.ValueAtPercentile(percent); int64(got) != want {
			t.Errorf("%v%% are not longer than %d; the library says %d", percent, got, want)
		}
	}
	var none Durations
	if none.Count() != 0 || none.Min() != 0 || none.Max() != 0 || none.Mean() != 0 || none.At(50) != 0 {
		t.Error("there is something where nothing was added")
	}
}

// TestDurationsAreSmall: a kind of call whose durations span more than a decade takes a fifth of the memory of all
// classes. Long reports have such a histogram for each kind in each of their ranges.
func TestDurationsAreSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(7, 7))
	var h Durations
	for range 200_000 {
		h.Add(Nanos(2_000 + random.ExpFloat64()*3_000))
	}
	bytes := len(h.pages) * int(unsafe.Sizeof(h.pages[0]))
	for _, p := range h.pages {
		if p != nil {
			bytes += int(unsafe.Sizeof(*p))
		}
	}
	if all := hdrhistogram.New(1, longestCall, 3).ByteSize(); bytes*5 > all {
		t.Errorf("%d bytes, of %d", bytes, all)
	}
}
