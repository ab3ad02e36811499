package cause

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay"
)

// starvation holds if the GPU is idle because submitting threads wait for something that is produced elsewhere:
// another thread's signal, a file, a pipe or another process. Waits for clients are left out, because a server that
// waits for requests is just idle. Waits at barriers count as imbalance, and waits for a thread that submits for
// others as single-submitter.
func starvation(ev *evidence.Evidence) Finding {
	r := Finding{Cause: Starvation, Confidence: policy.ConfidenceShown,
		Advice: "produce earlier what the submitting threads wait for: " +
			"more producer threads, an earlier start, or a deeper queue"}
	lost, outside := ev.Starvation.Lost, ev.Starvation.Outside
	switch {
	case len(ev.ThreadWaits.Merged) == 0 && lost+outside == 0:
		return r.reject("no wait for another thread's signal, and none for input, is in the trace")
	case ev.Delegation.Confirmed() && ev.Submitters.Share(lost+outside) < policy.NegligibleShare.Value:
		return r.reject("threads wait for the thread that submits for them, and that thread waits for their requests")
	case ev.Occupancy.Saturated:
		return r.reject("the GPU had no idle time")
	case ev.Submitters.Share(lost) < policy.NegligibleShare.Value && outside > lost:
		return r.reject("the GPU was idle for %s while the submitting threads waited for the outside: "+
			"clients, a terminal or standard input", outside)
	}
	r.Lost = lost
	if ev.Starvation.Server != nil && ev.Submitters.Share(lost) < policy.NegligibleShare.Value {
		return r.reject("the submitting threads' waits on an idle GPU are for a thread that polls for their requests: " +
			"see polling")
	}
	if ev.Submitters.Share(r.Lost) < policy.NegligibleShare.Value {
		return r.reject("submitting threads waited %s for other threads' signals and for input while the GPU was idle",
			r.Lost)
	}
	r.Present = true
	r.explain("submitting threads waited %s, %s of the threads' time, "+
		"for other threads' signals or for input while the GPU was idle", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	feeders := ev.Starvation.Producers
	for _, x := range feeders[:min(policy.MostNamed, len(feeders))] {
		r.explain("%s of that for %s (%s)%s", percent(evidence.Share(x.Idle, r.Lost)), x.Awaited(), x.What, x.Doing())
	}
	timeouts := &ev.Starvation.Timeouts
	missed := timeouts.Main(r.Lost)
	if missed {
		r.explainTimeouts(timeouts)
	}
	inputs := slices.DeleteFunc(slices.Clone(ev.Starvation.Inputs.Sources), func(x *evidence.Input) bool {
		return x.Outside
	})
	for _, x := range inputs[:min(policy.MostNamed, len(inputs))] {
		r.explain("%s of that for %s", percent(evidence.Share(x.Idle, r.Lost)), x.Name)
	}
	if outside > 0 && ev.Submitters.Share(outside) >= policy.NegligibleShare.Value {
		r.explain("not counted: %s in which they waited for the outside, such as clients or a terminal", outside)
	}
	if site := evidence.StarvedAt(&ev.Submitters, ev.ThreadWaits.Merged); site != "" {
		r.explain("they wait in %s", site)
	}
	r.explain("the GPU was busy for %s of the time", percent(ev.Occupancy.Busy))
	if ev.Delegation.Confirmed() {
		r.removalChange = feedingClients
	}
	r.summarize("The GPU is idle because the submitting threads wait for %s: for %s of the threads' time%s.",
		mostWaitedFor(feeders, inputs), percent(ev.Submitters.Share(r.Lost)),
		busyWords(ev, "; the GPU was busy for %s"))
	if missed {
		r.Advice = "signal after the awaited item is in place, with the mutex held, each time that a thread may wait for " +
			"it; a shorter time limit only hides lost signals"
		return r
	}
	switch {
	case len(feeders) == 0 || !feeders[0].Sleeps():
	case feeders[0].Woken:
		r.Advice += "; that thread is woken by signals and then sleeps in its work: sleep less, " +
			"or give the work that sleeps a thread or a serial queue of its own"
	default:
		r.Advice += "; if that thread looks for requests and sleeps between, let it wait for them in a call that wakes it"
	}
	if len(inputs) > 0 && (len(feeders) == 0 || inputs[0].Idle > feeders[0].Idle) {
		r.Advice = "have the input ready sooner: read ahead in a thread of its own, or make its producer faster"
	}
	return r
}

// feedingClients returns the change in which the clients of a server have their input at once, or the reason why the
// replay cannot predict its effect.
func feedingClients(p replayed) (replay.Change, string) {
	if _, batch := p.Submits(); batch {
		return replay.Change{}, "the submitting thread answers several threads together, " +
			"and the trace does not show how many it would answer if they came sooner"
	}
	return replay.Change{Fed: true}, ""
}

// mostWaitedFor names the thread or the file, pipe or socket that threads waited for longest.
func mostWaitedFor(feeders []*evidence.Producer, inputs []*evidence.Input) string {
	if len(inputs) > 0 && (len(feeders) == 0 || inputs[0].Idle > feeders[0].Idle) {
		return inputs[0].Name
	}
	return feeders[0].Awaited()
}

// explainTimeouts adds how many waits ended by their time limit, and which thread signalled too early.
func (r *Finding) explainTimeouts(o *evidence.Timeouts) {
	r.explain("%d of %d waits ended by their timeout, after %s: nobody signalled, "+
		"but the thread then found what it waited for", o.Waits, o.Of, o.Limit)
	if o.Early != nil {
		r.explain("%s before such a wait, %s signalled too early: the thread woke, found nothing and waited again",
			analyze.Plural(o.InVain, "time"), evidence.ThreadName(o.Early))
	}
}
