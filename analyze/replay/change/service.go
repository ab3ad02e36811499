package change

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// A step is a program.Step together with its Detail.
type step struct {
	program.Step
	detail program.Detail
}

// lengthen adds a time to a step's gap, the thread's own time before the step.
func (s *step) lengthen(by analyze.Nanos) { s.Gap, s.detail.Unlocked = s.Gap+by, s.detail.Unlocked+by }

// scale multiplies a step's gap, the thread's own time before the step.
func (s *step) scale(by float64) {
	s.Gap, s.detail.Unlocked = program.Scaled(s.Gap, by), program.Scaled(s.detail.Unlocked, by)
}

// stepsOf returns copies of a thread's steps with their details.
func stepsOf(th *program.Thread) []step {
	all := make([]step, len(th.Steps))
	for i := range all {
		all[i] = step{th.Steps[i], th.Details[i]}
	}
	return all
}

// served has the work of a thread that submits GPU work for other threads, for each of their requests: the steps of the
// work, and the time from the last step to the answer (over).
type served struct {
	steps [][]step
	over  []analyze.Nanos
	busy  float64 // share (0 to 1) of the own time of these steps that is on a processor
}

// requests returns, for each request, the work that a serving thread (a thread that submits for others) did for it. The
// result leaves out waits for processors, and the cost of answering: the estimated time from the end of the work to the
// answer, and the time in which the serving thread then wakes the requesting threads.
func requests(p *program.Program) served {
	w := served{make([][]step, p.Service.Requests), make([]analyze.Nanos, p.Service.Requests), 0}
	by := make([]*program.Thread, p.Service.Requests) // who serves each request
	for _, t := range p.Service.Servers {
		at := int32(-1)
		for _, s := range stepsOf(&p.Threads[t]) {
			switch {
			case s.Kind == program.Serve:
				at = s.Number
			case s.Kind == program.Answer:
				w.over[s.Number], by[s.Number], at = s.Gap, &p.Threads[t], -1
			case at >= 0:
				w.steps[at], by[at] = append(w.steps[at], s), &p.Threads[t]
			}
		}
	}
	answer := answering(w)
	var onProcessor, worked float64
	for k, steps := range w.steps {
		if by[k] == nil { // no thread served the request before the end of the recorded range
			continue
		}
		left, own, answered := by[k].Undelayed(), analyze.Nanos(0), analyze.Nanos(0)
		for i := range steps {
			own += steps[i].OwnWork(&steps[i].detail)
		}
		if len(steps) > 0 { // the next request begins here: the previous step was an answer
			first := &steps[0]
			answered = min(program.Scaled(first.Gap, by[k].Busy*policy.MessagingShare), mostForAnswer(p))
			first.Gap, first.detail.Unlocked = first.Gap-answered, max(0, first.detail.Unlocked-answered)
		}
		onProcessor += by[k].Busy*float64(own) - float64(answered)
		worked += float64(own-answered) * left
		for i := range steps {
			steps[i].scale(left)
		}
		w.over[k] = program.Scaled(max(0, w.over[k]-answer), left)
	}
	w.busy = onProcessor / max(1, worked)
	return w
}

// answering estimates how long giving an answer takes. Most requests end with a wait for the GPU, so it returns the
// median time from that wait to the answer.
func answering(w served) analyze.Nanos {
	var all []analyze.Nanos
	for k, steps := range w.steps {
		if n := len(steps); n > 0 && steps[n-1].Kind == program.Wait {
			all = append(all, w.over[k])
		}
	}
	return evidence.Median(all)
}

// mostForAnswer returns an upper bound of the processor time in which a thread sends or answers one request. Metal's
// own threads hand over a command buffer twice in a similar way, so the bound is half of their processor time per
// command buffer. If that time is not known, the bound is so large that it never applies.
func mostForAnswer(p *program.Program) analyze.Nanos {
	if p.Framework.Time == 0 {
		return 1 << 62
	}
	return p.Framework.Time / 2
}

// submitApart moves the work that the serving threads submitted for each requesting thread to that thread, which gets
// a queue of its own. It removes the serving threads.
func submitApart(p *program.Program) {
	work := requests(p)
	var threads []program.Thread
	clocks := make([]int32, len(p.Threads)) // by thread: the Job.Clock that stands for it
	for t := range p.Threads {
		if slices.Contains(p.Service.Servers, int32(t)) {
			continue
		}
		th := p.Threads[t]
		if th.Has(program.Request) {
			th = submitsItself(p, &th, work, int32(len(threads)))
			p.Queues = append(p.Queues, program.Queue{Capacity: evidence.DefaultCapacity,
				Device: p.Queues[0].Device, AtOnce: 1})
		}
		if len(th.Steps) == 0 {
			continue
		}
		th.Lasts = p.Lasts(&th, p.Recorded[t].Ended)
		for _, j := range th.Jobs {
			p.Jobs[j].By = int32(len(threads))
		}
		threads = append(threads, th)
		clocks[t] = int32(len(threads))
	}
	for i := range p.Jobs {
		if j := &p.Jobs[i]; j.Clock > 0 {
			j.Clock = clocks[j.Clock-1]
		}
	}
	p.Threads, p.Service = threads, program.Service{}
	p.FindPace()
}

// submitsItself returns a copy of th, a thread that sent its work to a submitting thread and waited for the answer.
// In the copy the thread does that work itself, on a new queue of its own. `t` is the index of the thread in the
// changed program.
func submitsItself(p *program.Program, th *program.Thread, work served, t int32) program.Thread {
	n := *th
	n.Steps, n.Details, n.Jobs = nil, nil, nil
	add := func(s step) {
		if n.Add(s.Step, s.detail); s.Kind == program.Commit {
			n.Jobs = append(n.Jobs, s.Job)
		}
	}
	// left is time that is still to be added to the next step. given is all work that moves from the submitting thread
	// to this thread. own is this thread's own time, as if it never waited for a processor.
	var left, given, own analyze.Nanos
	sent := 0 // number of requests
	for _, s := range stepsOf(th) {
		s.scale(th.Undelayed())
		own += s.Gap
		s.lengthen(left)
		left = 0
		switch {
		case s.Kind == program.Lock && s.detail.GuardsServer:
			left = s.Gap
			continue
		case s.Kind != program.Request:
			add(s)
			continue
		}
		sent++
		moved, took := moveWork(p, work.steps[s.Number], t)
		for i := range moved {
			given += moved[i].Gap
		}
		given += took
		// the request committed no command buffer: another request's command buffer contained its work and answered it
		if len(moved) == 0 {
			given, left = given+work.over[s.Number], s.Gap+took+work.over[s.Number]
		} else {
			moved[0].lengthen(s.Gap)
			left = took
		}
		for _, m := range moved {
			add(m)
		}
	}
	mine := float64(own) * th.Busy / th.Undelayed()
	mine -= min(mine*policy.MessagingShare, float64(sent)*float64(mostForAnswer(p)))
	n.Busy = min(1, (mine+float64(given)*work.busy)/float64(max(1, own+given)))
	return n
}

// moveWork converts the steps of a serving thread for one request into steps of thread `t`, which sent the request. A
// command buffer moves to the thread whose request committed it. `took` is the time after the last returned step; the
// caller adds it to the next step.
func moveWork(p *program.Program, work []step, t int32) (moved []step, took analyze.Nanos) {
	queue := int32(len(p.Queues))
	for _, s := range work {
		s.lengthen(took)
		took = 0
		switch {
		case s.Kind == program.Lock && s.detail.GuardsServer:
			took = s.Gap
			continue
		case s.Kind == program.Acquire:
			took = s.Gap + s.Cost
			continue
		case s.Kind == program.Commit:
			j := &p.Jobs[s.Job]
			j.By, j.Queue = t, queue
			acquire := step{Step: program.Step{Kind: program.Acquire, Job: s.Job, Gap: s.Gap},
				detail: program.Detail{Unlocked: s.detail.Unlocked}}
			moved = append(moved, acquire)
			s.Gap, s.detail.Unlocked = 0, 0
		}
		moved = append(moved, s)
	}
	return moved, took
}
