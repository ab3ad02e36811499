package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// An unfinishedLoader adds the calls and waits that threads of one ring (record buffer) had begun but not finished
// when their process ended.
type unfinishedLoader struct {
	at    *cursor
	calls *callLoader
	asks  int // how often the thread read the polled property, for UnfinishedCall.Polls; 0 if the call is no polling loop
}

// load adds the calls and waits of this ring's threads that were not finished when the process ended; a ring is a
// record buffer. A wait inside a Metal call is added before the call, because it would have ended first. Without a
// record of the process's end, load uses the last state that the collector saw. If the ring has later records, that
// state is out of date and ignored.
func (l *unfinishedLoader) load(e *tracefile.End, last wire.Ticks) {
	if e == nil || l.at.process.file.End == nil && (e.At == 0 || l.at.process.clock.at(last) > Nanos(e.At)) {
		return
	}
	polls := l.polls(e)
	for i := range e.Blocked {
		if polls != nil {
			break // the wait is the pause of a polling loop, which is added below
		}
		// a wait that began before the last record of the ring (the thread's record buffer) is no longer in progress: the
		// thread left it without a record, for example by longjmp
		if b := &e.Blocked[i]; b.Ring == l.at.ring && b.Begin >= last {
			l.inside(b.Thread, b.Begin, wire.Record{Call: b.Call, Flags: b.Flags}, b)
		}
	}
	for i := range e.Current {
		if c := &e.Current[i]; c.Ring == l.at.ring {
			l.inside(c.Thread, c.Begin, wire.Record{Object: c.Object, Call: c.Call, Arg: c.Value, Flags: c.Flags}, nil)
		}
	}
	if polls != nil {
		l.asks = int(min(polls.Questions, 1<<40))
		l.inside(polls.Thread, polls.Begin, wire.Record{Object: polls.Object, Call: polls.Call, Arg: polls.Answer}, nil)
		l.asks = 0
	}
}

// polls returns the polling loop in which the ring's thread was when the process ended; nil if it was in none. A
// thread inside a Metal call has left its loop. So has a thread whose last read of the status was long ago, compared
// with the time between its earlier reads.
func (l *unfinishedLoader) polls(e *tracefile.End) *tracefile.PolledCall {
	for i := range e.Current {
		if e.Current[i].Ring == l.at.ring {
			return nil
		}
	}
	for i := range e.Polls {
		p := &e.Polls[i]
		begin, last := l.at.process.clock.at(p.Begin), l.at.process.clock.at(p.Last)
		if p.Ring == l.at.ring && StillPolls(begin, last, l.at.process.Ended, p.Questions) {
			return p
		}
	}
	return nil
}

// StillPolls reports whether a thread is still in its polling loop at the time `now`. The thread read the polled
// property `questions` times between the times `begin` and `last`.
func StillPolls(begin, last, now Nanos, questions uint64) bool {
	if questions == 0 || last < begin {
		return false
	}
	between := (last - begin) / Nanos(min(questions, 1<<40))
	return now-last <= max(leftLoop, leftLoopTimes*between)
}

// Limits for StillPolls. A thread counts as having left its polling loop when its last read is longer ago than
// leftLoop and longer ago than leftLoopTimes times the mean time between its reads.
const (
	leftLoop      Nanos = 500_000_000
	leftLoopTimes Nanos = 5
)

// inside adds a call that a thread had begun but not finished. blocked describes the wait if the call is a wait for a
// lock, a signal or a process; otherwise it is nil.
func (l *unfinishedLoader) inside(thread uint64, begin wire.Ticks, record wire.Record, blocked *tracefile.BlockedCall) {
	l.at.startThread(ThreadID(thread), "")
	rule := ruleOf(record.Call)
	u := UnfinishedCall{Call: Call{Interval: Interval{l.at.process.clock.at(begin), l.at.process.Ended},
		Thread: l.at.thread.Thread}, Selector: rule.row.Selector, Group: rule.row.Group, Effect: rule.effect,
		Polls: l.asks}
	u.Stack, u.Interpreter = l.at.stacks.of(begin)
	if record.Flags&(wire.HoldsInterpreter|wire.LacksInterpreter) != 0 {
		u.Interpreter = interpreterOf(record.Flags)
	}
	u.End = max(u.Begin, min(u.End, u.Begin+longestTime))
	l.at.interpreter, l.at.thread.roles = u.Interpreter, l.at.thread.roles|rule.roles
	more := noMore
	if blocked != nil {
		more.X1 = blocked.Address
		record.Arg = l.awaits(&u, rule, blocked)
	} else {
		l.uses(&u, rule, &record)
	}
	inside, visible := l.at.loader.clip(u.Interval)
	if !visible {
		return
	}
	slot := l.calls.count(rule, inside, u.Call, &record, &more, true)
	slot.sums.unfinished(inside.Length(), !l.at.loader.adds || u.Begin >= l.at.loader.window.Begin)
	if l.at.loader.onCall != nil {
		l.calls.visit(rule, u.Call, &record, &more, true)
	}
	l.at.trace.Unfinished = append(l.at.trace.Unfinished, u)
}

// awaits stores what a wait for a lock, a signal or a process waits for. It returns the Arg that the wait's record
// would have had if the wait had ended.
func (l *unfinishedLoader) awaits(u *UnfinishedCall, rule *rule, b *tracefile.BlockedCall) (arg uint64) {
	if rule.effect == wire.EffectAwaitsProcess {
		u.Child = max(0, int(int32(uint32(b.Address)))) // a negative ID means any child
		return uint64(u.Child)
	}
	if rule.effect.Blocks() { // the address is a descriptor's number
		return 0
	}
	u.Address, u.OfPython = b.Address, b.Interpreter
	if b.Holder != 0 {
		u.Holder = l.at.loader.threadOf(l.at.process, ThreadID(b.Holder)).Thread
	}
	if rule.effect == wire.EffectBlocks {
		return b.Holder
	}
	return 0
}

// uses stores the queue, command buffer or event on which a Metal call was made.
func (l *unfinishedLoader) uses(u *UnfinishedCall, rule *rule, r *wire.Record) {
	switch rule.object {
	case wire.KindEvent:
		u.Event = EventValue{uint32(r.Object), r.Arg}
	case wire.KindQueue:
		u.Queue = l.at.process.queue(r.Object)
	case wire.KindCommandBuffer:
		u.buffer = l.at.process.buffer(r.Object)
	case wire.KindEncoder:
		if e := l.at.process.encoder(r.Object); e != nil {
			u.buffer = e.buffer
		}
	}
}

// nameUnfinished completes the unfinished calls after everything was read: only then do command buffers have their
// final indices, and only then are all names of locks known, from other waits for them. It also sets
// Thread.Notified.
func nameUnfinished(l *loader) {
	type place struct {
		process *Process
		address uint64
	}
	for _, t := range l.threads {
		if l.slice == nil && t.handled != nil {
			t.Notified = l.indexOf(t.handled)
		}
	}
	names := map[place]string{}
	for i := range l.trace.Unfinished {
		u := &l.trace.Unfinished[i]
		if u.buffer != nil {
			u.Buffer, u.buffer = l.indexOf(u.buffer), nil
		}
		if u.Address != 0 {
			names[place{u.Thread.Process, u.Address}] = ""
		}
	}
	if len(names) == 0 {
		return
	}
	note := func(thread *Thread, address uint64, name string) {
		if at := (place{thread.Process, address}); name != "" {
			if _, asked := names[at]; asked {
				names[at] = name
			}
		}
	}
	for k := range Each(l.trace.CPUWaits.Locks) {
		note(k.Thread, k.Lock, k.Name)
	}
	for w := range Each(l.trace.CPUWaits.Signals) {
		note(w.Thread, w.Object, w.Name)
	}
	for i := range l.trace.Unfinished {
		u := &l.trace.Unfinished[i]
		u.Name = names[place{u.Thread.Process, u.Address}]
	}
}
