package evidence

import (
	"cmp"
	"iter"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// WaitedDuring is the thread time in the queued part of waits for command buffers that something held up, or for
// later ones of the same queue: until they began, since what was let go together then stands in one another's way.
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
			during := queues[b.Queue].Within(queued)
			if saturated {
				during = min(during, queued.Length()-work.Of(b).all.Within(queued))
			}
			sum += during
		}
	}
	return sum
}

// A Release is when, and by what, a command buffer was let go to the GPU: by its own commit, by the commit of one that
// was enqueued before it, or by the event that it waits for.
type Release struct {
	At       analyze.Nanos
	Head     analyze.Interval           // held up by one enqueued before it and committed later
	Event    analyze.Interval           // held up by an event
	ByThread *analyze.Thread            // that signaled it; nil when a command buffer did, or it is not in the trace
	Given    analyze.Nanos              // when that thread did
	Signaler analyze.CommandBufferIndex // that signaled it; none when a thread did, or it is not in the trace
	HeadBy   analyze.CommandBufferIndex // what held it up in Head
	Waits    int32                      // events it waits for
	known    bool                       // it was committed
}

// Releases are the releases of a trace's command buffers.
type Releases struct {
	trace    *analyze.Trace
	released []Release // by CommandBufferIndex
}

// Of returns a command buffer's release, or nil if it was not committed.
func (r *Releases) Of(i analyze.CommandBufferIndex) *Release {
	if int(i) >= len(r.released) || !r.released[i].known {
		return nil
	}
	return &r.released[i]
}

// All goes over the command buffers that were committed, in the order of their creation.
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

// FindReleases finds when each committed command buffer could have begun, had the GPU been free.
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
		var head *analyze.CommandBuffer // the latest committed of those before
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
			s := signals[event{b.Process, v.Event}].first(b, v.Value)
			if s == nil && work.idlesBefore(b) { // by whatever signaled that is not in the trace
				s = &signal{at: b.GPU.Begin}
			}
			if s != nil {
				r.heldUpBy(b, s)
			}
		}
	}
	return all
}

// heldUpBy notes that b could not begin before a signal came.
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

// idlesBefore says whether b began so late, while the GPU had nothing to do, that it waited for something.
func (g *GPUWork) idlesBefore(b *analyze.CommandBuffer) bool {
	before := analyze.Interval{Begin: b.Committed.End, End: b.GPU.Begin}
	return b.GPU.Known() && before.Length() > policy.Launch.Nanos() &&
		!policy.AtLeast(policy.Most, g.Of(b).any.Within(before), before.Length())
}

// placeOf is a command buffer's place in its queue's order: where it was enqueued, which commit does if nothing else
// did.
func placeOf(b *analyze.CommandBuffer) analyze.Nanos {
	if b.Enqueued.Known() {
		return min(b.Enqueued.Begin, b.Committed.Begin)
	}
	return b.Committed.Begin
}
