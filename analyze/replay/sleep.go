package replay

import (
	"math"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// A processor that nothing has wanted for a while sleeps, the deeper the longer, and takes the longer to wake: a hand-over that wakes such a one is slow.
// Without a cause there are more hand-overs, so processors sleep for less long. Where work comes by chance, the share of the processors that have
// slept for so long is exp(-rate * time): with k times as many hand-overs, what it was to the power of k.

// handOvers are what those of one kind took, in ascending order, and what each of them takes in a run that has more: the slowest of n are as slow as the
// slowest of the kth root of n were.
type handOvers struct{ took, then []analyze.Nanos }

func newHandOvers(all []analyze.Nanos) handOvers {
	all = slices.Clone(all)
	slices.Sort(all)
	return handOvers{all, all}
}

// among is the same in a run that has so many times as many.
func (h handOvers) among(denser float64) handOvers {
	if denser <= 1 {
		return h
	}
	n := float64(len(h.took))
	then := make([]analyze.Nanos, len(h.took))
	for i := 0; i < len(then); {
		sum, alike := analyze.Nanos(0), i
		for ; alike < len(then) && h.took[alike] == h.took[i]; alike++ {
			slower := (n - float64(alike) - 0.5) / n
			sum += h.took[min(alike, int(n*(1-math.Pow(slower, 1/denser))))]
		}
		for mean := sum / analyze.Nanos(alike-i); i < alike; i++ {
			then[i] = mean
		}
	}
	return handOvers{h.took, then}
}

// of is what one takes then that took so long: as much less as the slowest that was no slower.
func (h *handOvers) of(n analyze.Nanos) analyze.Nanos {
	if i := sort.Search(len(h.took), func(i int) bool { return h.took[i] > n }); i > 0 {
		return n - (h.took[i-1] - h.then[i-1])
	}
	return n
}

func mean(all []analyze.Nanos) (sum analyze.Nanos) {
	for _, n := range all {
		sum += n
	}
	return sum / analyze.Nanos(max(1, len(all)))
}

// density is how many times as many hand-overs a replay has as were recorded, and what they take then.
type density struct {
	times                            float64 // up to 1 is as many
	latencies, notifies, turnarounds handOvers
	relief                           float64       // how much less than in the replay of what was recorded threads wait for processors, as a share
	turnaround                       analyze.Nanos // the mean: from the end of the work that a job had to wait for to its beginning
	sooner                           analyze.Nanos // by how much who sleeps is woken sooner, by a clock as well as by another: as handing work over is quicker
}

// denser is the density with so many times as many as were recorded.
func (p *program) denser(times float64) density {
	d := density{times: times, latencies: p.handOvers.latencies.among(times), notifies: p.handOvers.notifies.among(times), turnarounds: p.handOvers.turnarounds.among(times)}
	if p.processors > 0 {
		d.sooner = evidence.Scaled(mean(d.latencies.took)-mean(d.latencies.then), max(0, 1-times*p.used/float64(p.processors)))
	}
	d.turnaround = evidence.Scaled(mean(d.turnarounds.took), p.hindered) + evidence.Scaled(mean(d.turnarounds.then), 1-p.hindered)
	return d
}

// as is the program with its hand-overs at a density.
func (p *program) as(d density) *program {
	q := *p
	q.handOvers = d
	return &q
}

// settled is how fast the program is with a change, and the density then: the faster it is, the less processors sleep, and the faster it is again. Larger
// command buffers are not more hand-overs.
func (p *program) settled(c Change, base float64) (rate float64, d density, ends bool) {
	d = p.handOvers
	for range 4 {
		r, done := p.as(d).play(c)
		if ends = done; !ends {
			return 0, d, false
		}
		if rate = r.rateOfAll(); c.unchanged() {
			break
		}
		denser := !c.Launch && rate > max(1, d.times)*base*(1+policy.Negligible.Value)
		relief := max(d.relief, p.reliefIn(r))
		if !denser && relief <= d.relief+policy.Alike.Value {
			break
		}
		if denser {
			d = p.denser(rate / base)
		}
		d.relief = relief
	}
	return rate, d, ends
}

// unhindered is what a hand-over takes that finds a processor that sleeps less, and waits for one as much less as the replay does. How long threads waited
// for processors is counted from when they are woken, so that what it takes to wake one that sleeps is a part of it.
func (p *program) unhindered(n, usual analyze.Nanos, all *handOvers) analyze.Nanos {
	n = all.of(n)
	return n - evidence.Scaled(max(0, n-usual), p.hindered*p.handOvers.relief)
}
