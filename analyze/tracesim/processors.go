package tracesim

import "mtrace/collector/wire"

// Processors are those of a machine: whatever runs on them shares them evenly, and one thing has at most one of them.
// Without, everything has a processor of its own.
type Processors struct {
	Count   int
	Others  int  // threads of other programs that always want one
	AreGPU  bool // they are what the GPU's work runs on, too
	all     sharing
	process used // the process's threads together, and its GPU
	machine used
}

// used is what was had of processors, and waited for them.
type used struct{ ran, waited float64 }

func (u *used) sample(thread uint64, at int64) wire.ThreadTime {
	return wire.ThreadTime{Thread: thread, At: at, Ran: int64(u.ran), Waited: int64(u.waited)}
}

func (p *Processors) open(c *clock) {
	p.all = sharing{clock: c, counted: c.now,
		pace: func(n int) float64 { return min(1, float64(p.Count)/float64(n+p.Others)) }}
	p.all.count = func(passed float64) {
		n := len(p.all.running)
		part := p.all.pace(n)
		for _, b := range p.all.running {
			for _, u := range []*used{b.by, &p.process} {
				if u != nil {
					u.ran, u.waited = u.ran+passed*part, u.waited+passed*(1-part)
				}
			}
		}
		wanted, had := float64(n+p.Others), float64(min(p.Count, n+p.Others))
		p.machine.ran, p.machine.waited = p.machine.ran+passed*had, p.machine.waited+passed*(wanted-had)
	}
}

// sample samples now and at intervals, for as long as threads live.
func (s *Sim) sample() {
	if len(s.living) > 0 && s.Processors.Count > 0 {
		s.samples()
		s.clock.at(s.clock.now+50_000_000, s.sample)
	}
}

// samples is what a collector would know of processors, as of now.
func (s *Sim) samples() {
	p := &s.Processors
	if p.Count == 0 {
		return
	}
	p.all.share()
	times := []wire.ThreadTime{p.process.sample(wire.WholeProcess, s.clock.now), p.machine.sample(wire.WholeMachine,
		s.clock.now)}
	for _, t := range s.living {
		times = append(times, t.used.sample(t.id, s.clock.now))
	}
	s.process.Times = append(s.process.Times, times...)
}
