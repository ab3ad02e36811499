package cause

import (
	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

const launchAdvice = "put more work into each command buffer: " +
	"encode several operations before committing, fuse kernels, and wait less often"

// launchBound holds if submitting a command buffer and being notified of its completion take longer than its GPU
// work.
func launchBound(ev *evidence.Evidence) Finding {
	r := Finding{Cause: LaunchBound, Confidence: policy.ConfidenceInferred,
		Advice: launchAdvice}
	if ev.Occupancy.Buffers < policy.FewestOccurrences.Count() {
		return r.reject("%d command buffers are too few to tell", ev.Occupancy.Buffers)
	}
	scheduling, notify := ev.Times.Sum(analyze.PartWaitScheduling), ev.Times.Sum(analyze.PartWaitNotify)
	encode, commit := ev.Times.Sum(analyze.PartEncode), ev.Times.Sum(analyze.PartCommit)
	scheduling -= min(scheduling, lostTo(headOfLine, ev)+lostTo(eventChain, ev)+ev.External.Waited)
	notify -= min(notify, lostTo(completionHandlers, ev)+lostTo(pollsStatus, ev))
	if l, by := findLock(ev); by == hiddenInCommit {
		commit -= min(commit, l.Lost)
	}
	r.Lost = scheduling + notify + encode + commit
	each, work := ev.Launch.Time, ev.Launch.GPU
	burst := ev.Launch.Bursts.Usual
	// threads submit bursts: merging each burst into one command buffer helps even threads that spend most time
	// outside of Metal
	inBursts := float64(burst) >= policy.BurstSize.Value && burst < policy.MergedLaunches
	switch {
	case ev.Occupancy.Saturated:
		return r.reject("the GPU had no idle time")
	case ev.Occupancy.Busy >= policy.DominantShare.Value && work > policy.LongestHandOff.Nanos():
		return r.reject("the GPU was busy for %s of the time, and a command buffer usually kept it busy for %s",
			percent(ev.Occupancy.Busy), work)
	case ev.Processors.Starved():
		return r.reject("submission and completion notification take long because threads wait for processors")
	case ev.Processors.Known() && policy.AtLeast(policy.Majority, ev.Processors.Waited, r.Lost):
		return r.reject("submission and completion notification took %s, and threads waited %s for a processor", r.Lost,
			ev.Processors.Waited)
	case r.Lost < ev.Times.Sum(analyze.PartOutside) && !inBursts:
		return r.reject(
			"threads spent %s of their time outside of Metal, and %s in submission and completion notification",
			percent(ev.Submitters.Share(ev.Times.Sum(analyze.PartOutside))), percent(ev.Submitters.Share(r.Lost)))
	case each <= work:
		return r.reject("submission and completion notification of a command buffer usually took %s, its GPU work %s",
			each,
			work)
	}
	r.Present = true
	r.explain("a command buffer kept the GPU busy for %s, and its thread for %s: "+
		"encoding, committing, waiting for its start and its completion notification (medians)", work, each)
	r.explain("of the threads' time: scheduling %s, notify %s, encode %s, commit %s",
		percent(ev.Submitters.Share(scheduling)),
		percent(ev.Submitters.Share(notify)),
		percent(ev.Submitters.Share(encode)), percent(ev.Submitters.Share(commit)))
	small := r.mergeEncoders(ev)
	if !small {
		r.replaceCalls(ev)
	}
	r.explain("the GPU was busy for %s of the time", percent(ev.Occupancy.Busy))
	if inBursts {
		r.explain("a thread usually submits %d command buffers one after the other; "+
			"the prediction merges these into one with a single, larger kernel, "+
			"so the gain is smaller if each operation must still be encoded separately", burst)
	} else {
		r.explain("the prediction merges %d command buffers into one with a single, larger kernel, "+
			"so the gain is smaller if each operation must still be encoded separately",
			policy.MergedLaunches)
	}
	if small {
		r.summarize("Encoders are too small: a command buffer has %d that could be joined with the previous one. "+
			"The GPU works on a command buffer for %s, and its submission and completion notification take %s.",
			ev.Launch.Small.Usual, work, each)
		return r
	}
	r.summarize("Command buffers are too small: "+
		"one keeps the GPU busy for %s, and its submission and completion notification take %s.", work, each)
	return r
}
