package tracefile

import (
	"math"
	"math/rand/v2"
	"testing"

	"mtrace/collector/wire"
)

// TestNanos: each clock's ticks are converted by the process's own timebase: two processes of one trace may have
// different timebases, as under Rosetta.
func TestNanos(t *testing.T) {
	tsc := func(samples ...wire.ClockSample) *Process { return &Process{Clock: wire.ClockTSC, Samples: samples} }
	mach := &Process{Clock: wire.ClockMach, TimebaseNumer: 125, TimebaseDenom: 3}
	two := tsc(wire.ClockSample{Ticks: 1000, Nanos: 50_000}, wire.ClockSample{Ticks: 3000, Nanos: 51_000},
		wire.ClockSample{Ticks: 4000, Nanos: 53_000})
	for _, c := range []struct {
		name  string
		p     *Process
		ticks wire.Ticks
		want  int64
	}{
		{"nanoseconds", &Process{Clock: wire.ClockNanoseconds}, 123, 123},
		{"mach, 24 MHz", mach, 24, 1000},
		{"mach, of a process under Rosetta", &Process{Clock: wire.ClockMach, TimebaseNumer: 1, TimebaseDenom: 1}, 1000, 1000},
		{"mach, 100 days", mach, 24_000_000 * 86_400 * 100, 86_400 * 100 * 1e9},
		{"mach, too large", mach, math.MaxUint64, math.MaxInt64},
		{"at the first sample", two, 1000, 50_000},
		{"between", two, 2000, 50_500},
		{"at the second", two, 3000, 51_000},
		{"in the second piece", two, 3500, 52_000},
		{"at the last", two, 4000, 53_000},
		{"behind all", two, 5000, 55_000},
		{"before all", two, 800, 49_900},
		{"long before all", two, 0, 49_500},
		{"one sample", tsc(wire.ClockSample{Ticks: 7, Nanos: 70}), 99, 99},
		{"samples that stand still", tsc(wire.ClockSample{Ticks: 7, Nanos: 70}, wire.ClockSample{Ticks: 7, Nanos: 70}), 5,
			70 - math.MaxInt64},
	} {
		if got := c.p.Nanos(c.ticks); got != c.want {
			t.Errorf("%s: %d ticks are %d ns, want %d", c.name, c.ticks, got, c.want)
		}
	}
}

// Whatever the samples: exact at each that is kept, and time does not go back.
func TestNanosIsMonotone(t *testing.T) {
	random := rand.New(rand.NewPCG(4, 4))
	for range 200 {
		var samples []wire.ClockSample
		ticks, nanos := wire.Ticks(random.Uint64N(1<<50)), int64(random.Uint64N(1<<50))
		for range 2 + random.IntN(20) {
			samples = append(samples, wire.ClockSample{Ticks: ticks, Nanos: nanos + random.Int64N(2000) - 1000})
			ticks += wire.Ticks(random.Uint64N(1 << random.IntN(40)))
			nanos += random.Int64N(1 << random.IntN(40))
		}
		random.Shuffle(len(samples), func(i, j int) { samples[i], samples[j] = samples[j], samples[i] })
		p := &Process{Clock: wire.ClockTSC, Samples: thinSamples(samples)}
		if len(p.Samples) < 2 {
			continue
		}
		for _, s := range p.Samples {
			if got := p.Nanos(s.Ticks); got != s.Nanos {
				t.Fatalf("sample %v converts to %d", s, got)
			}
		}
		first, last := p.Samples[0].Ticks, p.Samples[len(p.Samples)-1].Ticks
		at, before := first-min(first, 1000), int64(math.MinInt64)
		for ; at < last+1000; at += (last-first)/3000 + 1 {
			now := p.Nanos(at)
			if now < before {
				t.Fatalf("time goes back from %d to %d at tick %d, samples %v", before, now, at, p.Samples)
			}
			before = now
		}
	}
}

// Samples a microsecond apart bend the conversion by their own error: 100 ns of it would be a tenth.
func TestThinSamples(t *testing.T) {
	sample := func(ms float64) wire.ClockSample {
		return wire.ClockSample{Ticks: wire.Ticks(ms * 3e6), Nanos: int64(ms * 1e6)}
	}
	for name, c := range map[string]struct{ in, want []float64 }{
		"none":              {},
		"one":               {[]float64{5}, []float64{5}},
		"two near":          {[]float64{5, 5.001}, []float64{5, 5.001}},
		"in between":        {[]float64{5, 5.001, 40, 40.001, 100}, []float64{5, 40, 100}},
		"last near another": {[]float64{5, 40, 40.001}, []float64{5, 40.001}},
		"shuffled":          {[]float64{100, 5, 40}, []float64{5, 40, 100}},
	} {
		var in []wire.ClockSample
		for _, ms := range c.in {
			in = append(in, sample(ms))
		}
		got := thinSamples(in)
		if len(got) != len(c.want) {
			t.Errorf("%s: %v", name, got)
			continue
		}
		for i, ms := range c.want {
			if got[i] != sample(ms) {
				t.Errorf("%s: sample %d is %v", name, i, got[i])
			}
		}
	}
	backwards := []wire.ClockSample{{Ticks: 1, Nanos: 1e9}, {Ticks: 2, Nanos: 0}, {Ticks: 3, Nanos: 2e9}}
	if got := thinSamples(backwards); len(got) != 2 || got[1].Ticks != 3 {
		t.Errorf("a sample on which time goes back was kept: %v", got)
	}
}
