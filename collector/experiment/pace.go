package experiment

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"time"
)

// The bounds for the length of a block: the period in which an experiment delays one target (such as a call) and
// measures progress.
const (
	shortestBlock = 100 * time.Millisecond
	longestBlock  = 10 * time.Second
	// unitsInBlock is how many units of progress each thread completes in a block. With fewer, counting one unit more
	// or less at the block's borders would be a large error. A block must also be much longer than the work in
	// flight.
	unitsInBlock = 25
	// settlingShare is the pause after each change of the delays, as a share of a block. Work that began before the
	// change ends in this pause and is not measured.
	settlingShare = 0.1
	// settlingUnits is the minimum pause after each change of the delays, in units of progress (such as completed
	// command buffers) of each thread.
	settlingUnits = 3
)

// A pace has the two lengths of an experiment: block is the time in which one target is delayed and progress is
// measured, settle the unmeasured time between a change of the delays and the next block.
type pace struct{ block, settle time.Duration }

// paceOf returns the pace for a program. Parameter unit is the mean time in which all threads together complete one
// unit of progress.
func paceOf(unit time.Duration, threads int) pace {
	each := unit * time.Duration(max(threads, 1))
	p := pace{block: min(max(unitsInBlock*each, shortestBlock), longestBlock)}
	p.settle = min(max(time.Duration(settlingShare*float64(p.block)), settlingUnits*each), p.block/2)
	return p
}

// A step is one block of time of the plan, in which one target, or none, is delayed.
type step struct{ target int } // number of the target; 0 is a baseline, in which nothing is delayed

// round returns an order of blocks in which each target is delayed once. The targets come in random order. Each has a
// baseline block directly before or after it, at random, so that a slow change of the machine's load affects both
// alike.
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

// The limits on the length of a delay.
const (
	shortestDelay = time.Microsecond
	// firstShare is the first delay of a target, as a share of its largest delay (dose.most). It is small because the
	// delay may also hold up threads that wait for the delayed one, and their number is not known yet.
	firstShare = 0.1
	// growth is the factor by which a target's delay may grow from one block to the next. Below the first delay it
	// may also shrink by at most this factor: after only a few measurements, the median may come from a disturbed
	// block.
	growth = 2
)

// A slope estimates how much slower the program becomes for each unit of delay, from all pairs of blocks so far. The
// estimate is robust against single pairs, because on a busy machine a block may take several times as long as its
// neighbour.
type slope struct {
	pairs []pair
	dd    float64 // sum of the squares of the delays
}

// A pair is the result of a block with delays and its neighbour without: the length of each delay in nanoseconds, and
// by what share a unit of progress took longer with them.
type pair struct{ delay, slowed float64 }

func (s *slope) add(delay, slowed float64) {
	s.pairs = append(s.pairs, pair{delay, slowed})
	s.dd += delay * delay
}

// usualNoise is the smallest noise that is assumed: the difference, as a share, between two neighbouring blocks
// without delays. Machines that also run other programs have at least this noise. A few pairs that agree by chance
// would otherwise look certain.
const usualNoise = 0.05

// outlier limits how much a single pair of blocks changes the estimate: a pair that deviates by more than this number
// of standard deviations counts as if it deviated by exactly this number.
const outlier = 1.5

// madToDeviation converts a median absolute deviation to the standard deviation of a normal distribution.
const madToDeviation = 1.4826

// least returns a lower bound of the slope: the estimate minus the given number of standard errors, or 0 without
// pairs.
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

// median returns the weighted median of slowed/delay over all pairs. The weight is the delay, because noise
// distorts the quotient less if the delay is long.
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

// A dose controls how long one target (such as a call) is delayed each time it occurs. It grows while the
// program's slow-down stays within the budget.
type dose struct {
	// the longest delay: it uses up the allowed slow-down if the program loses all of the delayed thread's time
	most   time.Duration
	now    time.Duration // the delay in the next block
	slowed slope         // for each pair of blocks: by what share a unit of progress took longer with the delays
}

// newDose returns the dose of a target that occurs perSecond times a second on its busiest thread. The delays may
// take at most share of that thread's time in a block.
func newDose(perSecond, share float64) dose {
	d := dose{most: shortestDelay}
	if perSecond > 0 {
		d.most = max(time.Duration(share/perSecond*float64(time.Second)), shortestDelay)
	}
	d.now = max(time.Duration(firstShare*float64(d.most)), shortestDelay)
	return d
}

// How sure the experiment must be before it shortens a target's delays. The measured slow-down may be noise. So this
// number of standard errors is subtracted from it, and the rest must still exceed the allowed slow-down.
const (
	likely = 1.0
	// certain is required to make a delay shorter than the target's first one: the effect of such short delays is hard
	// to tell from noise on a busy machine.
	certain = 2.5
)

// learn adds the result of a pair of blocks and chooses the target's next delay. slowed is the share by which the
// program was slower in the block with delays than in the one without, share the largest allowed value. On a busy
// machine a single block proves little, so learn shortens the delay only if the slow-down is likely real.
func (d *dose) learn(slowed, share float64) {
	d.slowed.add(float64(d.now), slowed)
	first := time.Duration(firstShare * float64(d.most))
	next := min(growth*d.now, within(share, d.slowed.least(likely), d.most))
	if next < first {
		next = max(next, min(first, within(share, d.slowed.least(certain), d.most)), d.now/growth)
	}
	d.now = max(next, shortestDelay)
}

// within returns the delay that slows the program down by share, but at most `most`. slope is the slow-down per unit
// of delay.
func within(share, slope float64, most time.Duration) time.Duration {
	if slope*float64(most) <= share {
		return most
	}
	return time.Duration(share / slope)
}

// A budget limits how much the whole experiment may slow the program down.
type budget struct {
	share  float64
	slowed slope // for each pair of blocks: by what share the program was slower with delays; each counts as delay 1
}

// allowed returns by what share the next block with delays may slow the program down. The limit is twice the budget,
// because half of the blocks have no delays. If the average over all pairs so far likely exceeds the limit, the next
// block may use only a quarter of it.
func (b *budget) allowed() float64 {
	share := 2 * b.share
	if b.slowed.least(likely) > share {
		return share / 4
	}
	return share
}
