package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// deviceWideSync: threads that submit work of their own wait for everybody's. It costs the time for which they went on waiting
// after their own work was done. Two shapes are known: waiting for the command buffers that others committed, and committing an
// empty command buffer behind others' work in order to wait for it.
func deviceWideSync(a *Analysis, f *facts) Finding {
	r := Finding{Cause: DeviceWideSync, Confidence: policy.Recorded,
		Advice: "wait for what the thread itself needs (its last command buffer, or a shared event that it signals) instead of for the whole device"}
	if f.committers < 2 {
		return r.not("%s committed work", map[bool]string{true: "no thread", false: "only one thread"}[f.committers == 0])
	}
	s := a.syncs(f)
	switch {
	case s.foreign+s.barriers+s.needed == 0:
		return r.not("no thread that submits waited for work that another had committed")
	case s.foreign+s.barriers == 0:
		return r.not("threads waited, %s of their time, only for the work of some that do not wait for theirs: they may need what those make", percent(f.share(s.neededTime)))
	}
	locks, loops := a.hangingOnSyncs(f)
	r.Lost = s.lost + locks + loops
	r.Holds = r.Lost > 0
	if !r.Holds {
		return r.not("waits for others' work ended no later than the threads' own work, or while the GPU was saturated")
	}
	if s.foreign > 0 {
		others := plural(s.partners(), "other")
		r.say("%d of %d waits (%s of the threads' time) were for work that another thread had committed; each of %d threads waited for up to %s",
			s.foreign, s.waits, percent(f.share(s.foreignTime)), len(s.waiters), others)
	}
	if s.barriers > 0 {
		r.say("%d waits were for empty command buffers queued behind other threads' work", s.barriers)
	}
	r.say("after their own work was done, threads went on waiting for %s in all, %s of their time", s.lost, percent(f.share(s.lost)))
	if f.share(locks+loops) >= policy.Negligible.Value {
		r.say("coming from one such wait to the next took %s more, %s of their time: %s of it waiting for locks, which each wait gives back and takes again",
			locks+loops, percent(f.share(locks+loops)), locks)
	}
	if f.buffers > 0 {
		r.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(f.busy))
	} else {
		r.Confidence = policy.Guessed
		r.say("there are no GPU times: whether the GPU had room for more cannot be told")
	}
	return r
}

// hangingOnSyncs is what hangs on waits for others' work: waits for locks, and the threads' own way from one wait to the next. While the
// GPU is saturated neither costs anything.
func (a *Analysis) hangingOnSyncs(f *facts) (locks, loops analyze.Nanos) {
	for i := range a.Trace.Locks {
		if l := &a.Trace.Locks[i]; f.hangs(l) {
			locks += min(l.Own, a.notSaturated(f, l.Interval, nil))
		}
	}
	if !f.saturated {
		for _, h := range f.hanging {
			loops += h.own
		}
	}
	return locks, loops
}
