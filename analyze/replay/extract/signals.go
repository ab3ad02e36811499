package extract

import (
	"cmp"
	"iter"
	"slices"
	"sort"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// In a "tied" program, signals make a thread's wait depend on the work of another thread. In other programs, waits for
// signals and for locks take their recorded time, even if a change shortens the work that they wait for. That is enough
// to predict what the removal of a cause gains, but not what a faster kernel gains.

// lockWaits yields the threads' waits for locks. In a tied program (one in which waits depend on other threads) it adds
// inferred waits for a thread's turn to use the GPU, unless the trace has lock waits for most of that time. It leaves
// out the waits in b.held, which become waits for signals.
func (b *builder) lockWaits() iter.Seq[*analyze.LockWait] {
	return func(yield func(*analyze.LockWait) bool) {
		recorded := map[*analyze.Thread][]analyze.Interval{}
		for l := range analyze.Each(b.ev.ThreadWaits.Locks) {
			if b.held[l] != nil {
				continue
			}
			recorded[l.Thread] = append(recorded[l.Thread], l.Interval)
			if !yield(l) {
				return
			}
		}
		if !b.tied {
			return
		}
		busy := map[*analyze.Thread]*evidence.Busy{}
		for t, list := range recorded {
			busy[t] = evidence.NewBusy(list)
		}
		for l := range analyze.Each(b.ev.Turns.TurnWaits()) {
			if of := busy[l.Thread]; of != nil && policy.AtLeast(policy.Majority, of.LengthWithin(l.Interval), l.Length()) {
				continue
			}
			if !yield(l) {
				return
			}
		}
	}
}

// addSignals returns, by thread, the signals that threads give each other and the waits for these signals. A thread
// without Metal calls, such as a thread that loads data, gets its signals and waits in `by` instead.
func (b *builder) addSignals(by map[*analyze.Thread][]call) map[*analyze.Thread][]call {
	links := map[*analyze.Thread][]call{}
	add := func(t *analyze.Thread, i analyze.Interval, s program.Step, waited analyze.Nanos) {
		s.Job = program.Unknown
		links[t] = append(links[t], call{Interval: i, Step: s, detail: program.Detail{Waited: waited}})
	}
	p := b.program
	signal := func(by *analyze.Thread, at analyze.Interval) (number int32) {
		number = int32(len(p.Signals))
		p.Signals = append(p.Signals, 1)
		add(by, at, program.Step{Kind: program.Signal, Number: number}, 0)
		return number
	}
	type key struct {
		by     *analyze.Thread
		object uint64
		at     analyze.Nanos
	}
	numbers := map[key]int32{}
	for _, w := range b.linkedWaits(by) {
		k := key{w.Signaller, w.Object, w.Signalled}
		n, given := numbers[k]
		if !given {
			n = signal(w.Signaller, at(w.Signalled))
			numbers[k] = n
		}
		// At a barrier, threads wait for the arrival of all threads, not only of the last one. So each arriving thread
		// gives the signal.
		if m := b.ev.Barriers; m != nil && m.Threads[w.Thread] && m.Threads[w.Signaller] {
			p.Signals[n]++
			add(w.Thread, at(w.Begin), program.Step{Kind: program.Signal, Number: n}, 0)
		}
		add(w.Thread, w.Interval, program.Step{Kind: program.AwaitSignal, Number: n, Notify: w.End - w.Signalled},
			w.Signalled-w.Begin)
	}
	for w := range analyze.Each(b.ev.Starvation.Passings) {
		if c := &w.Wait.Call; c.Begin >= b.window.Begin && c.End <= b.window.End && len(by[w.By]) > 0 {
			add(c.Thread, c.Interval, program.Step{Kind: program.AwaitSignal, Number: signal(w.By, at(w.At)),
				Notify: c.End - w.At}, w.At-c.Begin)
		}
	}
	ends := map[*analyze.Wait]int32{}
	for l := range analyze.Each(b.ev.ThreadWaits.Locks) {
		w := b.held[l]
		if w == nil || l.Begin < b.window.Begin || l.End > b.window.End {
			continue
		}
		n, given := ends[w]
		if !given {
			n = signal(w.Thread, at(w.End))
			ends[w] = n
		}
		add(l.Thread, l.Interval, program.Step{Kind: program.AwaitSignal, Number: n, Notify: max(0, l.End-w.End)},
			l.Length())
	}
	for t, list := range links {
		if len(by[t]) == 0 {
			by[t] = list
			delete(links, t)
		}
	}
	return links
}

// linkedWaits returns the waits that connect the program's threads: waits of threads that make Metal calls, and waits
// of threads that signal these. It searches twice, because the first search finds the threads that only signal.
func (b *builder) linkedWaits(by map[*analyze.Thread][]call) (list []*analyze.SignalWait) {
	ev, window := b.ev, b.window
	calls := map[*analyze.Thread]*evidence.Busy{}
	for t, made := range by {
		if !slices.ContainsFunc(made, func(c call) bool { return c.Kind != program.Lock }) {
			continue
		}
		var all []analyze.Interval
		for _, c := range made {
			all = append(all, c.Interval)
		}
		calls[t] = evidence.NewBusy(all)
	}
	handlers := handlerThreads(ev)
	others := map[*analyze.Thread]bool{} // threads without Metal calls
	for range 2 {
		list = list[:0]
		for w := range analyze.Each(ev.ThreadWaits.Merged) {
			w = b.afterListened(w)
			s := w.Signaller
			if s == nil || s == w.Thread || w.AcquirerReleased || w.TimedOut || w.Signalled <= w.Begin ||
				w.Signalled > w.End ||
				handlers[s] && calls[s] == nil || w.Begin < window.Begin || w.End > window.End {
				continue
			}
			if own, makes := calls[w.Thread]; makes && own.LengthWithin(w.Interval) == 0 || others[w.Thread] &&
				(others[s] || calls[s] != nil) {
				list = append(list, w)
				if calls[s] == nil {
					others[s] = true
				}
			}
		}
	}
	return list
}

// handlerThreads returns the threads that signal mostly from completion handlers. Waiting for such a thread is in
// effect waiting for the GPU.
func handlerThreads(ev *evidence.Evidence) map[*analyze.Thread]bool {
	var ends []analyze.Interval
	for c := range ev.Trace.Buffers() {
		if c.Handlers > 0 && c.GPU.Known() && c.Completed.Known() {
			ends = append(ends, analyze.Interval{Begin: c.GPU.End, End: c.Completed.End})
		}
	}
	handled := evidence.NewBusy(ends)
	inside, all := map[*analyze.Thread]int{}, map[*analyze.Thread]int{}
	for w := range analyze.Each(ev.ThreadWaits.Merged) {
		if all[w.Signaller]++; handled.LengthWithin(analyze.Interval{Begin: w.Signalled, End: w.Signalled + 1}) > 0 {
			inside[w.Signaller]++
		}
	}
	threads := map[*analyze.Thread]bool{}
	for t, n := range inside {
		threads[t] = policy.AtLeast(policy.Majority, n, all[t])
	}
	return threads
}

// byEnd compares the end of a call with a time, for a binary search in calls sorted by their ends.
func byEnd(c call, at analyze.Nanos) int { return cmp.Compare(c.End, at) }

// withLinks inserts signals, waits for signals and releases of locks into a thread's calls. A wait inside a call is
// dropped, because the call's time includes it. A signal inside a call moves to the call's end.
func withLinks(list, links []call) []call {
	if len(links) == 0 {
		return list
	}
	links = slices.DeleteFunc(slices.Clone(links), func(l call) bool {
		i, _ := slices.BinarySearchFunc(list, l.Begin, byEnd)
		for ; i < len(list) && list[i].Begin < l.End; i++ {
			if list[i].End > l.Begin && l.Kind == program.AwaitSignal {
				return true
			}
		}
		return false
	})
	all := slices.Concat(list, links)
	slices.SortStableFunc(all, func(x, y call) int {
		return cmp.Or(cmp.Compare(x.Begin, y.Begin),
			cmp.Compare(x.End, y.End))
	})
	for i := 1; i < len(all); i++ {
		if before := all[i-1].End; all[i].Begin < before && all[i].Kind.Links() {
			all[i].Interval = analyze.Interval{Begin: before, End: max(before, all[i].End)}
		}
	}
	return all
}

// withoutEnd removes a thread's calls after its last work for the GPU, for example a wait until the main thread ends
// the program: such a wait takes its recorded time, so a replay with it could never be faster than the recorded run.
// Other threads no longer wait for a removed signal. If the calls after the last GPU work are many, as for a thread
// that produces for others, withoutEnd keeps them.
func (b *builder) withoutEnd(list []call) []call {
	end := len(list)
	for end > 0 && !list[end-1].Kind.WorksForGPU() {
		end--
	}
	if !policy.NearlyAll(end, len(list)) {
		return list
	}
	for i := range list[end:] {
		if c := &list[end+i]; c.Kind == program.Signal {
			b.program.Signals[c.Number]--
		}
	}
	return list[:end]
}

// waitsForHeldInterpreter finds waits for a GIL whose holder waited for the GPU, and returns for each the holder's
// wait. A thread that waits for the GIL retries again and again; each attempt counts as lasting until the holder's
// wait ended.
func waitsForHeldInterpreter(ev *evidence.Evidence) map[*analyze.LockWait]*analyze.Wait {
	found := map[*analyze.LockWait]*analyze.Wait{}
	held := map[*analyze.Process][]*analyze.Wait{}
	for w := range analyze.Each(ev.Trace.Waits) {
		if w.Interpreter == analyze.InterpreterHeld && w.Thread != nil {
			held[w.Thread.Process] = append(held[w.Thread.Process], w)
		}
	}
	for _, all := range held {
		slices.SortStableFunc(all, func(x, y *analyze.Wait) int { return cmp.Compare(x.Begin, y.Begin) })
	}
	for l := range analyze.Each(ev.ThreadWaits.Locks) {
		if !l.OfInterpreter() {
			continue
		}
		all := held[l.Thread.Process]
		i := sort.Search(len(all), func(i int) bool { return all[i].Begin >= l.End }) - 1
		if i >= 0 && all[i].End > l.Begin && all[i].Thread != l.Thread {
			found[l] = all[i]
		}
	}
	return found
}
