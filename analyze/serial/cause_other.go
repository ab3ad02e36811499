package serial

import (
	"slices"

	"mtrace/analyze"
)

// mostlyCompile is the share of all thread time, start-up included, from which on compilation before a thread's first command
// buffer counts too, if the program makes a library or pipeline state for every few command buffers: then it does little else,
// and does not only start.
const mostlyCompile = 0.6

// compileBound: threads make libraries and pipeline states instead of using them.
func compileBound(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CompileBound, Confidence: 0.9,
		Advice: "make libraries and pipeline states once, before the work begins, and keep them; a binary archive keeps them between runs"}
	seen := map[string]int{}
	late, repeated, made := 0, 0, 0
	var first analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if b.Committed.Known() && (first == 0 || b.Committed.Begin < first) {
			first = b.Committed.Begin
		}
	}
	for _, c := range a.Trace.Compilations {
		if c.Kind != "function" && c.Name != "" {
			if seen[c.Kind+c.Name]++; seen[c.Kind+c.Name] > 1 {
				repeated++
			}
		}
		if c.Kind == "library" || c.Kind == "pipeline" {
			made++
		}
		if c.Kind != "function" && first > 0 && c.Begin > first {
			late++
		}
	}
	r.Lost = a.Sum(analyze.PartCompile)
	var all, windows, aside analyze.Nanos
	for _, t := range f.threads {
		if !f.submits[t.Thread] {
			aside += t.WorkTime[analyze.PartCompile]
		}
		all += t.Time[analyze.PartCompile]
		windows += t.Window
	}
	if share(all, windows) >= mostlyCompile && made*4 >= len(a.Trace.CommandBuffers) {
		r.Lost, r.explains = all, max(all, f.total)
	}
	r.aside = r.explains == 0 && aside*10 >= r.Lost*9
	switch {
	case len(a.Trace.Compilations) == 0:
		return r.not("nothing was compiled")
	case r.Lost == 0:
		return r.not("all was compiled before the threads' first command buffers")
	}
	r.Holds = true
	if r.explains > 0 {
		r.say("threads spent %s, %s of all their time, making libraries, functions and pipeline states", r.Lost, percent(share(all, windows)))
	} else {
		r.say("threads spent %s, %s of their time, making libraries, functions and pipeline states while they submitted work", r.Lost, percent(f.share(r.Lost)))
	}
	if late > 0 {
		r.say("%d libraries and pipeline states were made after the first commit, in the middle of the work", late)
	}
	if repeated > 0 {
		r.say("%d made again what had been made before", repeated)
	}
	return r
}

// slowHandler is the least time that handlers must take to be called slow.
const slowHandler analyze.Nanos = 50_000

// completionHandlers: waits end late because handlers that the program added run before waiters wake.
func completionHandlers(a *Analysis, f *facts) Finding {
	r := Finding{Cause: CompletionHandlers, Confidence: 0.8,
		Advice: "do less in completion handlers: hand the work to another thread, since waiters wake only when all handlers have returned"}
	var with []analyze.Nanos
	for _, b := range a.Trace.CommandBuffers {
		if !b.GPU.Known() || !b.Completed.Known() {
			continue
		}
		if b.Handlers > 0 {
			with = append(with, max(0, b.Completed.Begin-b.GPU.End))
		}
	}
	if len(with) == 0 {
		return r.not("no completion handler of the program is in the trace")
	}
	slices.Sort(with)
	usual := a.usualCompletion()
	median := with[len(with)/2]
	if median < 2*usual || median < slowHandler {
		return r.not("completion was seen %s after the GPU's end where the program had handlers, which is usual", median)
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
	r.say("where the program added completion handlers, completion was seen %s after the GPU's end (median of %d)", median, len(with))
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
