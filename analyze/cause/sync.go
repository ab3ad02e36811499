package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// deviceWideSync: threads that submit work of their own wait for everybody's. It costs the time for which they went on
// waiting after their own work was done. Two shapes are known: waiting for the command buffers that others committed,
// and committing an empty command buffer behind others' work in order to wait for it.
func deviceWideSync(ev *evidence.Evidence) Finding {
	r := Finding{Cause: DeviceWideSync, Confidence: policy.Recorded,
		Advice: "wait for what the thread itself needs (its last command buffer, or a shared event that it signals) " +
			"instead of for the whole device"}
	switch ev.Submitters.Committers {
	case 0:
		return r.not("no thread committed work")
	case 1:
		return r.not("only one thread committed work")
	}
	s := ev.Syncs.Use(&ev.Occupancy)
	switch {
	case s.Foreign+s.Barriers+s.Needed == 0:
		return r.not("no thread that submits waited for work that another had committed")
	case s.Foreign+s.Barriers == 0:
		return r.not("threads waited, %s of their time, only for the work of some that do not wait for theirs: they may "+
			"need what those make", percent(ev.Submitters.Share(s.NeededTime)))
	}
	locks, loops := ev.Syncs.Hanging(&ev.Submitters, ev.ThreadWaits.Locks, &ev.Occupancy)
	r.Lost = s.Lost + locks + loops
	r.Holds = r.Lost > 0
	if !r.Holds {
		return r.not("waits for others' work ended no later than the threads' own work, or while the GPU was saturated")
	}
	if s.Foreign > 0 {
		others := analyze.Plural(s.Partners(), "other")
		r.say("%d of %d waits (%s of the threads' time) were for work that another thread had committed; each of %d "+
			"threads waited for up to %s",
			s.Foreign, s.Waits, percent(ev.Submitters.Share(s.ForeignTime)), len(s.Waiters), others)
	}
	if s.Barriers > 0 {
		r.say("%d waits were for empty command buffers queued behind other threads' work", s.Barriers)
	}
	r.say("after their own work was done, threads went on waiting for %s in all, %s of their time", s.Lost,
		percent(ev.Submitters.Share(s.Lost)))
	if ev.Submitters.Share(locks+loops) >= policy.Negligible.Value {
		r.say("coming from one such wait to the next took %s more, %s of their time: %s of it waiting for locks, which "+
			"each wait gives back and takes again, or for "+
			"threads on that way that have the interpreter's",
			locks+loops, percent(ev.Submitters.Share(locks+loops)), locks)
	}
	if ev.Occupancy.Buffers > 0 {
		r.say("the GPU was busy for %s of the time from the first commit to the last completion", percent(ev.Occupancy.Busy))
	} else {
		r.Confidence = policy.Guessed
		r.say("there are no GPU times: whether the GPU had room for more cannot be told")
	}
	r.sum("Threads wait for everybody's work, not only for their own: that costs %s of their time%s.",
		percent(ev.Submitters.Share(r.Lost)),
		busyWords(ev, ", while the GPU is busy for %s of it"))
	return r
}
