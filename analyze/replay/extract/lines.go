package extract

import (
	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// findLines finds the stages of pipelines and sets their Line. Threads are stages of one pipeline if they commit and
// pass items to each other: one often waits for the other's signal, or at the same pipe or socket. Threads that pass
// a barrier together do not count, because they make equal progress. `of` has the program's threads in its order.
func (b *builder) findLines(of []*analyze.Thread) {
	threads := b.program.Threads
	number := map[*analyze.Thread]int32{}
	for t := range threads {
		if threads[t].Lasts {
			number[of[t]] = int32(t)
		}
	}
	type pair struct{ from, to int32 }
	waits := map[pair]int{}
	var starved, forStages analyze.Nanos // time in which threads wait for work: in all, and for work from other stages
	for _, when := range b.ev.Starvation.When {
		starved += when.Total()
	}
	count := func(w *analyze.Call, y *analyze.Thread) {
		x := w.Thread
		from, known := number[x]
		to, too := number[y]
		if met := b.ev.Barriers; known && too && from != to && (met == nil || !met.Threads[x] || !met.Threads[y]) {
			waits[pair{min(from, to), max(from, to)}]++
			forStages += b.ev.Starvation.When[x].LengthWithin(w.Interval)
		}
	}
	for w := range analyze.Each(b.ev.ThreadWaits.Merged) {
		if !w.AcquirerReleased && !w.TimedOut && w.Begin >= b.window.Begin && w.End <= b.window.End {
			count(&w.Call, w.Signaller)
		}
	}
	for w := range analyze.Each(b.ev.Starvation.Passings) {
		count(&w.Wait.Call, w.By)
	}
	for p, n := range waits {
		if n >= policy.FewestSamples.Count() {
			join(threads, p.from, p.to)
		}
	}
	b.program.FedByStages = forStages > 0 && policy.AtLeast(policy.Majority, forStages, starved)
}

// join makes two threads stages of the same pipeline.
func join(threads []program.Thread, x, y int32) {
	line, other := threads[x].Line, threads[y].Line
	if line == 0 {
		line = x + 1
	}
	threads[x].Line, threads[y].Line = line, line
	for t := range threads {
		if other > 0 && threads[t].Line == other {
			threads[t].Line = line
		}
	}
}
