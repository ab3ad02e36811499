package serial

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// completionHandlers: waits end late because handlers that the program added run before waiters wake.
func completionHandlers(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CompletionHandlers, Confidence: policy.Shown,
		Advice: "do less in completion handlers: hand the work to another thread, since waiters wake only when all handlers have returned"}
	var with []analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.GPU.Known() && b.Completed.Known() && b.Handlers > 0 {
			with = append(with, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(with) == 0 {
		return r.not("no completion handler of the program is in the trace")
	}
	usual, late := a.usualCompletion(), median(with)
	slow := max(2*usual, policy.Wakeup.Nanos())
	some := late < slow // at most
	if some {
		slow = max(slow, scaled(f.processors.lateWake, policy.Outlier.Value))
	}
	few := 0
	for _, took := range with {
		if took >= slow {
			few++
		}
	}
	if some && (few < policy.Pattern.Count() || f.processors.wakes < policy.Sample.Count()) {
		return r.not("completion was seen %s after the GPU's end where the program had handlers, which is usual", late)
	}
	handling := a.handling()
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		b := w.Buffer
		if b == nil || !b.GPU.Known() || !b.Completed.Known() || some && b.Completed.Begin-b.GPU.End < slow {
			continue
		}
		late := clip(w.Interval, analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		if b.Handlers > 0 {
			r.Lost += late.Length()
		} else {
			r.Lost += handling[b.Queue].Within(late) // its completion comes after those before it in the queue
		}
	}
	waited, full := r.Lost, analyze.Nanos(0)
	for _, c := range a.fullQueue {
		full += handling[c.buffer.Queue].Within(c.Interval)
	}
	if full > f.found[QueueDepth] { // otherwise it is the queue's depth
		r.Lost += full
	}
	r.Holds = r.Lost > 0
	if !r.Holds {
		return r.not("handlers took long, but no thread waited for them")
	}
	if some && f.share(r.Lost) < policy.Little.Value {
		return r.not("completion was seen %s after the GPU's end where the program had handlers, which is usual; the %d that took more than %s cost %s", late, few, slow, r.Lost)
	}
	if some {
		r.Confidence = policy.Inferred
		r.say("of %d command buffers with completion handlers %d were seen to complete more than %s after the GPU's end (the median is %s)", len(with), few, slow, late)
	} else {
		r.say("where the program added completion handlers, completion was seen %s after the GPU's end (median of %d)", late, len(with))
	}
	if waited > 0 {
		r.say("threads waited for them for %s, %s of their time", waited, percent(f.share(waited)))
	}
	if r.Lost > waited {
		r.say("threads waited for %s, %s of their time, for command buffers that handlers had not given back: a queue completes one at a time", full, percent(f.share(full)))
	}
	return r
}

// handling is when a queue's completed work waited for the program's completion handlers.
func (a *Analysis) handling() map[*analyze.Queue]*Busy {
	usual := a.usualCompletion()
	by := map[*analyze.Queue][]analyze.Interval{}
	for _, b := range a.Trace.CommandBuffers {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > policy.Wakeup.Nanos() {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	unions := make(map[*analyze.Queue]*Busy, len(by))
	for q, list := range by {
		unions[q] = NewBusy(list)
	}
	return unions
}
