package change

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// allocateNothing removes the time in which threads allocate and free memory.
func allocateNothing(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		shorten(s, program.Scaled(s.Gap, d.Allocates))
	})
}

// compileNothing removes all compilation, including compilation before a thread's first command buffer. Compilation
// occupied processors, so threads' waits for processors are removed, too.
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

// launchFewer merges each burst of command buffers into one. A burst is a group of command buffers that a thread
// submits one after another, doing nothing else in between but wait. If bursts are too small to gain from that, it
// merges policy.MergedLaunches command buffers of a thread into one.
func launchFewer(p *program.Program) {
	bursts := 0.0
	for i := range p.Jobs {
		bursts += 1 / float64(max(1, p.Jobs[i].Burst))
	}
	if float64(len(p.Jobs)) < policy.BurstSize.Value*bursts {
		mergeLaunches(p, policy.MergedLaunches, true)
		return
	}
	mergeBursts(p, float64(len(p.Jobs))/bursts)
}

// mergeBursts divides the time that a thread spends on each command buffer of a burst by the burst's size. The thread's
// work before the burst is unchanged. Metal's own processing time per command buffer is divided by `usual`, the mean
// size of all bursts.
func mergeBursts(p *program.Program, usual float64) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		if s.Job < 0 || p.Jobs[s.Job].Burst < 2 {
			return
		}
		n := analyze.Nanos(p.Jobs[s.Job].Burst)
		each := d.Encode
		if s.Kind != program.Acquire || s.Gap <= policy.LongestWakeup.Nanos() {
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
	for _, each := range []*analyze.Nanos{&p.HandOffs.Turnaround, &p.Newest.Notify, &p.Framework.Time,
		&p.Framework.After} {
		*each = program.Scaled(*each, 1/usual)
	}
}

// mergeLaunches divides the time that is spent on each command buffer by `merged`, the number of command buffers that
// become one. Encoding time is divided only if encoding is true; otherwise the same commands are encoded into fewer
// command buffers.
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
	fewer(&p.HandOffs.Turnaround)
	fewer(&p.Newest.Notify)
	fewer(&p.Framework.Time)
	fewer(&p.Framework.After)
}

// addProcessors gives every thread a processor of its own, so that each hand-off finds a free processor. Metal's
// processing of commits still shares the machine's processors.
func addProcessors(p *program.Program) {
	h := &p.HandOffs
	for t := range p.Threads {
		p.Threads[t].Busy = 0 // the thread does not use the machine's processors
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
