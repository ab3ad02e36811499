package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// launchBound: what the GPU does for a command buffer is short against what it takes to hand it over and to hear back.
func launchBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: LaunchBound, Confidence: policy.Inferred,
		Advice: "put more work into each command buffer: encode several operations before committing, fuse kernels, and wait less often"}
	if f.buffers < policy.Pattern.Count() {
		return r.not("%d command buffers are too few to tell", f.buffers)
	}
	scheduling, notify := a.Sum(analyze.PartWaitScheduling)+a.notYetHanded(), a.Sum(analyze.PartWaitNotify)
	encode, commit := a.Sum(analyze.PartEncode), a.Sum(analyze.PartCommit)
	scheduling -= min(scheduling, f.found[HeadOfLine]+f.found[EventChain]+f.beganLate)
	notify -= min(notify, f.found[CompletionHandlers])
	commit -= min(commit, f.lockInCommit)
	r.Lost = scheduling + notify + encode + commit
	each, work := a.typicalLaunch()
	switch {
	case f.saturated:
		return r.not("the GPU had no idle time")
	case f.busy >= policy.Busy.Value && work > policy.Launch.Nanos():
		return r.not("the GPU was busy for %s of the time, with %s for each command buffer", percent(f.busy), work)
	case f.starved():
		return r.not("handing over and hearing back take long because threads wait for processors")
	case f.processors.known(f.total) && policy.AtLeast(policy.Most, f.processors.waited, r.Lost):
		return r.not("handing over command buffers and hearing back took %s, and threads waited %s for a processor", r.Lost, f.processors.waited)
	case r.Lost < a.Sum(analyze.PartOutside):
		return r.not("threads spent %s of their time outside of Metal, and %s handing over command buffers and hearing back",
			percent(f.share(a.Sum(analyze.PartOutside))), percent(f.share(r.Lost)))
	case each <= work:
		return r.not("handing over a command buffer and hearing back usually took %s, the GPU worked on it for %s", each, work)
	}
	r.Holds = true
	r.say("a command buffer kept the GPU busy for %s, and its thread for %s: encoding, committing, waiting for it to begin and to hear back (medians)", work, each)
	r.say("of the threads' time: scheduling %s, notify %s, encode %s, commit %s", percent(f.share(scheduling)), percent(f.share(notify)),
		percent(f.share(encode)), percent(f.share(commit)))
	r.say("the GPU was busy for %s of the time", percent(f.busy))
	return r
}

// typicalLaunch is what launching one command buffer takes, and how long the GPU works on it: the sum of the medians of encoding,
// committing, and of what its thread waited before and after the GPU's work, so that a few that were held up do not count.
// Command buffers that events or others in their queue held up, or whose completion the program's handlers did, are left out.
func (a *Analysis) typicalLaunch() (launch, work analyze.Nanos) {
	var encode, commit, gpu, before, after []analyze.Nanos
	solo := a.soloCommit()
	for _, b := range a.Trace.CommandBuffers {
		if !b.Committed.Known() || !b.GPU.Known() {
			continue
		}
		commit, gpu = append(commit, min(b.Committed.Length(), solo)), append(gpu, b.Took(b.GPU))
		sum := analyze.Nanos(0)
		for i := range b.Encoders {
			if e := &b.Encoders[i]; e.Created.Known() && e.Ended.Known() {
				sum += max(0, e.Ended.End-e.Created.Begin)
			}
		}
		encode = append(encode, sum)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if x := a.released[w.Buffer]; x == nil || x.head.Length() > 0 || x.event.Length() > 0 || x.elsewhere.Length() > 0 || w.Buffer.Handlers > 0 || Awaited(w) != w.Thread {
			continue
		}
		for _, p := range a.Split(w) {
			switch p.Part {
			case analyze.PartWaitScheduling:
				before = append(before, p.Nanos+a.beforeHanded(w))
			case analyze.PartWaitNotify:
				after = append(after, p.Nanos)
			}
		}
	}
	return median(encode) + median(commit) + median(before) + median(after), median(gpu)
}

// beforeHanded is the part of a wait for the thread's own work in which the driver had not handed it to the GPU, while the GPU ran
// something else: it is launching all the same, and not queued for the GPU.
func (a *Analysis) beforeHanded(w *analyze.Wait) analyze.Nanos {
	b := w.Buffer
	if b == nil || Awaited(w) != w.Thread {
		return 0
	}
	x, handed := a.released[b], max(b.Kernel.End, b.Scheduled)
	if x == nil || x.head.Length() > 0 || x.event.Length() > 0 || handed == 0 {
		return 0
	}
	queued := queuedPart(w)
	return a.deviceOf(b).all.Within(analyze.Interval{Begin: queued.Begin, End: min(queued.End, handed)})
}

// notYetHanded is beforeHanded of all waits.
func (a *Analysis) notYetHanded() (sum analyze.Nanos) {
	for i := range a.Trace.Waits {
		sum += a.beforeHanded(&a.Trace.Waits[i])
	}
	return sum
}
