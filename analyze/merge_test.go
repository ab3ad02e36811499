package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestMerge: for any sources, the values come in order, and values of the same instant in the order of the sources.
func TestMerge(t *testing.T) {
	type value struct {
		at     Nanos
		source int
	}
	random := rand.New(rand.NewPCG(5, 5))
	for round := range 500 {
		left := make([][]Nanos, random.IntN(20))
		var firsts []Nanos
		var want, got []value
		for i := range left {
			for range random.IntN(30) {
				left[i] = append(left[i], Nanos(random.IntN(50)-10))
			}
			slices.Sort(left[i])
			for _, at := range left[i] {
				want = append(want, value{at, i})
			}
			left[i] = append(left[i], never)
			firsts = append(firsts, left[i][0])
		}
		slices.SortStableFunc(want, func(a, b value) int { return int(a.at - b.at) })
		for m := newMerge(firsts); m.least() < never; {
			i := m.first()
			got = append(got, value{m.least(), i})
			left[i] = left[i][1:]
			m.replace(left[i][0])
		}
		if !slices.Equal(got, want) {
			t.Fatalf("round %d: %v, not %v", round, got, want)
		}
	}
}

// BenchmarkMerge merges the events of threads that alternate at random.
func BenchmarkMerge(b *testing.B) {
	random := rand.New(rand.NewPCG(5, 5))
	firsts := make([]Nanos, 8)
	for i := range firsts {
		firsts[i] = Nanos(random.IntN(1000))
	}
	m := newMerge(firsts)
	for b.Loop() {
		m.replace(m.least() + Nanos(random.Uint64()%1000))
	}
}
