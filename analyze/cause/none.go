package cause

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// noCause returns the summary for a trace without a cause worth naming. It also describes what the threads do
// instead, if that is known.
func noCause(ev *evidence.Evidence) string {
	if h := ev.Delegation; h != nil && !h.Confirmed() && h.MayAnswer >= policy.FewestOccurrences.Count() {
		return fmt.Sprintf("No cause is certain. "+
			"But thread %d submits all GPU work, and other threads wait for its signal, %d times: "+
			"if they wait for results, and not for new work, it delays them%s.",
			h.To.ID, h.MayAnswer, busyWords(ev, "; the GPU was busy for %s"))
	}
	if w := waitsOnGPU(ev); w != nil {
		after := fmt.Sprintf("within %s of", policy.KernelWaitLag)
		if w.Usual > policy.KernelWaitLag {
			after = fmt.Sprintf("about %s after", w.Usual)
		}
		return fmt.Sprintf("Kernels wait on the GPU for another queue's work: "+
			"%d of %d command buffers of queue %s end %s the end of work of queue %s, however late that work began; "+
			"they wait for %s in all%s.", w.Follow, w.Of+w.Short,
			queueName(w.Waiting), after, queueName(w.Awaited), w.Time,
			busyWords(ev, "; the GPU was busy for %s"))
	}
	if waited := ev.Submitters.Share(ev.Starvation.Outside); waited >= policy.WorthNaming.Value {
		what := "clients, a terminal or standard input"
		for _, x := range ev.Starvation.Inputs.Sources {
			if x.Outside {
				what = x.Name
				break
			}
		}
		return fmt.Sprintf(
			"The program is idle, not slow: for %s of the threads' time it waited for the outside (%s)%s.",
			percent(waited), what, busyWords(ev, "; the GPU was busy for %s"))
	}
	waited := ev.Submitters.Share(ev.Times.Sum(analyze.PartDrawable))
	switch {
	case ev.Execution.Display.Paces(ev.Submitters.Taking) || waited >= policy.WorthNaming.Value &&
		len(ev.Execution.Display) > 0:
		return fmt.Sprintf("The program keeps pace with the display: "+
			"for %s of the threads' time it waited in nextDrawable for an image that the display no longer shows%s.",
			percent(waited), busyWords(ev, "; the GPU was busy for %s"))
	case waited >= policy.WorthNaming.Value:
		return fmt.Sprintf("For %s of the threads' time the program waited in nextDrawable "+
			"until the GPU had drawn an earlier frame, or the display had shown one%s.",
			percent(waited), busyWords(ev, "; the GPU was busy for %s"))
	}
	if outside := ev.Submitters.Share(ev.Times.Sum(analyze.PartOutside)); outside > policy.Majority.Value {
		idle := analyze.Nanos(0)
		for _, t := range ev.Submitters.Taking {
			idle += min(t.SignalWaits, t.Working)
		}
		if idle := ev.Submitters.Share(idle); idle > policy.WorthNaming.Value {
			return fmt.Sprintf("Nothing in this trace delays the threads, "+
				"but they spend %s of their time outside of Metal, %s of it waiting for another thread's signal, "+
				"as idle threads do%s.",
				percent(outside), percent(min(1, idle/outside)), busyWords(ev, "; the GPU was busy for %s"))
		}
		return fmt.Sprintf(
			"Nothing in this trace delays the threads, but they spend %s of their time outside of Metal%s%s.",
			percent(outside), outsideWords(ev), busyWords(ev, "; the GPU was busy for %s"))
	}
	if running := ev.Submitters.Share(ev.Times.Sum(analyze.PartWaitExecuting)); running > policy.Majority.Value {
		return fmt.Sprintf("This trace shows nothing that delays the threads: "+
			"for %s of their time they wait while their own work runs on the GPU%s.",
			percent(running), busyWords(ev, ", which was busy for %s"))
	}
	return fmt.Sprintf(
		"This trace shows nothing that delays the threads: of the time of %s, %s went to waiting for others%s.",
		analyze.Plural(len(ev.Submitters.Taking), "thread"),
		percent(ev.Submitters.Share(ev.Times.Sum(analyze.PartWaitCrossThread)+ev.Times.Sum(analyze.PartWaitQueuedOther)+
			ev.Times.Sum(analyze.PartLock))),
		busyWords(ev, ", and the GPU was busy for %s"))
}

// outsideWords describes what submitting threads do outside of Metal, for instance ", 20% running, 56% in sleep
// calls". Each percentage is a share of all their time. Time about which the trace has no data is listed as not
// traced.
func outsideWords(ev *evidence.Evidence) string {
	var running, unknown analyze.Nanos
	var blocked [analyze.BlockedKinds]analyze.Nanos
	for _, t := range ev.Submitters.Taking {
		o := t.Outside()
		if o.Running != analyze.NotKnown {
			running += o.Running
		}
		unknown += o.Unknown
		for kind, n := range o.Blocked {
			blocked[kind] += n
		}
	}
	var words []string
	add := func(n analyze.Nanos, what string) {
		if share := ev.Submitters.Share(n); share > policy.WorthNaming.Value {
			words = append(words, percent(share)+" "+what)
		}
	}
	add(running, "running")
	for kind, n := range blocked {
		switch kind := analyze.Blocking(kind); kind {
		case analyze.BlockedSleep:
			add(n, "in sleep calls")
		case analyze.BlockedSignal:
			add(n, "waiting for another thread's signal")
		case analyze.BlockedProcess:
			add(n, "waiting for a child process")
		case analyze.BlockedJoin:
			add(n, "waiting for the end of another thread")
		case analyze.BlockedOther:
			add(n, "waiting at descriptors")
		default:
			add(n, "waiting for a "+kind.String())
		}
	}
	add(unknown, "in what is not traced")
	if len(words) == 0 {
		return ""
	}
	return ", " + strings.Join(words, ", ")
}
