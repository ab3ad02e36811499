package evidence

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A KernelWait tells that kernels of one queue wait on the GPU, while they run, for work of another queue (by polling
// memory). No event shows such a wait. It is inferred because each command buffer ends right after one of the other
// queue, however late that one began.
type KernelWait struct {
	Waiting, Awaited *analyze.Queue
	// number of command buffers of Waiting that end right after one of Awaited, and of all during which one of
	// Awaited ended
	Follow, Of int
	// total time from the begin of each waiting command buffer to the end of the command buffer that it waits for
	Time analyze.Nanos
	// median time from the end of the awaited command buffer to the end of the waiting one
	Usual analyze.Nanos
}

// KernelWaits returns the pairs of queues of which one waits for the other inside its kernels, the longest waits
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

// kernelWait compares when command buffers of two queues end, both lists sorted by end. It ignores command buffers
// that wait for an event, because the event already names the awaited work. follows is false if the ends may coincide
// by chance.
func kernelWait(waiting, awaited []*analyze.CommandBuffer) (w KernelWait, follows bool) {
	if len(waiting) < policy.Pattern.Count() || len(awaited) < policy.Pattern.Count() {
		return w, false
	}
	var lags []analyze.Nanos
	chance := 0.0 // the number that would end together by chance
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
