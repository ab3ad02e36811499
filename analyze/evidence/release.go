package evidence

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// WaitedDuring returns the time in waits for the GPU that is due to delayed command buffers. `held` returns how long
// something, for example an event, delayed a command buffer; an empty interval if nothing did. From the begin of that
// interval until the GPU begins the command buffer, every wait for a command buffer of its queue counts, because
// command buffers that are released together delay each other. On a saturated GPU a wait counts for at most the time
// in which the GPU was idle: for the rest, it would have waited anyway.
func WaitedDuring(work *GPUWork, releases *Releases, saturated bool,
	held func(*Release) analyze.Interval) (sum analyze.Nanos) {
	by := map[*analyze.Queue][]analyze.Interval{}
	for b, x := range releases.All() {
		if i := held(x); b.GPU.Known() && i.Length() > 0 {
			by[b.Queue] = append(by[b.Queue], analyze.Interval{Begin: i.Begin, End: b.GPU.Begin})
		}
	}
	queues := unions(by)
	for w := range analyze.Each(work.trace.Waits) {
		if b := work.trace.WaitsFor(w); b != nil {
			queued := work.queued(w)
			during := queues[b.Queue].LengthWithin(queued)
			if saturated {
				during = min(during, queued.Length()-work.Of(b).all.LengthWithin(queued))
			}
			sum += during
		}
	}
	return sum
}

// A Release tells when a committed command buffer became ready for the GPU (At), and what delayed it after its own
// commit: an earlier command buffer of the queue that was committed later (Head), or an event (Event).
type Release struct {
	At    analyze.Nanos
	Head  analyze.Interval // delay by a command buffer that was enqueued earlier and committed later; empty if none
	Event analyze.Interval // delay by an event, the longest if it waits for several; empty if none
	// the thread whose signal ended the delay in Event; nil if a command buffer signaled, or if the signal is not in the
	// trace
	ByThread *analyze.Thread
	Given    analyze.Nanos // when the event was signaled, by a thread or a command buffer
	// the command buffer whose signal ended the delay in Event; none if a thread signaled, or if the signal is not in the
	// trace
	Signaler analyze.CommandBufferIndex
	HeadBy   analyze.CommandBufferIndex // the command buffer that caused the delay in Head
	Waits    int32                      // number of events that the command buffer waits for
	known    bool                       // false if the command buffer was not committed
}

// Releases has the release of each command buffer of a trace.
type Releases struct {
	trace    *analyze.Trace
	released []Release // by CommandBufferIndex
}

// ReleaseOf returns the release of command buffer i, that is, when it became ready for the GPU and what delayed it. It
// returns nil if the command buffer was not committed.
func (r *Releases) ReleaseOf(i analyze.CommandBufferIndex) *Release {
	if int(i) >= len(r.released) || !r.released[i].known {
		return nil
	}
	return &r.released[i]
}

// All yields the committed command buffers with their releases, in the order of their creation.
func (r *Releases) All() iter.Seq2[*analyze.CommandBuffer, *Release] {
	return func(yield func(*analyze.CommandBuffer, *Release) bool) {
		if len(r.released) == 0 {
			return
		}
		for b := range r.trace.Buffers() {
			if x := &r.released[b.Index]; x.known && !yield(b, x) {
				return
			}
		}
	}
}

// FindReleases determines when each committed command buffer could have begun if the GPU had been free. That is after
// its commit, after the commits of the command buffers that were enqueued before it in its queue, and after the
// events that it waits for.
func FindReleases(work *GPUWork) *Releases {
	trace := work.trace
	all := &Releases{trace, make([]Release, trace.IndexCount())}
	byQueue := map[*analyze.Queue][]*analyze.CommandBuffer{}
	for b := range trace.Buffers() {
		if b.Committed.Known() {
			all.released[b.Index] = Release{At: b.Committed.End, Waits: int32(len(b.WaitsFor)), known: true}
			if b.Queue != nil {
				byQueue[b.Queue] = append(byQueue[b.Queue], b)
			}
		}
	}
	for _, list := range byQueue {
		slices.SortStableFunc(list, func(x, y *analyze.CommandBuffer) int { return cmp.Compare(placeOf(x), placeOf(y)) })
		var head *analyze.CommandBuffer // of the command buffers before b in the queue: the last to be committed
		for _, b := range list {
			r := &all.released[b.Index]
			if head != nil && head.Committed.Begin > b.Committed.End {
				r.Head = analyze.Interval{Begin: b.Committed.End, End: head.Committed.Begin}
				r.At, r.HeadBy = max(r.At, head.Committed.End), head.Index
			}
			if head == nil || b.Committed.Begin > head.Committed.Begin {
				head = b
			}
		}
	}
	signals := signalsOf(trace)
	for b, r := range all.All() {
		for _, v := range b.WaitsFor {
			s := signals[eventKey{b.Process, v.Event}].first(b, v.Value)
			if s == nil && work.idlesBefore(b) { // the signal is not in the trace
				s = &signal{at: b.GPU.Begin}
			}
			if s != nil {
				r.heldUpBy(b, s)
			}
		}
	}
	return all
}

// heldUpBy records that b could not begin before the signal s. If b waits for several events, the longest delay
// counts.
func (r *Release) heldUpBy(b *analyze.CommandBuffer, s *signal) {
	i := analyze.Interval{Begin: b.Committed.End, End: s.at}
	if b.GPU.Known() {
		i.End = min(i.End, b.GPU.Begin)
	}
	if i.Length() > r.Event.Length() {
		r.Event, r.Signaler, r.ByThread, r.Given = i, s.index(), s.thread, s.at
		r.At = max(r.At, i.End)
	}
}

// idlesBefore reports whether b began late although the GPU was mostly idle before, so that it must have waited for
// an event whose signal the trace does not have.
func (g *GPUWork) idlesBefore(b *analyze.CommandBuffer) bool {
	before := analyze.Interval{Begin: b.Committed.End, End: b.GPU.Begin}
	return b.GPU.Known() && before.Length() > policy.LongestHandOff.Nanos() &&
		!policy.AtLeast(policy.Majority, g.Of(b).any.LengthWithin(before), before.Length())
}

// placeOf returns a command buffer's position in its queue's order: the time at which it was enqueued, or committed if
// that came first. A commit enqueues a command buffer that is not enqueued yet.
func placeOf(b *analyze.CommandBuffer) analyze.Nanos {
	if b.Enqueued.Known() {
		return min(b.Enqueued.Begin, b.Committed.Begin)
	}
	return b.Committed.Begin
}
