package hang

import (
	"cmp"
	"fmt"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// surveyed is a process's state at its end, as far as it matters for a hang: unfinished calls, command buffers,
// events.
type surveyed struct {
	trace         *analyze.Trace
	process       *analyze.Process
	end           analyze.Nanos // when the process's part of the trace ends
	last          analyze.Nanos // the last progress
	lastText      string
	inside        []*analyze.UnfinishedCall // the innermost call of each thread, by thread
	enclosingCall map[*analyze.Thread]*analyze.UnfinishedCall
	byThread      map[*analyze.Thread]*analyze.UnfinishedCall
	// in the queue's order; command buffers without a position come last
	buffers map[*analyze.Queue][]*analyze.CommandBuffer
	// the longest time from the commit of a command buffer to its completion
	longest analyze.Nanos
	values  map[uint32]value // by event
	// threads that wait for an event again and again, each time with a time limit
	retried map[*analyze.Thread]retry
	// threads that created or committed command buffers
	submitters map[*analyze.Thread]bool
	// threads that wait for a signal which cannot come any more
	unsignalled map[*analyze.Thread]*signallers
	uncertain   bool // for one of unsignalled, signals may still come
}

// A value is the number to which an event (MTLEvent, MTLSharedEvent) is set at the end of the trace, with the time and
// the origin of the setting.
type value struct {
	value  uint64
	at     analyze.Nanos
	buffer *analyze.CommandBuffer // the command buffer that set the value; nil if a thread did
	thread *analyze.Thread
}

// survey collects the state of process p at its end from everything in the trace about it.
func survey(t *analyze.Trace, p *analyze.Process) *surveyed {
	s := &surveyed{trace: t, process: p, end: p.Ended, enclosingCall: map[*analyze.Thread]*analyze.UnfinishedCall{},
		byThread: map[*analyze.Thread]*analyze.UnfinishedCall{},
		buffers:  map[*analyze.Queue][]*analyze.CommandBuffer{}, values: map[uint32]value{},
		submitters: map[*analyze.Thread]bool{}}
	for b := range t.Buffers() {
		if b.Process == p {
			s.take(b)
		}
	}
	for w := range analyze.Each(t.Waits) {
		if w.Thread != nil && w.Thread.Process == p && !w.Unfinished && !w.TimedOut {
			s.progress(w.End, "%s returned on %s", w.Selector, thread(w.Thread))
		}
	}
	for c := range analyze.Each(t.Compilations) {
		if c.Thread != nil && c.Thread.Process == p && c.End < p.Ended {
			s.progress(c.End, "%s returned on %s", c.Selector, thread(c.Thread))
		}
	}
	for x := range analyze.Each(t.Signals) {
		if x.Process == p {
			s.gives(x.Event, value{x.Value, x.At, nil, x.Thread})
			s.progress(x.At, "%s gave %s the value %d", thread(x.Thread), eventName(x.Event), x.Value)
		}
	}
	for a := range analyze.Each(t.Memory.Allocations) {
		if a.Thread != nil && a.Thread.Process == p {
			s.progress(a.At, "%s allocated memory", thread(a.Thread))
		}
	}
	for _, list := range s.buffers {
		slices.SortStableFunc(list, func(a, b *analyze.CommandBuffer) int { return cmp.Compare(queuedAt(a), queuedAt(b)) })
	}
	for u := range analyze.Each(t.Unfinished) {
		if u.Thread != nil && u.Thread.Process == p {
			s.unfinished(u)
		}
	}
	s.retries()
	s.findUnsignalled()
	slices.SortStableFunc(s.inside, func(a, b *analyze.UnfinishedCall) int {
		return cmp.Compare(a.Thread.ID,
			b.Thread.ID)
	})
	return s
}

// take adds a command buffer: the progress that it shows, and the event values that it set.
func (s *surveyed) take(b *analyze.CommandBuffer) {
	s.buffers[b.Queue] = append(s.buffers[b.Queue], b)
	for _, t := range []*analyze.Thread{b.Created.Thread, b.Committed.Thread} {
		if t != nil {
			s.submitters[t] = true
		}
	}
	s.progress(b.Created.End, "%s was created on %s", buffer(b), queue(b.Queue))
	s.progress(b.Committed.End, "%s was committed on %s", buffer(b), queue(b.Queue))
	for i := range b.Encoders {
		s.progress(b.Encoders[i].Created.End, "%s began to encode into %s", thread(b.Encoders[i].Created.Thread),
			buffer(b))
	}
	if !b.Completed.Known() {
		return
	}
	s.progress(b.Completed.End, "%s completed on %s", buffer(b), queue(b.Queue))
	if b.Committed.Known() {
		s.longest = max(s.longest, b.Completed.End-b.Committed.Begin)
	}
	for _, v := range b.Signals {
		s.gives(v.Event, value{v.Value, b.GPU.End, b, nil})
	}
}

// queuedAt returns when a command buffer got its position in its queue: at its enqueue or else at its commit. A command
// buffer without a position comes last.
func queuedAt(b *analyze.CommandBuffer) analyze.Nanos {
	switch {
	case b.Enqueued.Known():
		return b.Enqueued.Begin
	case b.Committed.Known():
		return b.Committed.Begin
	}
	return 1<<63 - 1
}

func (s *surveyed) progress(at analyze.Nanos, format string, args ...any) {
	if at > s.last && at <= s.process.Ended {
		s.last, s.lastText = at, fmt.Sprintf(format, args...)
	}
}

func (s *surveyed) gives(event uint32, v value) {
	if old, known := s.values[event]; !known || v.value >= old.value {
		s.values[event] = v
	}
}

// unfinished adds a call that has not returned. Two such calls of a thread are nested and may arrive in either order.
// The inner call goes to byThread, because it shows what the thread waits for; the outer one goes to enclosingCall.
func (s *surveyed) unfinished(u *analyze.UnfinishedCall) {
	inner := s.byThread[u.Thread]
	if inner != nil {
		if u.Begin > inner.Begin {
			u, inner = inner, u
			s.byThread[inner.Thread] = inner
			s.inside[slices.Index(s.inside, u)] = inner
		}
		s.enclosingCall[u.Thread] = u
		return
	}
	s.byThread[u.Thread] = u
	s.inside = append(s.inside, u)
}

// began returns when the thread of the call u began to wait, normally the begin of u. Some threads repeat a short wait:
// for an event with a time limit, or for the GIL every few ms. For these, began returns the begin of the first wait.
func (s *surveyed) began(u *analyze.UnfinishedCall) analyze.Nanos {
	at := u.Begin
	if r := s.retried[u.Thread]; r.times > 0 && u.Event == r.event {
		return r.since
	}
	if !u.OfPython {
		return at
	}
	for i := len(s.trace.CPUWaits.Locks) - 1; i >= 0; i-- {
		k := &s.trace.CPUWaits.Locks[i]
		if k.Thread != u.Thread || k.Begin >= at {
			continue
		}
		if k.Lock != u.Address || at-k.End > policy.GILPause {
			break
		}
		at = k.Begin
	}
	return at
}

// queues tells for each queue of the process how far its command buffers got.
func (s *surveyed) queues() (list []Queue) {
	for q, buffers := range s.buffers {
		x := Queue{Queue: q}
		for _, b := range buffers {
			switch {
			case b.Completed.Known():
				if x.Completed == nil || b.Completed.End > x.Completed.Completed.End {
					x.Completed = b
				}
			case b.Committed.Known():
				x.Outstanding++
			default:
				x.Uncommitted++
			}
			if b.GPU.Known() && (x.Started == nil || b.GPU.Begin > x.Started.GPU.Begin) {
				x.Started = b
			}
		}
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b Queue) int { return cmp.Compare(queueNumber(a.Queue), queueNumber(b.Queue)) })
	return list
}

func queueNumber(q *analyze.Queue) uint32 {
	if q == nil {
		return 0
	}
	return q.ID
}

// outstanding returns the queue's command buffers that were enqueued or committed and have not completed, in the
// queue's order.
func (s *surveyed) outstanding(q *analyze.Queue) (list []*analyze.CommandBuffer) {
	for _, b := range s.buffers[q] {
		if !b.Completed.Known() && (b.Committed.Known() || b.Enqueued.Known()) {
			list = append(list, b)
		}
	}
	return list
}

// uncommitted returns the queue's command buffers that were created but never committed or completed.
func (s *surveyed) uncommitted(q *analyze.Queue) (list []*analyze.CommandBuffer) {
	for _, b := range s.buffers[q] {
		if !b.Committed.Known() && !b.Completed.Known() && b.Created.Known() {
			list = append(list, b)
		}
	}
	return list
}

// compiles reports whether a call is a compilation that has not yet lasted suspiciously long.
func compiles(u *analyze.UnfinishedCall) bool {
	return u.Group == wire.GroupCompile && u.Length() < policy.LongestCompile
}
