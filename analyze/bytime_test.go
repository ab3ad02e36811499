package analyze

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestByTime compares ByTime with the library's stable sort, on lists from good traces and from damaged ones.
func TestByTime(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	cases := map[string]func(i int) Nanos{
		"in order":     func(i int) Nanos { return Nanos(i) * 1000 },
		"two runs":     func(i int) Nanos { return Nanos(i%500) * 1000 },
		"equal":        func(int) Nanos { return 7 },
		"few values":   func(int) Nanos { return Nanos(random.IntN(3)) },
		"backwards":    func(i int) Nanos { return -Nanos(i) },
		"far apart":    func(int) Nanos { return Nanos(random.Uint64()) },
		"the extremes": func(i int) Nanos { return []Nanos{1<<63 - 1, -1 << 63, 0}[i%3] },
		"one unknown":  func(i int) Nanos { return max(0, latestInstant-Nanos((i+999)%1000)) * Nanos(min(i, 1)) },
	}
	for name, at := range cases {
		for _, n := range []int{0, 1, 2, 1000} {
			keys := make([]timeKey, n)
			for i := range keys {
				keys[i] = timeKey{at(i), uint32(i)}
			}
			want := slices.Clone(keys)
			slices.SortStableFunc(want, func(a, b timeKey) int { return cmp.Compare(a.at, b.at) })
			if got := byTime(keys); !slices.Equal(got, want) {
				t.Errorf("%s, %d keys: %v, want %v", name, n, got, want)
			}
		}
	}
}
