package analyze

import (
	"math/rand/v2"
	"testing"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// TestConverter: the loader's conversion, which caches and multiplies, equals the file's, which searches and divides,
// to the nanosecond, minus the offset of the process's clock, whatever the clock's frequency and the damage to its
// samples.
func TestConverter(t *testing.T) {
	random := rand.New(rand.NewPCG(8, 8))
	any := func() uint64 { return random.Uint64() >> random.IntN(64) }
	for round := range 2000 {
		p := &tracefile.Process{Clock: wire.ClockTSC}
		if random.IntN(2) == 0 {
			p.Ahead = int64(random.Uint64N(1<<57)) - 1<<56
		}
		expected := func(t wire.Ticks) Nanos {
			return min(max(min(max(Nanos(p.Nanos(t)), -latestInstant), latestInstant)-Nanos(p.Ahead), 0), latestInstant)
		}
		ticks, nanos := any()>>8, any()>>8
		for range 2 + random.IntN(4) {
			p.Samples = append(p.Samples, wire.ClockSample{Ticks: wire.Ticks(ticks), Nanos: int64(nanos)})
			step := 1 + any()>>12
			ticks += step
			switch round % 3 {
			case 0:
				nanos += step * 100 / 245 // a cycle counter
			case 1:
				nanos += any() >> 12 // any ratio
			case 2:
				nanos += step * 125 / 3 // slower than a nanosecond
			}
		}
		c := newConverter(p)
		if got, want := c.sharedTime(1<<40), min(max(1<<40-Nanos(p.Ahead), 0), latestInstant); got != want ||
			c.sharedTime(0) != 0 {
			t.Fatalf("round %d: an instant of the process's is at %d, not %d", round, got, want)
		}
		for range 50 {
			at := wire.Ticks(any())
			if random.IntN(2) == 0 {
				s := p.Samples[random.IntN(len(p.Samples))]
				at = s.Ticks + wire.Ticks(random.Uint64N(1<<20)) - 1<<19
			}
			want := expected(at)
			if got := c.at(at); got != want {
				t.Fatalf("round %d: tick %d is at %d, not %d, with samples %v", round, at, got, want, p.Samples)
			}
			if first := c.tick(want); c.at(first) != want || first > at || first > 0 && c.at(first-1) >= want {
				t.Fatalf("round %d: the first tick at %d is not %d, with samples %v", round, want, first, p.Samples)
			}
			later := at + wire.Ticks(random.Uint64N(1<<30))
			if got := c.interval(at, later); got.Begin != want || got.End != expected(later) {
				t.Fatalf("round %d: ticks %d to %d are at %v, not from %d, with samples %v", round, at, later, got, want, p.Samples)
			}
		}
	}
}
