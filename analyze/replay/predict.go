package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/machine"
	"mtrace/analyze/replay/program"
)

// A Speedup is a predicted speed-up, with an interval. Low holds GPUs that have no more room than was seen. LowWithRoom is the low end where they
// have the room that the estimate assumes; 0 is Low.
type Speedup struct{ Estimate, Low, High, LowWithRoom float64 }

// Proven says whether the predicted gain is more than the error of the prediction: whether its interval excludes 1. That the GPU may have no room
// for what would then be ready does not speak against a gain.
func (s *Speedup) Proven() bool { return cmp.Or(s.LowWithRoom, s.Low) > 1 }

// InWords is "1.50 times as fast (1.40 to 1.60), by replay".
func (s Speedup) InWords() string {
	return fmt.Sprintf("%.2f times as fast (%.2f to %.2f), by replay", s.Estimate, s.Low, s.High)
}

// settle runs a program with a change until the density of hand-overs that is assumed is the one that results: a
// faster program hands over more often, its processors sleep less, and it is faster again. Larger command buffers
// are not more hand-overs.
func settle(p *program.Program, base float64, c Change) (rate float64, d *change.Density, ends bool) {
	d = &change.Density{}
	for range 4 {
		q := c.Apply(p, d)
		r, ends := machine.Run(q)
		if !ends {
			return 0, d, false
		}
		if rate = q.Rate(r.Progress); c.OnlyFaster() {
			break
		}
		denser := !c.Launch && rate > max(1, d.Times)*base*(1+policy.Negligible.Value)
		less := max(d.Relief, relief(p, c, r))
		if !denser && less <= d.Relief+policy.Alike.Value {
			break
		}
		if denser {
			d = change.NewDensity(p, rate/base)
		}
		d = d.With(less)
	}
	return rate, d, true
}

// speedup is how many times as fast the program is with a change. The interval holds the results of all readings
// that are not refuted, of GPUs with and without more room than was seen, of processors that sleep as deeply as
// they did or hardly at all, and the machine's error. It is nil, with the reason, if the interval is too wide.
func (r *Replay) speedup(readings []reading, c Change) (s *Speedup, why string) {
	p := r.program
	usual, other := c, c
	if usual.Room = true; c.GPU || c.Scale.Overlaps() { // a busier GPU is not taken to run more of a queue's work at once
		usual, other = other, usual
	}
	changed, denser, ends := settle(p, r.base, usual)
	if !ends || changed == 0 {
		return nil, "a replay without it does not come to an end"
	}
	of := 1.0
	// the machine's error with the unchanged program is in how processors are shared, of which there are enough now
	if c.Cores {
		of = r.base / p.Rate(p.Recorded)
	}
	s = &Speedup{Estimate: of * changed / r.base / r.gainOfRoom(usual)}
	if !c.Scale.Slows() { // what is removed delays nobody
		s.Estimate = max(1, s.Estimate)
	}
	s.Low, s.High = s.Estimate, s.Estimate
	// with refuted readings: if all depends on waits for processors, there is no prediction
	least, most := s.Estimate, s.Estimate
	hold := func(changed, was float64, ends bool, c Change, refuted bool) {
		if !ends || changed == 0 {
			return
		}
		gained := of * changed / was / r.gainOfRoom(c)
		least, most = min(least, gained), max(most, gained)
		if !refuted {
			s.Low, s.High = min(s.Low, gained), max(s.High, gained)
		}
	}
	try := func(x reading, d *change.Density, c Change) {
		changed, ends := run(x.program, c, d)
		hold(changed, x.base, ends, c, x.refuted)
	}
	for _, x := range slices.Concat(readings, splits(p, r.base, c), launches(p, r.base, c)) {
		try(x, denser, usual)
	}
	if denser.Times > 1 {
		unchanged := reading{p, r.base, false}
		try(unchanged, nil, usual)                                             // processors sleep as deeply as they did
		try(unchanged, change.NewDensity(p, denser.Times*denser.Times), usual) // they hardly sleep
	}
	s.LowWithRoom = s.Low
	changed, _, ends = settle(p, r.base, other)
	hold(changed, r.base, ends, other, false)
	if most > policy.Widest.Value*least {
		return nil, fmt.Sprintf("from %.2f to %.2f times as fast is all that the trace tells", least, most)
	}
	usually := policy.Alike.Value + policy.ErrorOfMore*math.Abs(math.Log2(s.Estimate))
	if c.Scale != nil {
		usually += policy.ErrorOfLess
	}
	err := max(usually, math.Abs(r.Error))
	s.Low, s.High, s.LowWithRoom = s.Low*(1-err), s.High*(1+err), s.LowWithRoom*(1-err)
	return s, ""
}

// gainOfRoom is what room alone brings: a program in which something is only faster is compared with one that has
// as much room.
func (r *Replay) gainOfRoom(c Change) float64 {
	if !c.Room || !c.OnlyFaster() || c.Scale.Overlaps() {
		return 1
	}
	return r.roomy() / r.base
}

// roomy is the rate of the unchanged program if GPUs that are not known to be limited have room.
func (r *Replay) roomy() float64 {
	if r.withRoom == 0 {
		r.withRoom, _ = run(r.program, Change{Room: true}, nil)
	}
	return r.withRoom
}
