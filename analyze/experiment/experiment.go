// Package experiment estimates from an experiment with a running program how much its progress depends on each target:
// a call, a lock, a wait, a thread's own code or a completion handler. In random blocks of time mtrace adds a small
// delay to one target; blocks without a delay, the baselines, lie between them.
//
// Adding delays to learn what matters, and virtual speed-ups, are from C. Curtsinger, E. D. Berger, Coz: Finding Code
// that Counts with Causal Profiling, SOSP 2015. The estimator is described at score, and several targets are judged
// together as Y. Benjamini, Y. Hochberg, Controlling the False Discovery Rate, JRSS B 57, 1995, propose.
package experiment

import (
	"math"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/statistics"
)

// An estimator has the blocks of an experiment in order of time. A block is a time range in which the program has one
// kind of delay, or none.
type estimator struct {
	*analyze.Experiment
	scale float64 // noise of blocks without delays; 0 if there are too few of them
}

// wall returns the time that the block's units of progress took: from the end of the last unit before the block to the
// end of the last unit in it. If these are not recorded, it returns the block's length, which is less exact: units at
// the block's two ends are only partly inside.
func wall(b *analyze.ExperimentBlock) analyze.Nanos {
	if b.Units > 0 && b.LastBefore > 0 && b.LastBefore <= b.Begin && b.LastIn > b.Begin && b.LastIn <= b.End &&
		b.Begin-b.LastBefore <= b.Length() {
		return b.LastIn - b.LastBefore
	}
	return b.Length()
}

// injected returns the delay, in ns, that was added while the block's units of progress ran (the time that wall
// returns). That time can be shorter or longer than the block, so the block's delay is scaled in proportion.
func injected(b *analyze.ExperimentBlock) float64 {
	return float64(b.Injected) * float64(wall(b)) / float64(b.Length())
}

// units returns the number of units of progress in a block. A block in which no unit completed counts as half a unit;
// otherwise the slowest blocks would be left out.
func units(b *analyze.ExperimentBlock) float64 { return max(0.5, float64(b.Units)) }

// unitTime returns how many ns one thread spends on a unit of progress, if all units of the block took `took` ns.
func (e *estimator) unitTime(b *analyze.ExperimentBlock, took float64) float64 {
	return float64(max(1, e.Threads)) * took / units(b)
}

// neighbours returns the nearest block without delays before block `i`, and the nearest one after it. At the begin or
// end of the experiment there is only one of them.
func (e *estimator) neighbours(i int) (list []*analyze.ExperimentBlock) {
	for _, step := range []int{-1, 1} {
		for j := i + step; j >= 0 && j < len(e.Blocks); j += step {
			if b := &e.Blocks[j]; b.Target == 0 && b.Length() > 0 {
				list = append(list, b)
				break
			}
		}
	}
	return list
}

// pairs compares treated blocks (time ranges with delays) with their neighbours without delays. `wanted` selects the
// treated blocks. `measure` returns, for a treated block and its neighbour, the fields x, y and z of a pair.
func (e *estimator) pairs(wanted func(*analyze.ExperimentBlock) bool,
	measure func(b, beside *analyze.ExperimentBlock) (x, y, z float64)) (list []pair) {
	for i := range e.Blocks {
		b := &e.Blocks[i]
		if b.Target == 0 || b.Length() == 0 || !wanted(b) {
			continue
		}
		for _, beside := range e.neighbours(i) {
			x, y, z := measure(b, beside)
			list = append(list, pair{block: i, x: x, y: y, z: z, weight: pairWeight(b, beside)})
		}
	}
	return list
}

// pairWeight returns the weight of the difference between two blocks: the inverse of its standard deviation. It
// assumes that a block's noise shrinks with the square root of its length.
func pairWeight(a, b *analyze.ExperimentBlock) float64 {
	x, y := float64(wall(a))/1e9, float64(wall(b))/1e9
	return math.Sqrt(x * y / (x + y))
}

// measureScale measures the noise: the standard deviation of differences between successive blocks without delays,
// estimated from their median, so that outliers do not count.
func (e *estimator) measureScale() {
	var off []float64
	var last *analyze.ExperimentBlock
	for i := range e.Blocks {
		b := &e.Blocks[i]
		if b.Target != 0 || b.Length() == 0 {
			continue
		}
		if last != nil {
			off = append(off, pairWeight(last, b)*math.Abs(e.unitTime(b, float64(wall(b)))-
				e.unitTime(last, float64(wall(last)))))
		}
		last = b
	}
	if len(off) >= policy.FewestDifferences {
		e.scale = madToDeviation * statistics.Median(off)
	}
}

// ran returns the time from the begin of the first block to the end of the last.
func (e *estimator) ran() analyze.Nanos {
	if len(e.Blocks) == 0 {
		return 0
	}
	return e.Blocks[len(e.Blocks)-1].End - e.Blocks[0].Begin
}
