package replay

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A pool is threads that take what they do from one place. While there is not enough, chance says who gets how much: one may wait for the rest of the
// run. Were there always something, each would take the next as soon as it is done with the last.

// findPools finds the threads that wait for their work at the same place, and get some.
func (p *program) findPools(at map[*analyze.Thread]evidence.LockKey, spans []span) {
	by := map[evidence.LockKey][]int32{}
	for t, s := range spans {
		if place, waits := at[s.thread]; waits && len(p.threads[t].jobs) > 0 {
			by[place] = append(by[place], int32(t))
		}
	}
	for _, pool := range by {
		if len(pool) > 1 {
			p.pools = append(p.pools, pool)
		}
	}
	slices.SortFunc(p.pools, slices.Compare)
}

// A round is what a thread does with one piece of work: from a wait for it to the next.
type round struct {
	at  analyze.Nanos // of its first commit
	by  int32
	ops []op
}

// rounds are those of a thread. What comes before its first wait is a part of the first, and what comes after its last commit of the last.
func (p *program) rounds(t int32) (all []round) {
	ops := p.threads[t].ops
	begin, commits, commit := 0, 0, false
	for i := range ops {
		if commit && ops[i].starved > 0 && commits < len(p.threads[t].jobs) {
			all[len(all)-1].ops, begin, commit = ops[begin:i], i, false
		}
		if ops[i].kind == opCommit {
			if !commit {
				all, commit = append(all, round{at: p.recorded[t].commits[commits], by: t}), true
			}
			commits++
		}
	}
	all[len(all)-1].ops = ops[begin:]
	return all
}

// dealt is the program in which the threads of each pool get its rounds in turns, each on the queue that it uses most.
func (p *program) dealt() *program {
	if len(p.pools) == 0 {
		return p
	}
	q := p.clone()
	queue := map[int32]int32{}
	for _, pool := range p.pools {
		var all []round
		begin, awake, busy, lasts := analyze.Nanos(1<<62), analyze.Nanos(0), 0.0, false
		for _, t := range pool {
			th := &p.threads[t]
			queue[t] = p.ownQueue(t)
			all = append(all, p.rounds(t)...)
			begin, lasts = min(begin, th.begin), lasts || th.lasts
			for i := range th.ops {
				own := th.ops[i].own()
				awake += own
				busy += float64(own) * th.busy
			}
			q.threads[t].ops, q.threads[t].jobs = nil, nil
		}
		slices.SortStableFunc(all, func(x, y round) int { return cmp.Compare(x.at, y.at) })
		for n, r := range all {
			t := pool[n%len(pool)]
			th := &q.threads[t]
			th.ops = append(th.ops, r.ops...)
			for i := range r.ops {
				if o := &r.ops[i]; o.kind == opCommit {
					j := &q.jobs[o.job]
					if j.by = t; j.queue == queue[r.by] {
						j.queue = queue[t]
					}
					th.jobs = append(th.jobs, o.job)
				}
			}
		}
		for _, t := range pool {
			th := &q.threads[t]
			th.begin, th.early, th.lasts, th.busy = begin, begin, lasts && len(th.jobs) > 0, busy/float64(max(1, awake))
		}
	}
	q.findPace()
	return q
}

// ownQueue is the one that the thread uses most.
func (p *program) ownQueue(t int32) (most int32) {
	uses := map[int32]int{}
	for _, j := range p.threads[t].jobs {
		q := p.jobs[j].queue
		if uses[q]++; uses[q] > uses[most] || uses[q] == uses[most] && q < most {
			most = q
		}
	}
	return most
}
