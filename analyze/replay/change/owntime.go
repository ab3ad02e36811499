package change

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// allocateNothing removes the time in which threads allocate and free memory.
func allocateNothing(p *program.Program) {
	eachStep(p, func(th *program.Thread, s *program.Step, _ *program.Detail) {
		shorten(s, program.Scaled(s.Gap, th.Allocating))
	})
}

// compileNothing removes compilation, also what comes before a thread's first command buffer, and the waits for the
// processors that it uses.
func compileNothing(p *program.Program) {
	for t := range p.Threads {
		p.Threads[t].Begin = p.Threads[t].Early
	}
	eachStep(p, func(th *program.Thread, s *program.Step, _ *program.Detail) {
		s.Gap = program.Scaled(s.Gap, th.Undisturbed())
		if s.Kind == program.Compile {
			s.Cost = 0
		}
	})
}

// launchFewer puts each burst of command buffers into one. Where threads submit one at a time, with work of their own in
// between, it puts the same work into a sixteenth of the command buffers.
func launchFewer(p *program.Program) {
	bursts := 0.0
	for i := range p.Jobs {
		bursts += 1 / float64(max(1, p.Jobs[i].Burst))
	}
	if float64(len(p.Jobs)) < policy.BurstSize.Value*bursts {
		mergeLaunches(p, policy.FewerLaunches, true)
		return
	}
	mergeBursts(p, float64(len(p.Jobs))/bursts)
}

// mergeBursts divides what is spent on the command buffers of a burst by their number. What the thread does before the
// first one stays. What the framework does for all goes with the usual number.
func mergeBursts(p *program.Program, usual float64) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		if s.Job < 0 || p.Jobs[s.Job].Burst < 2 {
			return
		}
		n := analyze.Nanos(p.Jobs[s.Job].Burst)
		each := d.Encode
		if s.Kind != program.Acquire || s.Gap <= policy.Wakeup.Nanos() {
			each += program.Scaled(s.Gap-d.Encode, p.LaunchShare)
		}
		shorten(s, each-each/n)
		switch s.Kind {
		case program.Acquire, program.Commit:
			s.Cost /= n
			s.Hold /= n
		case program.Wait, program.WaitOther:
			if s.Notify != program.NotRecorded {
				s.Notify /= n
				s.Handlers /= n
			}
		}
	})
	for i := range p.Jobs {
		if n := analyze.Nanos(p.Jobs[i].Burst); n > 1 {
			p.Jobs[i].Latency /= n
			p.Jobs[i].Submit /= n
		}
	}
	for _, each := range []*analyze.Nanos{&p.HandOvers.Turnaround, &p.Newest.Notify, &p.Framework.Time, &p.Framework.After} {
		*each = program.Scaled(*each, 1/usual)
	}
}

// mergeLaunches divides all that is spent per command buffer: each holds the work of so many. Encoding is divided, too,
// if it becomes less with the number of command buffers.
func mergeLaunches(p *program.Program, merged int, encoding bool) {
	fewer := func(n *analyze.Nanos) { *n /= analyze.Nanos(merged) }
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		each := program.Scaled(s.Gap-d.Encode, p.LaunchShare)
		if encoding {
			each += d.Encode
		}
		shorten(s, each-each/analyze.Nanos(merged))
		switch s.Kind {
		case program.Acquire, program.Commit:
			fewer(&s.Cost)
			fewer(&s.Hold)
		case program.Wait, program.WaitOther:
			if s.Notify != program.NotRecorded {
				fewer(&s.Notify)
				fewer(&s.Handlers)
			}
		}
	})
	for i := range p.Jobs {
		fewer(&p.Jobs[i].Latency)
		fewer(&p.Jobs[i].Submit)
	}
	fewer(&p.HandOvers.Turnaround)
	fewer(&p.Newest.Notify)
	fewer(&p.Framework.Time)
	fewer(&p.Framework.After)
}

// addProcessors gives every thread a processor for its own work, and hand-offs one when they need it. The
// framework's work still shares the machine's.
func addProcessors(p *program.Program) {
	h := &p.HandOvers
	for t := range p.Threads {
		p.Threads[t].Busy = 0 // of the machine's processors
	}
	eachStep(p, func(th *program.Thread, s *program.Step, _ *program.Detail) {
		s.Gap = program.Scaled(s.Gap, th.Undisturbed())
		switch s.Kind {
		case program.Commit:
			if s.Contends = s.Hold > 0; !s.Contends {
				s.Cost = program.Scaled(s.Cost, th.Undisturbed())
			}
		case program.Wait, program.WaitOther:
			s.Notify = min(s.Notify, h.FreeNotify)
		}
	})
	p.Newest.Notify = min(p.Newest.Notify, h.FreeNotify)
	for i := range p.Jobs {
		p.Jobs[i].Latency = min(p.Jobs[i].Latency, h.FreeLatency)
	}
}
