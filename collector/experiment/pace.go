package experiment

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// The lengths of blocks.
const (
	shortestBlock = 100 * time.Millisecond
	longestBlock  = 10 * time.Second
	// unitsInBlock is the number of units that each thread completes in a block. With fewer, a unit more or less at the
	// borders is a large share. A block must also be long compared with the work in flight.
	unitsInBlock = 25
	// settlingShare is the time after a change that belongs to no block, as a share of a block, because work that began
	// before the change ends in it.
	settlingShare = 0.1
	// settlingUnits is the minimum of that time, in units of each thread.
	settlingUnits = 3
)

// A pace is how long blocks are.
type pace struct{ block, settle time.Duration }

// paceOf returns the pace for a program in which all threads together complete a unit in the given time.
func paceOf(unit time.Duration, threads int) pace {
	each := unit * time.Duration(max(threads, 1))
	p := pace{block: min(max(unitsInBlock*each, shortestBlock), longestBlock)}
	p.settle = min(max(time.Duration(settlingShare*float64(p.block)), settlingUnits*each), p.block/2)
	return p
}

// A step is one block of the plan: the number of its target, or 0 for a baseline.
type step struct{ target int } // 0 is a baseline

// round returns a plan of blocks in which each target is delayed once, in random order, with a baseline directly before
// or after it, at random.
func round(random *rand.Rand, targets []int) (steps []step) {
	for _, i := range random.Perm(len(targets)) {
		pair := []step{{0}, {targets[i]}}
		if random.IntN(2) == 1 {
			pair[0], pair[1] = pair[1], pair[0]
		}
		steps = append(steps, pair...)
	}
	return steps
}

// The sizes of delays.
const (
	shortestDelay = time.Microsecond
	// firstShare is the part of the largest delay with which a target begins, because the number of threads that wait
	// for it is not known yet.
	firstShare = 0.1
	// growth bounds how much larger a delay becomes from one block of its target to the next and, below the first delay,
	// how much smaller: of the first few pairs one that is disturbed may be the median.
	growth = 2
)

// A slope is how much slower the program becomes for each unit of delay, by the pairs of blocks until now. Single pairs
// hardly matter: on a busy machine a block may take several times as long as the one beside it.
type slope struct {
	pairs []pair
	dd    float64 // sum of the squares of the delays
}

// A pair is a treated block and its baseline.
type pair struct{ delay, slowed float64 }

func (s *slope) add(delay, slowed float64) {
	s.pairs = append(s.pairs, pair{delay, slowed})
	s.dd += delay * delay
}

// usualNoise is the share by which two neighbouring blocks differ at least on a machine that does other things, too.
const usualNoise = 0.05

// outlier is the number of standard deviations beyond which a pair counts no more than a pair at this distance.
const outlier = 1.5

// madToDeviation is the standard deviation of a normal distribution with a median absolute deviation of 1.
const madToDeviation = 1.4826

// least is the slope less so many standard errors.
func (s *slope) least(errors float64) float64 {
	if s.dd == 0 {
		return 0
	}
	per := s.median()
	off := make([]float64, 0, len(s.pairs))
	for _, p := range s.pairs {
		off = append(off, math.Abs(p.slowed-per*p.delay))
	}
	slices.Sort(off)
	noise := max(madToDeviation*off[len(off)/2], usualNoise)
	sum := 0.0
	for _, p := range s.pairs {
		sum += p.delay * min(max(p.slowed-per*p.delay, -outlier*noise), outlier*noise)
	}
	return per + sum/s.dd - errors*noise/math.Sqrt(s.dd)
}

// median is the median slope of the pairs, weighted by their delays.
func (s *slope) median() float64 {
	sorted := slices.Clone(s.pairs)
	slices.SortFunc(sorted, func(a, b pair) int { return cmp.Compare(a.slowed/a.delay, b.slowed/b.delay) })
	all, below := 0.0, 0.0
	for _, p := range sorted {
		all += p.delay
	}
	for _, p := range sorted {
		if below += p.delay; below >= all/2 {
			return p.slowed / p.delay
		}
	}
	return 0
}

// A dose controls the length of one target's delays.
type dose struct {
	most   time.Duration // the delay that causes the whole allowed slow-down if the target is on the critical path
	now    time.Duration
	slowed slope // as a share of the time of a unit
}

// newDose returns the dose of a target that occurs perSecond times a second on the busiest of its threads. In a treated
// block its delays may take the given share of that thread's time.
func newDose(perSecond, share float64) dose {
	d := dose{most: shortestDelay}
	if perSecond > 0 {
		d.most = max(time.Duration(share/perSecond*float64(time.Second)), shortestDelay)
	}
	d.now = max(time.Duration(firstShare*float64(d.most)), shortestDelay)
	return d
}

// The required certainty, in standard errors, that a target slows the program down before its delays are reduced.
const (
	likely  = 1.0
	certain = 2.5 // below its first delay, which is too small to show an effect on a busy machine
)

// learn updates the dose with a block's slow-down against its baseline, as a share. It sets the next delay so that the
// target's blocks are slower by the given share at most. On a busy machine a single block shows little, so only a
// likely slow-down reduces the delay.
func (d *dose) learn(slowed, share float64) {
	d.slowed.add(float64(d.now), slowed)
	first := time.Duration(firstShare * float64(d.most))
	next := min(growth*d.now, within(share, d.slowed.least(likely), d.most))
	if next < first {
		next = max(next, min(first, within(share, d.slowed.least(certain), d.most)), d.now/growth)
	}
	d.now = max(next, shortestDelay)
}

// within returns the delay that slows the program down by the share, or the largest delay if that is smaller.
func within(share, slope float64, most time.Duration) time.Duration {
	if slope*float64(most) <= share {
		return most
	}
	return time.Duration(share / slope)
}

// A budget is the share by which the program may be slowed down over the whole experiment.
type budget struct {
	share  float64
	slowed slope // slow-down of treated blocks against their baselines, as a share, per block
}

// allowed returns the share by which the next treated blocks may be slower. It is twice the budget, because half of the
// time is baselines, or less if all pairs of blocks together are likely to exceed the budget.
func (b *budget) allowed() float64 {
	share := 2 * b.share
	if b.slowed.least(likely) > share {
		return share / 4
	}
	return share
}
