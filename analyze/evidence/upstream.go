package evidence

import "mtrace/analyze"

// Upstream is the time in which the GPU was idle and submitting threads waited for a producer's items, while the
// producer compiled, or allocated memory or made it resident. Compiling and allocating are causes of their own, so
// this time must not count as starvation, too. Producers are threads that submit next to nothing.
type Upstream struct {
	Compiling, Allocating analyze.Nanos
	Residency             analyze.Nanos // the part of Allocating in which the producer changed which memory is resident
}

// producing has the times in which each thread compiled, allocated, or waited at a file, pipe or socket.
type producing struct {
	compiling, allocating, residency map[*analyze.Thread]*Busy
	reads                            map[*analyze.Thread][]*analyze.BlockedWait
}

func findProducing(trace *analyze.Trace) producing {
	compiling := map[*analyze.Thread][]analyze.Interval{}
	p := producing{reads: map[*analyze.Thread][]*analyze.BlockedWait{}}
	for c := range analyze.Each(trace.Compilations) {
		compiling[c.Thread] = append(compiling[c.Thread], c.Interval)
	}
	for w := range analyze.Each(trace.CPUWaits.Blocked) {
		if w.Kind != analyze.BlockedSleep && w.Kind != analyze.BlockedJoin && !w.FromOutside() {
			p.reads[w.Thread] = append(p.reads[w.Thread], w)
		}
	}
	residency := map[*analyze.Thread][]analyze.Interval{}
	for c := range analyze.Each(trace.Memory.Residency) {
		residency[c.Thread] = append(residency[c.Thread], c.Interval)
	}
	p.compiling, p.allocating, p.residency = unions(compiling), Allocating(trace), unions(residency)
	return p
}

// explain adds to u the part of the idle time in which the signalling thread compiled or allocated, and returns the
// remaining idle time. It assumes that the idle time is spread evenly over the wait w.
func (p *producing) explain(w *analyze.SignalWait, idle analyze.Nanos, u *Upstream) (rest analyze.Nanos) {
	part := func(of *Busy) analyze.Nanos { return Scaled(idle, Share(of.LengthWithin(w.Interval), w.Length())) }
	compiling, allocating := part(p.compiling[w.Signaller]), part(p.allocating[w.Signaller])
	u.Compiling += compiling
	u.Allocating += allocating
	u.Residency += part(p.residency[w.Signaller])
	return max(0, idle-compiling-allocating)
}

// readsFor returns the wait at a file, pipe or socket in which the signalling thread was for more than half of the
// wait w; nil if there is none.
func (p *producing) readsFor(w *analyze.SignalWait) (most *analyze.BlockedWait) {
	list := p.reads[w.Signaller]
	longest := w.Length() / 2
	for _, r := range list[blockedBefore(list, w.Begin):] {
		if r.Begin >= w.End {
			break
		}
		if n := overlap(r.Interval, w.Interval); n > longest {
			most, longest = r, n
		}
	}
	return most
}

// blockedBefore returns the index of the first wait that ends after the time `at`. The waits must be of one thread,
// in order of time and without overlaps.
func blockedBefore(list []*analyze.BlockedWait, at analyze.Nanos) (n int) {
	to := len(list)
	for n < to {
		if middle := (n + to) / 2; list[middle].End <= at {
			n = middle + 1
		} else {
			to = middle
		}
	}
	return n
}
