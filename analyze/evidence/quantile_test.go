package evidence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze"
)

// The median once sorted its argument in place, and a caller that read a percentile from its own list afterwards got a
// wrong one.
func TestTypicalLeavesTheListAsItIs(t *testing.T) {
	list := []analyze.Nanos{5, 1, 4, 2, 3, 6}
	was := slices.Clone(list)
	if m, q, s := Median(list), Quickest(list, 6), SpreadOf(list); m != 4 || q != 2 || s != 3 || !slices.Equal(list, was) {
		t.Errorf("median %d, quickest %d, spread %d, and the list is %v", m, q, s, list)
	}
	if Median(nil) != 0 {
		t.Error("nothing has a median")
	}
}

// A median was computed by sorting the whole list, which took a tenth of a report's time. Selection without sorting
// must return the same for any list: few values many times over, in order, backwards, and shuffled.
func TestNthIsThatOfTheSortedList(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, values := range []int64{1, 2, 10, 1 << 40} {
		for _, length := range []int{1, 2, 31, 33, 100, 1000, 5000} {
			list := make([]analyze.Nanos, length)
			for i := range list {
				list[i] = analyze.Nanos(random.Int64N(values))
			}
			sorted := slices.Sorted(slices.Values(list))
			backwards := slices.Clone(sorted)
			slices.Reverse(backwards)
			for _, given := range [][]analyze.Nanos{list, sorted, backwards} {
				for _, n := range []int{0, length / 10, length / 2, length - 1} {
					if got := nth(slices.Clone(given), n); got != sorted[n] {
						t.Fatalf("of %d of %d values the place %d has %d, not %d", length, values, n, got, sorted[n])
					}
				}
			}
		}
	}
}
