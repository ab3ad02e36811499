package change

import (
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// waitForOwnOnly removes waits for other threads' command buffers, empty command buffers that are made to be waited
// for, and what is a consequence of such waits: a share of the time after them, and the locks that they release and
// reacquire.
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

// takeNoTurns removes the time in which a thread waits, outside of Metal, until another one has waited for the GPU.
func takeNoTurns(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) { shorten(s, d.Turn) })
}

// freeLocks removes waits for locks, the recorded ones and those in commits, and what they cost besides.
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

// keepQueuesSerial lets a queue whose command buffers wait for events run no more of them at once than it was seen to.
// Since each waited for its event, the trace does not tell whether it could; a queue keeps its order as a rule.
func keepQueuesSerial(p *program.Program) {
	for i := range p.Jobs {
		if j := &p.Jobs[i]; len(j.After)+len(j.Events) > 0 {
			p.Queues[j.Queue].Limited = true
		}
	}
}

// ignoreEvents removes waits for events on the GPU. Command buffers that an event unblocks all at once are handed
// over one by one then, and quickly.
func ignoreEvents(p *program.Program) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if len(j.After)+len(j.Events) > 0 {
			j.Latency = min(j.Latency, p.HandOvers.QuickLatency)
		}
		j.After, j.Events = nil, nil
	}
}

// ignoreEnqueues lets commits give command buffers their places in the queues' order.
func ignoreEnqueues(p *program.Program) {
	for i := range p.Jobs {
		p.Jobs[i].Enqueued = false
	}
}

// emptyHandlers lets completion handlers take no time.
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

// wakePollers lets threads that poll for a completion continue as soon as threads that are woken by it, which is after
// its completion handlers. No wait in a call shows how long waking takes: it is assumed to take as long as the quickest
// submissions, which wake a thread, too.
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
