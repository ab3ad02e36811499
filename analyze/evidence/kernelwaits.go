package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A KernelWait is work of one queue that, while it runs on the GPU, waits for work of another queue: no event says so,
// but it ends when the other one does, however much later that began.
type KernelWait struct {
	Waiting, Awaited *analyze.Queue
	Follow, Of       int           // command buffers of Waiting that end with one of Awaited, and all that run beside one
	Time             analyze.Nanos // from the begin of those that follow to the end of what they wait for
	Usual            analyze.Nanos // the middle time from the end of the one to the end of the other
}

// KernelWaits finds them, the longest first.
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
	for _, waiting := range t.Queues {
		for _, awaited := range t.Queues {
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

// kernelWait compares the ends of command buffers of two queues, which are in the order of their ends. What waits for an
// event is left out: there the program says itself what waits for what.
func kernelWait(waiting, awaited []*analyze.CommandBuffer) (w KernelWait, follows bool) {
	if len(waiting) < policy.Pattern.Count() || len(awaited) < policy.Pattern.Count() {
		return w, false
	}
	var lags []analyze.Nanos
	chance := 0.0 // how many would follow by chance
	for _, b := range waiting {
		if len(b.WaitsFor) > 0 {
			continue
		}
		near := max(policy.KernelWaitLag, analyze.Nanos(policy.KernelWaitLagShare*float64(b.GPU.Length())))
		n, _ := slices.BinarySearchFunc(awaited, b.GPU.End+1, func(c *analyze.CommandBuffer, at analyze.Nanos) int {
			return cmp.Compare(c.GPU.End, at)
		})
		first, _ := slices.BinarySearchFunc(awaited[:n], b.GPU.Begin, func(c *analyze.CommandBuffer,
			at analyze.Nanos) int {
			return cmp.Compare(c.GPU.End, at)
		})
		if first == n {
			continue // nothing ended while it ran
		}
		w.Of++
		chance += min(1, float64(analyze.Nanos(n-first)*near)/float64(max(1, b.GPU.Length())))
		c := awaited[n-1]
		if lag := b.GPU.End - c.GPU.End; lag <= near && c.GPU.Begin-b.GPU.Begin > near {
			w.Follow++
			w.Time += c.GPU.End - b.GPU.Begin
			lags = append(lags, lag)
		}
	}
	if w.Follow < policy.Pattern.Count() || !policy.NearlyAll(w.Follow, w.Of) ||
		!policy.NearlyAll(w.Of, len(waiting)) || chance > policy.KernelWaitChance*float64(w.Of) {
		return w, false
	}
	slices.Sort(lags)
	w.Usual = lags[len(lags)/2]
	return w, true
}
