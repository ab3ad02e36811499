package evidence

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// TestLongestGaps: the gaps kept while they arrive equal the result of sorting all of them, with equal gaps in the
// order of arrival.
func TestLongestGaps(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, count := range []int{0, 1, policy.MostGaps, 16 * policy.MostGaps, 16*policy.MostGaps + 1, 5000} {
		var g GPU
		var all []Gap
		for i := range count {
			begin := analyze.Nanos(i * 1000)
			gap := Gap{Interval: analyze.Interval{Begin: begin, End: begin + 1 + analyze.Nanos(random.IntN(300))}}
			all = append(all, gap)
			g.keep(gap)
		}
		slices.SortStableFunc(all, func(x, y Gap) int { return int(y.Length() - x.Length()) })
		if !slices.Equal(g.IdleGaps, all[:min(len(all), policy.MostGaps)]) {
			t.Errorf("of %d gaps %v were kept", count, g.IdleGaps)
		}
	}
}
