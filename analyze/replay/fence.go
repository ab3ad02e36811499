package replay

// A fence is an empty command buffer that is there only to be waited for: it comes behind what others have put into its queue. A program
// that does not synchronise makes none, so they go with the waits for them, and no fence counts as work.

// findFences marks the command buffers that are fences.
func (p *program) findFences() {
	for t := range p.threads {
		for i := range p.threads[t].ops {
			if o := &p.threads[t].ops[i]; o.barrier && o.job >= 0 {
				p.jobs[o.job].fence = true
			}
		}
	}
}

// left says whether a call is left out where there is no synchronisation: it makes or commits a fence, or takes a lock only because a
// wait gave it back.
func (r *playing) left(o *op) bool {
	return r.Foreign && (o.kind == opLock && o.hangs > 0 || o.job >= 0 && r.jobOf(o).fence)
}

func (r *playing) jobOf(o *op) *job { return &r.program.jobs[o.job] }

// passed is for a fence that is not committed: what would come behind it waits for nothing.
func (r *playing) passed(t int32, o *op) {
	r.done[t].commits = append(r.done[t].commits, r.now)
	s := &r.jobs[o.job]
	s.done, s.seen, s.end = true, true, r.now
	r.feedAll()
	r.over(t, 0, 0)
}
