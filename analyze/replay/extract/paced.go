package extract

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
	"mtrace/analyze/replay/program"
)

// addPaced adds the clients' waits for input from pipes and sockets to the calls of a program in which threads submit
// for others. If the answer comes sooner, such a wait begins sooner, but the source delivers at its own pace: the wait
// then takes longer, and the run is no faster.
func (b *builder) addPaced(by map[*analyze.Thread][]call) {
	waits := map[*analyze.Thread][]*analyze.BlockedWait{}
	for w := range analyze.Each(b.ev.Trace.CPUWaits.Blocked) {
		if b.ev.Handover.Threads[w.Thread] && (w.Kind == analyze.BlockedPipe || w.Kind == analyze.BlockedSocket) &&
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

// ownPace reports whether the source of a thread's input delivers at a pace of its own, and holds the thread up for a
// part of its time (active). Then a wait is as long as the thread comes early, so the lengths of its waits differ much.
// A source that is asked each time answers after a time of its own.
func ownPace(waits []*analyze.BlockedWait, active analyze.Nanos) bool {
	var lengths []analyze.Nanos
	sum := analyze.Nanos(0)
	for _, w := range waits {
		lengths, sum = append(lengths, w.Length()), sum+w.Length()
	}
	return len(waits) >= policy.Sample.Count() && policy.AtLeast(policy.ChanceShare, sum, active) &&
		policy.AtLeast(policy.Most, evidence.SpreadOf(lengths), evidence.Median(lengths))
}
