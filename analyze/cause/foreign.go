package cause

import (
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// foreignLoad: another program has the GPU. It is no verdict on this one.
func foreignLoad(ev *evidence.Evidence) Finding {
	r := Finding{Cause: ForeignGPULoad, Confidence: policy.Guessed, Standing: Outside,
		Advice: "see what else uses the GPU (Activity Monitor's GPU history, powermetrics), and measure without it; a GPU that slept begins late too"}
	f := &ev.Foreign
	r.Lost = f.Began
	switch f.Says {
	case evidence.ForeignNotSeen:
		return r.not("when the driver handed work to the GPU is not in the trace")
	case evidence.ForeignBusy:
		return r.not("the GPU had no idle time")
	case evidence.ForeignSeldom:
		return r.not("of %d command buffers that the driver handed to an idle GPU, %d began more than %s late", f.Delays, f.Late, policy.Launch.Nanos())
	case evidence.ForeignCheap:
		return r.not("%d command buffers began late on an idle GPU, for which threads waited %s", f.Late, r.Lost)
	case evidence.ForeignProcessors:
		return r.not("an idle GPU began work late, for %s in all, but a thread of the program waited %s for processors: what hands work to the GPU may have, too", f.Rested, f.Waited)
	case evidence.ForeignHeard:
		return r.not("an idle GPU began work late, for %s in all, but completions were heard of late, too, for %s: what hands work to the GPU and hears of its end "+
			"may lack processors", f.Rested, f.Heard)
	}
	r.Holds = true
	r.Lost += f.Cost.Itself + f.Cost.Behind
	r.say("%d of %d command buffers that the driver had handed over waited for a GPU that ran nothing of this program, for %s (median)", f.Late, f.Delays, f.Usual)
	if f.Cost.Itself+f.Cost.Behind > 0 {
		r.say("%d command buffers took more than %d times as long on the GPU as the same work usually does: threads waited %s longer for them, and %s for work behind them",
			f.Stood, policy.Outlier.Count(), f.Cost.Itself, f.Cost.Behind)
	}
	r.say("threads waited for %s because of it, %s of their time", r.Lost, percent(ev.Share(r.Lost)))
	r.say("the GPU was busy with this program for %s of the time", percent(ev.Busy))
	r.sum("Another program has the GPU: waiting for it costs %s of the threads' time.", percent(min(1, ev.Share(r.Lost))))
	return r
}
