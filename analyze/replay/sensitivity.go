package replay

import (
	"math"

	"mtrace/analyze/policy"
	"mtrace/analyze/replay/change"
	"mtrace/analyze/replay/program"
)

// An Added is a delay that is added to the recorded program.
type Added = change.Added

// A Sensitivity predicts by how much longer a thread takes for a command buffer, for each nanosecond of delay in a
// command buffer: 1 is on the critical path.
type Sensitivity struct{ Estimate, Low, High float64 }

// Sensitivity predicts what a delay costs, or says why that is not known. A command buffer is one of the threads that
// make progress. The interval has the results of all readings; each reading is compared with itself, so an error that
// does not depend on the delay cancels.
func (r *Replay) Sensitivity(a *Added, threads int) (*Sensitivity, string) {
	if r.Why != "" {
		return nil, r.Why
	}
	of := r.ofTied()
	p := of.program
	times := a.Times(p)
	if times == 0 {
		return nil, "the replayed program has no place where the delay would be"
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
		return nil, "the replay with the delay does not end"
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
		for _, x := range of.readings.draw(policy.FewReadings) {
			add(predict(x.program, x.unchanged()))
		}
	}
	err := max(policy.RunToRunVariation.Value, math.Abs(of.Error)) * max(policy.SensitivityFloor, math.Abs(at))
	s.Low, s.High = s.Low-err, s.High+err
	return s, ""
}

// Locks are the names of the locks that threads wait for in the replayed program, in the order of Added.Lock.
func (r *Replay) Locks() []string {
	if r.program == nil {
		return nil
	}
	return r.ofTied().program.Names.Locks
}

// ThreadsNamed are the numbers of threads in the replayed program, by what they are called.
func (r *Replay) ThreadsNamed(names ...string) (numbers []int32) {
	if r.program == nil {
		return nil
	}
	threads := r.ofTied().program.Threads
	for t := range threads {
		for _, name := range names {
			if threads[t].Name == name {
				numbers = append(numbers, int32(t))
			}
		}
	}
	return numbers
}
