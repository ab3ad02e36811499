package change

import (
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// waitForOwnOnly removes waits for other threads' command buffers, and empty command buffers that exist only to be
// waited for. It also removes the indirect costs that follow such a wait: a share of the time until the next call, and
// waits for locks.
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

// takeNoTurns removes the time in which a thread waits, outside of Metal, until another thread has finished waiting
// for the GPU.
func takeNoTurns(p *program.Program) {
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) { shorten(s, d.Turn) })
}

// freeLocks removes recorded waits for locks, and waits for Metal's own lock that are hidden in the time of commits. It
// also removes the time that threads lose around such waits (being woken, cold caches).
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

// keepQueuesSerial forbids a queue to run more command buffers at once than recorded, if its command buffers wait for
// events. The events may have prevented concurrency, so the trace does not show whether the queue could run more.
// Queues usually run in order, so the opposite assumption would be too optimistic.
func keepQueuesSerial(p *program.Program) {
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.AwaitsEvent() {
			p.Queues[j.Queue].Limited = true
		}
	}
}

// ignoreEvents removes waits for events on the GPU. An event may release several command buffers at the same time.
// Without it they are submitted one by one, each with a short latency.
func ignoreEvents(p *program.Program) {
	for i := range p.Jobs {
		j := &p.Jobs[i]
		if j.AwaitsEvent() {
			j.Latency = min(j.Latency, p.HandOffs.QuickLatency)
		}
		j.After, j.Events, j.Clock = nil, nil, 0
	}
}

// ignoreEnqueues orders command buffers in their queues by commit, not by enqueue, so that none waits for the commit
// of an earlier enqueued one.
func ignoreEnqueues(p *program.Program) {
	for i := range p.Jobs {
		p.Jobs[i].Enqueued = false
	}
}

// emptyHandlers makes completion handlers take no time, also where a thread's recorded steps ran inside a handler.
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
			switch { // the thread's steps after the wait run inside the handler, until it gives its signal
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

// wakePollers makes threads that poll for a completion continue after the completion handlers, as a thread does that
// the completion wakes. The trace does not show how long that wake-up would take. The latency of the quickest
// submissions is used for it, because a submission wakes a thread, too.
func wakePollers(p *program.Program) {
	wake := min(p.HandOffs.QuickLatency, policy.LongestWakeup.Nanos())
	eachStep(p, func(_ *program.Thread, s *program.Step, d *program.Detail) {
		if !d.Polls || s.Job < 0 || s.Notify == program.NotRecorded {
			return
		}
		woken := p.Jobs[s.Job].Complete - s.Handlers + wake
		s.Notify, s.Cost = min(s.Notify, woken), min(s.Cost, woken)
	})
}

// deepenQueues lets queues hold any number of uncompleted command buffers, so that creating one never blocks.
func deepenQueues(p *program.Program) {
	for i := range p.Queues {
		p.Queues[i].Capacity = program.Unlimited
	}
}
