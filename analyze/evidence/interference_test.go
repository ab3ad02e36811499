package evidence

import (
	"math/rand/v2"
	"testing"

	"mtrace/analyze"
)

// tick is the resolution of mach_absolute_time on Apple's chips (24 MHz), in picoseconds: most calls take zero, one or
// two ticks.
const tick = 41667

// ticked returns the clock's reading in nanoseconds at a time in picoseconds.
func ticked(picos int64) analyze.Nanos { return analyze.Nanos(picos / tick * tick / 1000) }

// shortCalls returns calls of four threads, of 60 ns and a little more; overlapping calls take longer by slower for
// each other call.
func shortCalls(seed uint64, slower int64) []analyze.Call {
	random := rand.New(rand.NewPCG(seed, 24))
	threads := make([]analyze.Thread, 4)
	ends := make([]int64, len(threads))
	var calls []analyze.Call
	now := int64(1_000_000)
	for range 3000 {
		now += int64(random.ExpFloat64() * 40_000)
		who := random.IntN(len(threads))
		if ends[who] > now {
			continue
		}
		inside := int64(0)
		for _, end := range ends {
			if end > now {
				inside++
			}
		}
		length := 30_000 + int64(random.ExpFloat64()*30_000) + slower*inside
		ends[who] = now + length
		calls = append(calls, analyze.Call{Thread: &threads[who], Interval: analyze.Interval{Begin: ticked(now),
			End: ticked(now + length)}})
	}
	return calls
}

// TestTicksMakeNoInterference: a clock of 41.67 ns makes most durations of short calls equal. Ranks that broke such
// ties by the order of the calls would show later calls as longer. With shared ranks and permutations of them,
// independent calls interfere no more often than by chance, and calls that do interfere are still found.
func TestTicksMakeNoInterference(t *testing.T) {
	const rounds = 100
	opts := Options{Permutations: 200}
	found := func(slower int64) (n int) {
		for seed := range uint64(rounds) {
			opts.Seed = seed
			r, told := testInterference(shortCalls(seed, slower), opts)
			if !told {
				t.Fatal("too few calls to tell")
			}
			if r.PValue < 0.05 {
				n++
			}
		}
		return n
	}
	if n := found(0); n > 12 { // of 100 at 5%: more than 12 come once in 700 times
		t.Errorf("%d of %d independent programs interfere", n, rounds)
	}
	if n := found(20_000); n < 95 {
		t.Errorf("only %d of %d programs whose calls slow each other down by half a tick interfere", n, rounds)
	}
}
