package change

import (
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// waitForOwnOnly removes waits for other threads' command buffers, and empty command buffers that exist only to be
// waited for. It also removes the consequences of such waits: a share of the time after them, and the locks that they
// release and reacquire.
func waitForOwnOnly(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		shorten(s, program.Scaled(s.Gap, d.Needless))
		switch fence := s.Job >= 0 && p.Jobs[s.Job].Fence; {
		case fence && s.Kind == program.Commit:
			s.Kind, s.Gap = program.Skip, 0
		case fence, s.Kind == program.WaitOther, s.Kind == program.Wait && s.Barrier, s.Kind == program.Lock &&
			d.Needless > 0:
			s.Kind = program.Nothing
		}
	})
}

// takeNoTurns removes the time outside of Metal in which a thread waits until another one has finished waiting for the
// GPU.
func takeNoTurns(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) { shorten(s, d.Turn) })
}

// freeLocks removes waits for locks, both recorded ones and those hidden in commits, and their consequential costs.
func freeLocks(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		s.Gap = d.Unlocked
		switch s.Kind {
		case program.Lock:
			s.Kind = program.Nothing
		case program.Commit:
			s.Cost, s.Hold, s.Contends = d.Solo, 0, false
		}
	})
}

// keepQueuesSerial limits a queue whose command buffers wait for events to the observed number at a time. Each of them
// waited for its event, so the trace does not show whether more could run at once; queues usually run in order.
func keepQueuesSerial(p *program.Program) {
	for i := range p.Jobs {
		if j := &p.Jobs[i]; len(j.After)+len(j.Events) > 0 {
			p.Queues[j.Queue].Limited = true
		}
	}
}

// ignoreEvents removes waits for events on the GPU. Command buffers that an event released together are then submitted
// one by one, with a short latency.
func ignoreEvents(p *program.Program) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if len(j.After)+len(j.Events) > 0 {
			j.Latency = min(j.Latency, p.HandOvers.QuickLatency)
		}
		j.After, j.Events = nil, nil
	}
}

// ignoreEnqueues gives command buffers their positions in queues at their commits.
func ignoreEnqueues(p *program.Program) {
	for i := range p.Jobs {
		p.Jobs[i].Enqueued = false
	}
}

// emptyHandlers makes completion handlers take no time.
func emptyHandlers(p *program.Program) {
	for i := range p.Jobs {
		p.Jobs[i].Complete -= p.Jobs[i].Handlers
	}
	for t := range p.Threads {
		th := &p.Threads[t]
		inside := false
		for i := len(th.Steps) - 1; i >= 0; i-- {
			s := &th.Steps[i]
			s.Handlers = 0
			switch { // the handler began with the end of the wait, and may have given signals since
			case th.Details[i].InHandler:
				inside = true
			case !s.Kind.Links() && s.Kind != program.Lock:
				inside = false
			}
			if inside {
				s.Gap = 0
			}
		}
	}
}

// wakePollers makes threads that poll for a completion resume as soon as woken threads do, that is after the completion
// handlers. No wait shows how long waking takes. It is assumed to take as long as the quickest submissions, which wake
// a thread, too.
func wakePollers(p *program.Program) {
	wake := min(p.HandOvers.QuickLatency, policy.Wakeup.Nanos())
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		if !d.Polls || s.Job < 0 || s.Notify == program.NotRecorded {
			return
		}
		woken := p.Jobs[s.Job].Complete - s.Handlers + wake
		s.Notify, s.Cost = min(s.Notify, woken), min(s.Cost, woken)
	})
}

// deepenQueues lets queues hold any number of command buffers.
func deepenQueues(p *program.Program) {
	for i := range p.Queues {
		p.Queues[i].Capacity = program.Unlimited
	}
}
