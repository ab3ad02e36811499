package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A KernelWait tells that kernels of one queue wait on the GPU, while they run, for work of another queue (by polling
// memory). No event shows such a wait. It is inferred because each command buffer ends a constant time after one of the
// other queue, however late that one began.
type KernelWait struct {
	Waiting, Awaited *analyze.Queue
	// Of counts the command buffers of Waiting during which a command buffer of Awaited ended. Follow counts those that
	// ended the usual time (Usual) later. Short counts the others that are too short to have waited.
	Follow, Of, Short int
	// total time from the begin of each waiting command buffer to the end of the command buffer that it waits for
	Time analyze.Nanos
	// median time from the end of the awaited command buffer to the end of the waiting one
	Usual analyze.Nanos
	// Unproven is true if kernels may not wait at all: command buffers of the two queues end together, but they also
	// begin together or at a constant distance, as command buffers with equally long work do.
	Unproven bool
}

// KernelWaits returns the pairs of queues in which kernels of one queue wait for work of the other, the longest waits
// first.
func KernelWaits(t *analyze.Trace) (found []KernelWait) {
	by := map[*analyze.Queue][]*analyze.CommandBuffer{}
	for b := range t.Buffers() {
		if b.GPU.Known() && b.Queue != nil {
			by[b.Queue] = append(by[b.Queue], b)
		}
	}
	for _, list := range by {
		slices.SortStableFunc(list, func(a, b *analyze.CommandBuffer) int { return cmp.Compare(a.GPU.End, b.GPU.End) })
	}
	// A program may create a queue for each operation: without this, a report of 130,000 queues never ended.
	busy := slices.DeleteFunc(slices.Clone(t.Queues), func(q *analyze.Queue) bool {
		return len(by[q]) < policy.FewestOccurrences.Count()
	})
	for _, waiting := range busy {
		for _, awaited := range busy {
			if waiting == awaited || waiting.Device != awaited.Device {
				continue
			}
			if w, follows := kernelWait(by[waiting], by[awaited]); follows {
				w.Waiting, w.Awaited = waiting, awaited
				found = append(found, w)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b KernelWait) int { return cmp.Compare(b.Time, a.Time) })
	return found
}

// kernelWait examines whether kernels of one queue wait for command buffers of another queue; both lists are sorted by
// end. They do if the waiting command buffers nearly always end the same time after an awaited one. `follows` is false
// if that happens too seldom or may be chance. kernelWait ignores command buffers that wait for an event, because the
// event already names the awaited work.
func kernelWait(waiting, awaited []*analyze.CommandBuffer) (w KernelWait, follows bool) {
	ends := coincidentEnds(waiting, awaited)
	w.Of = len(ends)
	if w.Of < policy.FewestOccurrences.Count() {
		return w, false
	}
	w.Short = tooShort(waiting, ends)
	if !policy.NearlyAll(w.Of+w.Short, len(waiting)) {
		return w, false
	}
	lags, delays := make([]analyze.Nanos, w.Of), make([]analyze.Nanos, w.Of)
	later := 0
	for i := range ends {
		lags[i], delays[i] = ends[i].lag, ends[i].delay
		if ends[i].delay > ends[i].near {
			later++
		}
	}
	var lagSpread, delaySpread analyze.Nanos
	w.Usual, lagSpread = medianAndSpread(lags)
	_, delaySpread = medianAndSpread(delays)
	chance, together := 0.0, 0
	for i := range ends {
		e := &ends[i]
		w.Time += e.until
		if off := e.lag - w.Usual; max(off, -off) <= e.near {
			w.Follow++
		}
		if e.lag <= e.near {
			together++
		}
		chance += min(1, float64(analyze.Nanos(e.count)*max(e.near, lagSpread))/float64(max(1, e.length)))
	}
	if chance > policy.KernelWaitChance*float64(w.Of) {
		return w, false
	}
	if policy.AtLeast(policy.DominantShare, later, w.Of) && policy.AtLeast(policy.Majority, w.Follow, w.Of) &&
		float64(delaySpread) >= policy.KernelWaitSpread*float64(lagSpread) {
		return w, true
	}
	w.Unproven = true
	return w, policy.NearlyAll(together, w.Of) && policy.NearlyAll(w.Of, len(waiting))
}

// tooShort returns the number of waiting command buffers during which no awaited one ended, and which are shorter than
// most of those in `ends`: such a kernel found the value that it polls for, and did only its own work.
func tooShort(waiting []*analyze.CommandBuffer, ends []coincidentEnd) (n int) {
	lengths := make([]analyze.Nanos, len(ends))
	for i := range ends {
		lengths[i] = ends[i].length
	}
	slices.Sort(lengths)
	usual := lengths[len(lengths)/4]
	for _, b := range waiting {
		if len(b.WaitsFor) == 0 && b.GPU.Length() < usual {
			n++
		}
	}
	for i := range ends {
		if ends[i].length < usual {
			n--
		}
	}
	return n
}

// A coincidentEnd compares one waiting command buffer with the last awaited one that ended while it ran.
type coincidentEnd struct {
	lag    analyze.Nanos // from the end of the awaited command buffer to the end of the waiting one
	delay  analyze.Nanos // from the begin of the waiting command buffer to the begin of the awaited one
	until  analyze.Nanos // from the begin of the waiting command buffer to the end of the awaited one
	length analyze.Nanos // GPU time of the waiting command buffer
	near   analyze.Nanos // ends at most this far apart count as coincident
	count  int           // number of awaited command buffers that ended while the waiting one ran
}

// coincidentEnds returns a coincidentEnd for each waiting command buffer that waits for no event and during which an
// awaited one ended that does not wait for the waiting one. Both lists are sorted by end.
func coincidentEnds(waiting, awaited []*analyze.CommandBuffer) (list []coincidentEnd) {
	endsBefore := func(at analyze.Nanos) int {
		n, _ := slices.BinarySearchFunc(awaited, at, func(c *analyze.CommandBuffer, at analyze.Nanos) int {
			return cmp.Compare(c.GPU.End, at)
		})
		return n
	}
	for _, b := range waiting {
		if len(b.WaitsFor) > 0 {
			continue
		}
		first, n := endsBefore(b.GPU.Begin), endsBefore(b.GPU.End+1)
		if first == n {
			continue // nothing ended while it ran
		}
		c := awaited[n-1]
		if slices.ContainsFunc(c.WaitsFor, func(v analyze.EventValue) bool { return slices.Contains(b.Signals, v) }) {
			continue // it waited for this one's event, not the reverse
		}
		list = append(list, coincidentEnd{lag: b.GPU.End - c.GPU.End, delay: c.GPU.Begin - b.GPU.Begin,
			until: c.GPU.End - b.GPU.Begin, length: b.GPU.Length(), count: n - first,
			near: max(policy.KernelWaitLag, Scaled(b.GPU.Length(), policy.KernelWaitLagShare))})
	}
	return list
}

// medianAndSpread returns the median of times and the distance between their quartiles. It sorts times.
func medianAndSpread(times []analyze.Nanos) (median, spread analyze.Nanos) {
	slices.Sort(times)
	n := len(times)
	return times[n/2], times[n*3/4] - times[n/4]
}
