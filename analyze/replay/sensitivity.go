package replay

import (
	"math"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/extract"
	"mtrace/analyze/replay/program"
)

// An Added is a delay that is added to the recorded program at certain places.
type Added = change.Added

// A Sensitivity predicts how many nanoseconds longer a thread takes per command buffer, for each nanosecond of added
// delay per command buffer: 1 on the critical path, 0 where other waits hide the delay.
type Sensitivity struct{ Estimate, Low, High float64 }

// Sensitivity predicts the cost of an added delay, or returns the reason why the cost is not known. `threads` is the
// number of threads whose command buffers count as progress. The interval covers all readings. Each reading is compared
// with its own run without the delay, so that errors which do not depend on the delay cancel.
func (r *Replay) Sensitivity(a *Added, threads int) (*Sensitivity, string) {
	if r.Why != "" {
		return nil, r.Why
	}
	of := r.ofDelays()
	p := of.program
	times := a.Times(p)
	if times == 0 {
		return nil, "the replayed program never reaches a step to which the delay is added"
	}
	predict := func(p *program.Program, base float64) float64 {
		rate, ends := run(p, Change{Added: a}, nil)
		if !ends || rate == 0 || base == 0 {
			return math.NaN()
		}
		return float64(max(1, threads)) * (1/rate - 1/base) / (times * float64(a.By))
	}
	at := predict(p, of.base)
	if math.IsNaN(at) {
		return nil, "the replay with the delay deadlocks or makes no progress"
	}
	s := &Sensitivity{Estimate: at, Low: at, High: at}
	add := func(x float64) {
		if !math.IsNaN(x) {
			s.Low, s.High = min(s.Low, x), max(s.High, x)
		}
	}
	if of.readings != nil {
		for _, x := range of.readings.sharing {
			if !x.refuted {
				add(predict(x.program, x.unchanged()))
			}
		}
		for _, x := range of.readings.draw(policy.FirstReplayDraws) {
			add(predict(x.program, x.unchanged()))
		}
	}
	err := max(policy.RunToRunVariation.Value, math.Abs(of.Error)) * max(policy.SensitivityFloor, math.Abs(at))
	s.Low, s.High = s.Low-err, s.High+err
	return s, ""
}

// ofDelays returns the replay that predicts the cost of an added delay. That is the tied replay, in which waits for
// signals and locks depend on other threads, if it reproduces the run. If waits had a fixed length, no wait could
// hide a delay, and every delay would seem to cost its full length.
func (r *Replay) ofDelays() *Replay {
	if r.delayed != nil {
		return r.delayed
	}
	r.delayed = r.ofTied()
	if r.delayed != r || r.evidence == nil {
		return r.delayed
	}
	recorded, _ := extract.Program(r.evidence, r.externalUse, false)
	p, base := calibrateTo(recorded, policy.ReplayErrorLimit.Value)
	if base == 0 {
		return r
	}
	if off := p.Rate(p.Recorded)/base - 1; math.Abs(off) <= policy.ReplayErrorLimit.Value {
		r.delayed = &Replay{program: p, base: base, Error: off, evidence: r.evidence, externalUse: r.externalUse,
			seed:     r.seed,
			readings: newReadings(p, [2]uint64{r.seed, 0x64656c6179})}
	}
	return r.delayed
}

// Locks returns the names of the locks that threads wait for; Added.Lock is an index into this list, plus 1.
func (r *Replay) Locks() []string {
	if r.program == nil {
		return nil
	}
	return r.ofDelays().program.Names.Locks
}

// ThreadsNamed returns the replayed program's numbers of the threads with the given names.
func (r *Replay) ThreadsNamed(names ...string) (numbers []int32) {
	if r.program == nil {
		return nil
	}
	threads := r.ofDelays().program.Threads
	for t := range threads {
		for _, name := range names {
			if threads[t].Name == name {
				numbers = append(numbers, int32(t))
			}
		}
	}
	return numbers
}
