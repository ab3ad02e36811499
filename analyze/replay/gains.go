package replay

import (
	"cmp"
	"math"
	"slices"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A Gain is what the run would gain if something took a part of the time that it takes.
type Gain struct {
	Kind, Name string
	Factor     float64 // of that time; 0 is gone
	Speedup
}

// Flights is how many rounds are in flight, for a Gain of KindInFlight.
func (g *Gain) Flights() string {
	if g.Kind != KindInFlight {
		return ""
	}
	return g.Name
}

// factors are those that each thing is tried with.
var factors = []float64{0.9, 0.75, 0.5, 0}

// Gains are the gains of the things that bring most; false if nothing is predicted.
func (r *Replay) Gains() (list []Gain, known bool) {
	if r.Why != "" || r.roomy() == 0 {
		return nil, false
	}
	if r.gains == nil {
		r.gains = r.largestGains()
	}
	return slices.Clone(r.gains), true
}

// largestGains tries the things that take most of the time, and predicts those that bring most at half of their time.
func (r *Replay) largestGains() []Gain {
	type candidate struct {
		thing
		half float64
		of   *Replay
	}
	var tried []candidate
	ofKind := map[string]int{}
	for _, of := range slices.Compact([]*Replay{r, r.ofTied()}) {
		of.roomy()
		for _, t := range slices.Concat(things(of.program), flights(of.program), merges(of.program)) {
			if of != r.OfThings(t.kind) {
				continue
			}
			if ofKind[t.kind]++; ofKind[t.kind] > policy.MostOfAKind || t.kind == KindThread &&
				ofKind[t.kind] > policy.MostThreads {
				continue
			}
			if of.bound(t) >= policy.WorthPredicting.Value {
				tried = append(tried, candidate{thing: t, of: of})
			}
		}
	}
	concurrently(len(tried), func(i int) {
		c := &tried[i]
		if half, ends := c.of.gainWithRoom(c.thing, 0.5); ends {
			c.half = half
		}
	})
	found := slices.DeleteFunc(tried, func(c candidate) bool { return c.half < policy.WorthPredicting.Value })
	slices.SortStableFunc(found, func(x, y candidate) int { return cmp.Compare(y.half, x.half) })
	all, others := []Gain{}, 0
	for _, c := range found {
		if c.kind != KindMerge { // merging is one piece of advice, whatever the number
			others++
		}
		if c.kind == KindMerge || others <= policy.MostGains {
			all = append(all, c.of.gainsOf(c.thing)...)
		}
	}
	return all
}

// bound is the most that a thing at half of its time can bring: no path through the run gets shorter by more than what
// is removed. Twice that is assumed, since what remains may also share processors or a GPU with less.
func (r *Replay) bound(t thing) (times float64) {
	if t.kind == KindLock || AsAWhole(t.kind) { // more goes with these than their own time
		return math.Inf(1)
	}
	return 1 / (1 - min(1, program.Share(t.took, r.program.Lasted)))
}

// gainWithRoom is what a thing with a factor brings on GPUs with room, from one run.
func (r *Replay) gainWithRoom(t thing, factor float64) (times float64, ends bool) {
	c := t.scaled(r.program, factor)
	c.Room = true
	rate, ends := run(r.program, c, nil)
	return rate / r.roomy(), ends
}

// gain predicts a change from few readings.
func (r *Replay) gain(c Change) (Speedup, bool) {
	if s, _ := r.speedup(r.readings.few(), c); s != nil {
		return *s, true
	}
	return Speedup{}, false
}

// gainsOf are the gains of a thing with each factor. Where half of its time, and none of it, are predicted with an
// interval, what lies between has an interval in proportion.
func (r *Replay) gainsOf(t thing) (list []Gain) {
	if AsAWhole(t.kind) {
		if s, known := r.gain(t.scaled(r.program, 0)); known {
			list = append(list, Gain{t.kind, t.name, 0, s})
		}
		return list
	}
	half, known := r.gain(t.scaled(r.program, 0.5))
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
			times, ends := r.gainWithRoom(t, f)
			if !ends {
				continue
			}
			s.Estimate = max(1, times)
			s.Low, s.High = s.Estimate*between(half.Low/half.Estimate, f, r.Error),
				s.Estimate*between(half.High/half.Estimate, f, r.Error)
			s.LowWithRoom = s.Estimate * between(half.LowWithRoom/half.Estimate, f, r.Error)
		}
		list = append(list, Gain{t.kind, t.name, f, s})
	}
	return list
}

// between is how far an interval's end is from the estimate if less than half of the time is removed: as much less,
// but not less than the error that every prediction has.
func between(ofHalf, factor, replayError float64) float64 {
	off := (ofHalf - 1) * (1 - factor) / 0.5
	err := max(policy.RunToRunVariation.Value+policy.ErrorOfLess, math.Abs(replayError))
	if ofHalf < 1 {
		return 1 + min(off, -err)
	}
	return 1 + max(off, err)
}
