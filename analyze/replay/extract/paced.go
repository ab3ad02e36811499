package extract

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addPaced adds clients' waits for input from pipes and sockets to the calls of a program in which threads submit for
// others. A faster program begins such a wait sooner, but the source delivers at its own pace: the wait then takes
// longer, and the run is no faster.
func (b *builder) addPaced(by map[*analyze.Thread][]call) {
	waits := map[*analyze.Thread][]*analyze.BlockedWait{}
	for w := range analyze.Each(b.ev.Trace.CPUWaits.Blocked) {
		if b.ev.Delegation.Threads[w.Thread] && (w.Kind == analyze.BlockedPipe || w.Kind == analyze.BlockedSocket) &&
			w.Begin >= b.window.Begin && w.End <= b.window.End {
			waits[w.Thread] = append(waits[w.Thread], w)
		}
	}
	for t, list := range waits {
		slices.SortStableFunc(list, func(x, y *analyze.BlockedWait) int { return int(x.Begin - y.Begin) })
		if !ownPace(list, t.Active.Length()) {
			continue
		}
		for i, w := range list {
			since := w.Begin
			if i > 0 {
				since = list[i-1].End
			}
			by[t] = append(by[t], call{Interval: w.Interval, Step: program.Step{Kind: program.Paced,
				Job: program.Unknown, Cost: w.End - since}, detail: program.Detail{Waited: w.Length()}})
		}
	}
}

// framesAhead is how many frames a thread that the display paces can catch up after a late one: a layer has three
// drawables, of which the display shows one.
const framesAhead = 2

// addDisplay adds the calls of nextDrawable of threads that the display paces. A faster program waits longer in them:
// it gets a drawable for each frame of the display.
func (b *builder) addDisplay(by map[*analyze.Thread][]call) {
	for t, pace := range b.ev.Execution.Display {
		for _, c := range pace.Calls {
			if c.Begin < b.window.Begin || c.End > b.window.End {
				continue
			}
			by[t] = append(by[t], call{Interval: c.Interval, Step: program.Step{Kind: program.Paced, Job: program.Unknown,
				Cost: pace.Frame, Hold: framesAhead * pace.Frame}, detail: program.Detail{Waited: c.Length()}})
		}
	}
}

// ownPace reports whether the source of a thread's input delivers at its own pace, and whether waiting for it takes a
// relevant part of the thread's time (active). The waits for such a source differ much in length, because a thread that
// comes earlier waits longer. Waits for a source that answers requests all take about the same time.
func ownPace(waits []*analyze.BlockedWait, active analyze.Nanos) bool {
	var lengths []analyze.Nanos
	sum := analyze.Nanos(0)
	for _, w := range waits {
		lengths, sum = append(lengths, w.Length()), sum+w.Length()
	}
	return len(waits) >= policy.FewestSamples.Count() && policy.AtLeast(policy.ChanceShare, sum, active) &&
		policy.AtLeast(policy.Majority, evidence.SpreadOf(lengths), evidence.Median(lengths))
}
