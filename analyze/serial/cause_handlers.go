package serial

import "mtrace/analyze"

// completionHandlers: waits end late because handlers that the program added run before waiters wake.
func completionHandlers(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CompletionHandlers, Confidence: 0.8,
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
	if late < 2*usual || late < slowHandler {
		return r.not("completion was seen %s after the GPU's end where the program had handlers, which is usual", late)
	}
	for i := range a.Trace.Waits {
		w := &a.Trace.Waits[i]
		if b := w.Buffer; b != nil && b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() {
			r.Lost += overlap(w.Interval, analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	waited, full := r.Lost, analyze.Nanos(0)
	handling := a.handling()
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
	r.say("where the program added completion handlers, completion was seen %s after the GPU's end (median of %d)", late, len(with))
	if waited > 0 {
		r.say("threads waited for them for %s, %s of their time", waited, percent(f.share(waited)))
	}
	if r.Lost > waited {
		r.say("threads waited for %s, %s of their time, for command buffers that handlers had not given back: a queue completes one at a time", full, percent(f.share(full)))
	}
	return r
}

// slowHandler is the least time that handlers must take to be called slow.
const slowHandler analyze.Nanos = 50_000

// handling is when a queue's completed work waited for the program's completion handlers.
func (a *Analysis) handling() map[*analyze.Queue]*Busy {
	usual := a.usualCompletion()
	by := map[*analyze.Queue][]analyze.Interval{}
	for _, b := range a.Trace.CommandBuffers {
		if b.Handlers > 0 && b.GPU.Known() && b.Completed.Known() && b.Completed.Begin-b.GPU.End > slowHandler {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: b.GPU.End + usual, End: b.Completed.Begin})
		}
	}
	unions := make(map[*analyze.Queue]*Busy, len(by))
	for q, list := range by {
		unions[q] = NewBusy(list)
	}
	return unions
}
