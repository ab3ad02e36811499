package change

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/replay/program"
)

// feed removes the time in which threads sleep because they wait for work from other threads, or for input. If the work
// comes from earlier stages of a pipeline, it also lets each stage run at its own pace.
func feed(p *program.Program) {
	if p.FedByStages {
		for t := range p.Threads {
			p.Threads[t].Line = 0
		}
		p.FindPace()
	}
	eachStep(p, func(_ *program.Thread, s *program.Step, _ *program.Detail) {
		if s.Kind == program.Paced && s.Hold == 0 { // a display keeps its pace
			s.Kind = program.Nothing
		}
		shorten(s, s.Asleep)
		s.Asleep = 0
	})
}

// A round is a thread's work on one item: its steps from one wait for work to the next.
type round struct {
	at      analyze.Nanos // of its first commit
	by      int32
	steps   []program.Step
	details []program.Detail
}

// rounds divides a thread's steps into rounds. The first round also has the steps before the first wait for work, and
// the last round the steps after the last commit. `commits` has the recorded times of the thread's commits.
func rounds(th *program.Thread, t int32, commits []analyze.Nanos) (all []round) {
	begin, n, commit := 0, 0, false
	end := func(i int) {
		r := &all[len(all)-1]
		r.steps, r.details = th.Steps[begin:i], th.Details[begin:i]
	}
	for i := range th.Steps {
		if commit && th.Steps[i].Asleep > 0 && n < len(th.Jobs) {
			end(i)
			begin, commit = i, false
		}
		if th.Steps[i].Kind == program.Commit {
			if !commit {
				all, commit = append(all, round{at: commits[n], by: t}), true
			}
			n++
		}
	}
	end(len(th.Steps))
	return all
}

// deal distributes the rounds (the work on one item each) of a pool of threads equally among its threads, in rotation.
// In the recorded run work was scarce, so the system's choice of the thread to wake decided how much each thread got.
// If there is always enough work, each thread takes the next item when it has finished one. A moved round uses the
// queue that its new thread uses most.
func deal(p *program.Program) {
	if len(p.Pools) == 0 {
		return
	}
	mostUsed := map[int32]int32{}
	for _, pool := range p.Pools {
		var all []round
		begin, awake, busy, lasts := analyze.Nanos(1<<62), analyze.Nanos(0), 0.0, false
		for _, t := range pool {
			th := &p.Threads[t]
			mostUsed[t] = mostUsedQueue(p, th)
			all = append(all, rounds(th, t, p.Recorded[t].Commits)...)
			begin, lasts = min(begin, th.Begin), lasts || th.Lasts
			for i := range th.Steps {
				own := th.Steps[i].OwnWork(&th.Details[i])
				awake += own
				busy += float64(own) * th.Busy
			}
			th.Steps, th.Details, th.Jobs = nil, nil, nil
		}
		slices.SortStableFunc(all, func(x, y round) int { return cmp.Compare(x.at, y.at) })
		for n, r := range all {
			t := pool[n%len(pool)]
			th := &p.Threads[t]
			th.Steps, th.Details = append(th.Steps, r.steps...), append(th.Details, r.details...)
			for i := range r.steps {
				if s := &r.steps[i]; s.Kind == program.Commit {
					j := &p.Jobs[s.Job]
					if j.By = t; j.Queue == mostUsed[r.by] {
						j.Queue = mostUsed[t]
					}
					th.Jobs = append(th.Jobs, s.Job)
				}
			}
		}
		for _, t := range pool {
			th := &p.Threads[t]
			th.Begin, th.Early, th.Lasts, th.Busy = begin, begin, lasts && len(th.Jobs) > 0, busy/float64(max(1, awake))
		}
	}
	p.FindPace()
}

// mostUsedQueue returns the number of the queue to which most of the thread's command buffers were committed.
func mostUsedQueue(p *program.Program, th *program.Thread) (most int32) {
	uses := map[int32]int{}
	for _, j := range th.Jobs {
		q := p.Jobs[j].Queue
		if uses[q]++; uses[q] > uses[most] || uses[q] == uses[most] && q < most {
			most = q
		}
	}
	return most
}
