package evidence

import (
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// Timeouts sums up submitting threads' waits for signals that ended because their time limit passed, although the
// thread then had what it waited for: it committed before it waited at the same object again. The signal was never
// sent, or it came too early and the thread waited again.
type Timeouts struct {
	Waits int           // such waits in which the GPU was idle
	Of    int           // all waits of submitting threads at the same objects
	Idle  analyze.Nanos // how long the GPU was idle in such waits
	Limit analyze.Nanos // median length of the waits that timed out: about the time limit
	// The thread whose signals most often woke a waiting thread that then waited again until the time limit, and how
	// often it did. nil and 0 if no signals came.
	Early  *analyze.Thread
	InVain int
}

// Main reports whether these waits have most of `lost`, the GPU's idle time in waits for signals and for input.
func (o *Timeouts) Main(lost analyze.Nanos) bool {
	return o.Waits >= policy.FewestThreadOccurrences.Count() && policy.MoreThan(policy.Majority, o.Idle, lost)
}

// A waitPlace is an object at which a thread waits.
type waitPlace struct {
	thread *analyze.Thread
	object LockKey
}

// endedByTimeout returns the waits that Timeouts describes.
func endedByTimeout(trace *analyze.Trace, merged []analyze.SignalWait, submits map[*analyze.Thread]bool,
) map[*analyze.SignalWait]bool {
	commits := map[*analyze.Thread][]analyze.Nanos{}
	for b := range trace.Buffers() {
		if t := b.Committed.Thread; submits[t] {
			commits[t] = append(commits[t], b.Committed.Begin)
		}
	}
	for _, list := range commits {
		slices.Sort(list)
	}
	found, next := map[*analyze.SignalWait]bool{}, map[waitPlace]analyze.Nanos{}
	for i := range merged {
		w := &merged[len(merged)-1-i]
		if !submits[w.Thread] {
			continue
		}
		place := waitPlace{w.Thread, producerSite(w)}
		end, again := next[place]
		if next[place] = w.Begin; !w.TimedOut {
			continue
		}
		of := commits[w.Thread]
		k, _ := slices.BinarySearch(of, w.End)
		found[w] = k < len(of) && (!again || of[k] < end)
	}
	return found
}

// count sets the fields that need all waits, given the objects of the waits in Waits.
func (o *Timeouts) count(waits *ThreadWaits, submits map[*analyze.Thread]bool, objects map[LockKey]bool) {
	for w := range analyze.Each(waits.Merged) {
		if submits[w.Thread] && objects[producerSite(w)] {
			o.Of++
		}
	}
	inVain, last := map[*analyze.Thread]int{}, map[waitPlace]*analyze.SignalWait{}
	var lengths []analyze.Nanos
	for w := range analyze.Each(waits.Signals) {
		place := waitPlace{w.Thread, producerSite(w)}
		if !submits[w.Thread] || !objects[place.object] {
			continue
		}
		b := last[place]
		if last[place] = w; !w.TimedOut {
			continue
		}
		lengths = append(lengths, w.Length())
		if b == nil || b.Signaller == nil || w.Begin-b.End > policy.LongestWakeup.Nanos() {
			continue
		}
		if inVain[b.Signaller]++; inVain[b.Signaller] > o.InVain {
			o.Early, o.InVain = b.Signaller, inVain[b.Signaller]
		}
	}
	o.Limit = Median(lengths)
}
