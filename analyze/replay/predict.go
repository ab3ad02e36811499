package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
)

// A Speedup is a predicted speedup with an interval, which covers the known uncertainties of the replay. Low assumes
// that GPUs have no more spare capacity than was recorded. LowWithCapacity is the low end if GPUs have the spare
// capacity that the estimate assumes; 0 means that it equals Low. Spread is the typical error of such predictions from
// unknown causes; see Interval.
type Speedup struct{ Estimate, Low, High, LowWithCapacity, Spread float64 }

// Interval returns the interval that reports show; it contained the measured speedup for 90% of the predictions on
// generated programs. Verdicts depend on the narrower interval from Low to High. Interval also covers unknown errors
// of the replay. The known and the unknown errors are independent, so their squares add up, on a logarithmic scale.
// The variance of the unknown error grows with the speedup.
func (s *Speedup) Interval() (low, high float64) {
	unknown := s.Spread * math.Sqrt(policy.SpreadFloor+math.Abs(math.Log(s.Estimate)))
	return s.Estimate * math.Exp(-math.Hypot(math.Log(s.Estimate/s.Low), unknown)),
		s.Estimate * math.Exp(math.Hypot(math.Log(s.High/s.Estimate), unknown))
}

// spreadOf returns the measured spread of predictions for this kind of change: for items that become faster, or for
// removed causes.
func spreadOf(c Change) float64 {
	if c.OnlyFaster() && (c.Scale == nil || c.Scale.InFlight <= 1 && c.Scale.Merged <= 1) {
		return policy.SpreadOfItems
	}
	return policy.SpreadOfCauses
}

// Proven reports whether the whole interval is above 1, so that the gain is larger than the prediction's error. It
// assumes that the GPU has capacity for the additional work.
func (s *Speedup) Proven() bool { return s.Least() > 1 }

// Least returns the low end of the interval if the GPU has the capacity that the estimate assumes.
func (s *Speedup) Least() float64 { return cmp.Or(s.LowWithCapacity, s.Low) }

// InWords formats the speed-up as "1.50x faster (1.40-1.60)".
func (s Speedup) InWords() string {
	low, high := s.Interval()
	return fmt.Sprintf("%.2fx faster (%.2f-%.2f)", s.Estimate, low, high)
}

// A settled run is the replay of a changed program with a consistent number of hand-offs per second: the run assumes
// a number, because frequent hand-offs are faster, and results in about the same number.
type settled struct {
	rate    float64 // 0 if the run does not end
	density *change.Density
	asDeep  float64 // the rate with the recorded number of hand-offs per second: processors sleep as deeply as recorded
}

// settle repeats the run of a changed program until the assumed number of hand-offs per second is about the resulting
// number. A faster program submits more often, so its processors sleep less deeply, which makes it faster again. A
// change that merges command buffers (Launch) adds no hand-offs, so settle does not raise their density for it.
func (r *Replay) settle(c Change) (s settled) {
	p, base, d := r.program, r.base, &change.Density{}
	if c.OnlyFaster() {
		s.rate = r.onlyFaster(c)
		return settled{rate: s.rate, density: d, asDeep: s.rate}
	}
	for n := range 4 {
		ran, ends := play(p, c, d)
		if !ends {
			return settled{density: d}
		}
		s.rate, s.density = ran.rate, d
		if n == 0 {
			s.asDeep = s.rate
		}
		denser := !c.Launch && s.rate > max(1, d.Times)*base*(1+policy.NegligibleShare.Value)
		less := max(d.Relief, relief(p, c, ran))
		if !denser && less <= d.Relief+policy.RunToRunVariation.Value {
			break
		}
		if denser {
			d = change.NewDensity(p, s.rate/base)
		}
		d = d.With(less)
		s.density = d
	}
	return s
}

// onlyFaster returns the rate of the program with a change that only makes something faster; 0 if the replayed run
// deadlocks. The result is cached, because several predictions need it.
func (r *Replay) onlyFaster(c Change) float64 {
	if rate, known := r.faster.Load(c); known {
		return rate.(float64)
	}
	rate, _ := run(r.program, c, nil)
	r.faster.Store(c, rate)
	return rate
}

// speedup returns how much faster the program is with a change. The interval covers all variants (readings) that the
// recorded rate does not refute, GPUs with and without more capacity than recorded, and the simulated machine's error.
// It also covers processors that sleep as deeply as recorded, and processors that hardly sleep. If the interval is too
// wide, speedup returns nil and the reason. `few` has the readings for a quick, less exact interval; nil means all.
func (r *Replay) speedup(few []*reading, c Change) (s *Speedup, why string) {
	p := r.program
	usual, other := c, c
	// for changes that make the GPU busier, the estimate assumes that queues have no more capacity than recorded
	if usual.SpareCapacity = true; c.GPU || c.Scale.Overlaps() {
		usual, other = other, usual
	}
	changed := r.settle(usual)
	if changed.rate == 0 {
		return nil, "the replay of the changed run deadlocks"
	}
	of := 1.0
	// Changes with Cores give each thread its own processor. In the replay of the unchanged program threads share
	// processors, which causes most of its error. So a run with Cores is compared with the recorded rate, and not with
	// that replay.
	if c.Cores {
		of = r.base / p.Rate(p.Recorded)
	}
	s = &Speedup{Estimate: of * changed.rate / r.base / r.gainOfCapacity(usual), Spread: spreadOf(c)}
	if !c.Scale.Slows() { // a change that only removes work cannot make the run slower, so the gain is at least 1
		s.Estimate = max(1, s.Estimate)
	}
	s.Low, s.High = s.Estimate, s.Estimate
	// least and most are the extreme gains of all variants (readings) of the program, including variants that the
	// recording contradicts. If the extremes differ too much, nothing is predicted, because the gain depends mainly on
	// how threads wait for processors.
	least, most := s.Estimate, s.Estimate
	hold := func(changed, was float64, c Change, refuted bool) (gained float64) {
		if changed == 0 || was == 0 { // one of the runs does not end
			return s.Estimate
		}
		gained = of * changed / was / r.gainOfCapacity(c)
		least, most = min(least, gained), max(most, gained)
		if !refuted {
			s.Low, s.High = min(s.Low, gained), max(s.High, gained)
		}
		return gained
	}
	first := few
	if few == nil && r.readings != nil {
		first = r.readings.first()
	}
	all := slices.Concat(splits(p, r.base, c), launches(p, r.base, c), first)
	ran := r.runAll(all, c, usual, other, changed.density)
	var gains []float64
	for i, x := range all {
		gains = append(gains, hold(ran.rates[i], x.unchanged(), usual, x.refuted))
	}
	if few == nil && r.readings != nil {
		further := r.readings.further(gains[len(gains)-policy.FirstReplayDraws:])
		for i, rate := range runReadings(further, usual, changed.density) {
			hold(rate, further[i].unchanged(), usual, further[i].refuted)
		}
	}
	if changed.density.Times > 1 {
		hold(changed.asDeep, r.base, usual, false)
		hold(ran.awake, r.base, usual, false)
	}
	s.LowWithCapacity = s.Low
	if ran.otherCapacity {
		hold(ran.other, r.base, other, false)
	}
	if c.Events {
		hold(ran.wide, r.base, widened(usual), false)
	}
	if most > policy.WidestPrediction.Value*least {
		return nil, fmt.Sprintf("the possible gain ranges from %.2fx to %.2fx, too wide an interval", least, most)
	}
	usually := policy.RunToRunVariation.Value + policy.ErrorPerDoubling*math.Abs(math.Log2(s.Estimate))
	if c.Scale != nil {
		usually += policy.ErrorOfShortening
	}
	err := max(usually, math.Abs(r.Error))
	s.Low, s.High, s.LowWithCapacity = s.Low*(1-err), s.High*(1+err), s.LowWithCapacity*(1-err)
	return s, ""
}

// gainOfCapacity returns how much faster the unchanged program becomes only by the assumption that GPUs have spare
// capacity. A prediction made with that assumption must be divided by it, because the change itself does not bring this
// gain. gainOfCapacity returns 1 if the assumption is a part of the change.
func (r *Replay) gainOfCapacity(c Change) float64 {
	if !c.SpareCapacity || !c.OnlyFaster() || c.Scale.Overlaps() {
		return 1
	}
	return r.rateWithCapacity() / r.base
}

// rateWithCapacity returns the rate of the unchanged program if GPUs and queues have spare capacity. GPUs and queues
// that are known to be limited stay limited.
func (r *Replay) rateWithCapacity() float64 {
	r.capacity.Do(func() { r.withCapacity, _ = run(r.program, Change{SpareCapacity: true}, nil) })
	return r.withCapacity
}
