package replay

import (
	"cmp"
	"math"
	"slices"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A Gain is the predicted speedup of the run if the time of an item (for example a kernel or a call) were multiplied
// by a factor below 1.
type Gain struct {
	Kind, Name string
	Factor     float64 // the part of the item's time that remains; 0 is none
	Speedup
}

// Flights returns, for a Gain of KindInFlight, the number of rounds in flight; "" for other kinds.
func (g *Gain) Flights() string {
	if g.Kind != KindInFlight {
		return ""
	}
	return g.Name
}

// factors are the factors for an item's time for which its gain is predicted: 0 removes the item.
var factors = []float64{0.9, 0.75, 0.5, 0}

// Gains returns the predicted gains of the items whose speed-up helps the run most. `known` is false if the replay
// cannot predict anything.
func (r *Replay) Gains() (list []Gain, known bool) {
	if r.Why != "" || r.rateWithCapacity() == 0 {
		return nil, false
	}
	if r.gains == nil {
		r.gains = r.largestGains()
	}
	return slices.Clone(r.gains), true
}

// largestGains selects items for full predictions, which cost many runs. It runs the items that take most of the time
// once, each at half of its time, and predicts in full those with the largest gains.
func (r *Replay) largestGains() []Gain {
	type candidate struct {
		thing
		halved Change
		half   float64 // gain with halved
		of     *Replay
	}
	var tried []candidate
	ofKind := map[string]int{}
	for _, of := range slices.Compact([]*Replay{r, r.ofTied()}) {
		of.rateWithCapacity()
		for _, t := range slices.Concat(things(of.program), flights(of.program), merges(of.program)) {
			if of != r.OfThings(t.kind) {
				continue
			}
			if ofKind[t.kind]++; ofKind[t.kind] > policy.MostGainsPerKind || t.kind == KindThread &&
				ofKind[t.kind] > policy.MostThreads {
				continue
			}
			if of.bound(t) >= policy.WorthPredicting.Value {
				tried = append(tried, candidate{thing: t, halved: t.scaled(of.program, 0.5), of: of})
			}
		}
	}
	concurrently(len(tried), func(i int) {
		c := &tried[i]
		c.half = c.of.gainWithCapacity(c.halved)
	})
	found := slices.DeleteFunc(tried, func(c candidate) bool { return c.half < policy.WorthPredicting.Value })
	slices.SortStableFunc(found, func(x, y candidate) int { return cmp.Compare(y.half, x.half) })
	others := 0
	found = slices.DeleteFunc(found, func(c candidate) bool {
		if c.kind != KindMerge { // merging is listed only once, for the best number of command buffers
			others++
		}
		return c.kind != KindMerge && others > policy.MostGains
	})
	gains := make([][]Gain, len(found))
	concurrently(len(found), func(i int) { gains[i] = found[i].of.gainsOf(found[i].thing, found[i].halved) })
	return append([]Gain{}, slices.Concat(gains...)...)
}

// bound returns an upper bound of the gain if an item takes half of its time. No path through the run gets shorter by
// more than that half. To be on the safe side, bound subtracts the item's whole time, because other work may get more
// of the processors and the GPU.
func (r *Replay) bound(t thing) (times float64) {
	if t.kind == KindLock || AsAWhole(t.kind) { // these items can gain more than their own time
		return math.Inf(1)
	}
	return 1 / (1 - min(1, program.Share(t.took, r.program.Lasted)))
}

// gainWithCapacity returns the gain of a change if GPUs have spare capacity, from one run of the replay; 0 if that run
// deadlocks.
func (r *Replay) gainWithCapacity(c Change) (times float64) {
	c.SpareCapacity = true
	rate := r.onlyFaster(c)
	if rate == 0 {
		return 0
	}
	return rate / r.rateWithCapacity()
}

// gain predicts the gain of a change with its interval, from a few replays; known is false if the interval is too
// wide.
func (r *Replay) gain(c Change) (Speedup, bool) {
	if s, _ := r.speedup(r.readings.few(), c); s != nil {
		return *s, true
	}
	return Speedup{}, false
}

// gainsOf predicts the speed-up of the run for each factor by which the item's time may be multiplied (see factors).
// `halved` is the change that halves the item's time. Confidence intervals are costly, so they are predicted only for
// the factors 0.5 and 0; for larger factors they are derived from the interval for 0.5.
func (r *Replay) gainsOf(t thing, halved Change) (list []Gain) {
	if AsAWhole(t.kind) { // the change does not depend on the factor
		if s, known := r.gain(halved); known {
			list = append(list, Gain{t.kind, t.name, 0, s})
		}
		return list
	}
	half, known := r.gain(halved)
	if !known {
		return nil
	}
	for _, f := range factors {
		s := half
		switch {
		case f == 0:
			if s, known = r.gain(t.scaled(r.program, 0)); !known {
				continue
			}
		case f > 0.5:
			times := r.gainWithCapacity(t.scaled(r.program, f))
			if times == 0 {
				continue
			}
			s.Estimate = max(1, times)
			s.Low, s.High = s.Estimate*between(half.Low/half.Estimate, f, r.Error),
				s.Estimate*between(half.High/half.Estimate, f, r.Error)
			s.LowWithCapacity = s.Estimate * between(half.LowWithCapacity/half.Estimate, f, r.Error)
		}
		list = append(list, Gain{t.kind, t.name, f, s})
	}
	return list
}

// between returns the low or high end of a gain's interval, as a multiple of the estimate, if the item's time is
// multiplied by a factor above 0.5. `ofHalf` is the same end for factor 0.5. The distance of the end from 1 is
// proportional to the removed time, but never less than the error that every prediction has.
func between(ofHalf, factor, replayError float64) float64 {
	off := (ofHalf - 1) * (1 - factor) / 0.5
	err := max(policy.RunToRunVariation.Value+policy.ErrorOfShortening, math.Abs(replayError))
	if ofHalf < 1 {
		return 1 + min(off, -err)
	}
	return 1 + max(off, err)
}
