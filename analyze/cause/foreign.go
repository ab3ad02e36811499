package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// foreignLoad: another program has the GPU. It is no verdict on this one.
func foreignLoad(ev *evidence.Evidence) Finding {
	r := Finding{Cause: ForeignGPULoad, Confidence: policy.Guessed, Standing: Outside,
		Advice: "see what else uses the GPU (Activity Monitor's GPU history, powermetrics), and measure without it; a " +
			"GPU that leaves a low-power state starts late, too"}
	f := &ev.External
	r.Lost = f.Began
	if f.Why != "" {
		return r.not("%s", f.Why)
	}
	r.Holds = true
	r.Lost += f.Cost.Itself + f.Cost.Behind
	if f.Late > 0 {
		r.say("%d of %d scheduled command buffers waited although the GPU ran nothing of this program, for %s (median)",
			f.Late, f.Delays, f.Usual)
	}
	if f.Cost.Itself+f.Cost.Behind > 0 {
		r.say("%d command buffers took more than %d times as long on the GPU as the same work usually does: threads "+
			"waited %s longer for them, and %s for work behind them",
			f.Interrupted(), policy.Outlier.Count(), f.Cost.Itself, f.Cost.Behind)
	}
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(ev.Submitters.Share(r.Lost)))
	r.say("the GPU was busy with this program for %s of the time", percent(ev.Occupancy.Busy))
	r.sum("Another program uses the GPU: waiting for it costs %s of the threads' time.", percent(min(1,
		ev.Submitters.Share(r.Lost))))
	return r
}
