package analyze

import (
	"math"

	"mtrace/collector/wire"
)

// A waitLoader stores each call that waits in the list of the thread that made it.
type waitLoader struct{ at *cursor }

// keep stores a waiting call in its thread's list for waits of that kind (GPU, locks, signals, blocked) and returns
// the call's index in that list; -1 if nobody needs it. `inside` is the part of the call in the requested range.
func (l *waitLoader) keep(rule *rule, inside Interval, call Call, r *wire.Record, m *wire.More, unfinished bool) (
	item int32) {
	t := l.at.thread
	switch rule.effect {
	default:
		item = int32(t.waits.count)
		w := t.waits.add(inside.Begin)
		w.set(call, l.at.interpreter, r, unfinished)
		w.earlier = l.at.earlier(call)
		if rule.polls {
			w.polls = uint32(min(m.X0, math.MaxUint32))
			w.pollGap = uint32(min(call.End-l.at.process.clock.at(r.End-wire.Ticks(m.X1)), math.MaxUint32))
		}
		if rule.object == wire.KindCommandBuffer {
			t.bufferOf(r.Object)
		}
	case wire.EffectBlocks:
		if call.Length() < t.shortestWait && l.at.interpreter != InterpreterHeld {
			return -1
		}
		item = int32(t.locks.count)
		k := t.locks.add(inside.Begin)
		k.set(Call{inside, t.Thread, call.Stack}, l.at.interpreter, r, m, unfinished)
		k.earlier = l.at.earlier(call)
	case wire.EffectListens, wire.EffectAwaitsProcess:
		if call.Length() < t.shortestWait && rule.effect == wire.EffectListens {
			return -1
		}
		item = int32(t.idle.count)
		w := t.idle.add(inside.Begin)
		*w = l.signalWait(rule, Call{inside, t.Thread, call.Stack}, r, m)
		w.Earlier = l.at.earlier(call)
	case wire.EffectAwaitsInput, wire.EffectSleeps, wire.EffectJoins:
		item = l.keepBlocked(rule, Call{inside, t.Thread, call.Stack}, r, m)
	}
	return item
}

// signalWait converts the record of a wait for a signal, or for a child process, into a SignalWait.
func (l *waitLoader) signalWait(rule *rule, call Call, r *wire.Record, m *wire.More) SignalWait {
	if rule.effect == wire.EffectAwaitsProcess {
		return SignalWait{Call: call, Selector: rule.row.Selector, Name: l.at.process.text(m.X0), ForProcess: true,
			Child: int(min(r.Arg, 1<<31))}
	}
	w := SignalWait{Call: call, Selector: rule.row.Selector, Object: m.X1, Name: l.at.process.text(m.X0),
		LastSignalled:    m.X2,
		AcquirerReleased: r.Object&wire.SignalGivenBack != 0,
		Fetched:          r.Object&wire.SignalFetched != 0,
		TimedOut:         r.Flags&wire.Failed != 0}
	if r.Arg != 0 && !w.TimedOut {
		w.Signaller = l.at.loader.threadOf(l.at.process, ThreadID(r.Arg)).Thread
		if at := l.at.process.clock.at(r.End - wire.Ticks(m.X3)); at >= call.Begin && at <= call.End {
			w.Signalled = at
		}
	}
	return w
}

// blockingOf returns the kind of blocking for a thread that waits for a descriptor of kind d.
func blockingOf(d wire.Descriptor) Blocking {
	switch d {
	case wire.DescriptorFile:
		return BlockedFile
	case wire.DescriptorPipe, wire.DescriptorOwnPipe, wire.DescriptorPair:
		return BlockedPipe
	case wire.DescriptorSocket, wire.DescriptorNetwork:
		return BlockedSocket
	case wire.DescriptorTerminal, wire.DescriptorStandard:
		return BlockedTerminal
	case wire.DescriptorTimer, wire.DescriptorTimeout:
		return BlockedSleep
	case wire.DescriptorEvent:
		return BlockedSignal
	}
	return BlockedOther
}

// blockedWait converts the record of a wait for a descriptor, a sleep or a join into a BlockedWait.
func (l *waitLoader) blockedWait(rule *rule, call Call, r *wire.Record, m *wire.More) BlockedWait {
	w := BlockedWait{Call: call, Selector: rule.row.Selector, Name: l.at.process.text(m.X0)}
	switch rule.effect {
	case wire.EffectSleeps:
		w.Kind = BlockedSleep
	case wire.EffectJoins:
		w.Kind = BlockedJoin
	default:
		w.What = wire.Descriptor(min(r.Object, 0xff))
		w.Kind, w.Peer, w.inode = blockingOf(w.What), int(min(r.Arg, 1<<31)), m.X1
	}
	return w
}

// keepBlocked stores a BlockedWait in its thread's list and returns its index there. The wait's time is only final
// when the surrounding calls are read: a wait inside another recorded call counts as that call's time.
func (l *waitLoader) keepBlocked(rule *rule, call Call, r *wire.Record, m *wire.More) (item int32) {
	list := &l.at.thread.blocked
	item = int32(list.count)
	w := list.add(call.Begin)
	*w = l.blockedWait(rule, call, r, m)
	w.Earlier = l.at.earlier(call)
	return item
}

// findWriters sets BlockedWait.Writer: the traced process at the other end of the pipe or socket that the thread
// waited for. Writer stays nil if that process is not in the trace or is the waiting process itself.
func findWriters(t *Trace) {
	byID := map[int]*Process{}
	writers := map[uint64][]*Process{} // by a pipe's inode
	for _, p := range t.Processes {
		byID[p.ID] = p
		for _, inode := range p.writes {
			writers[inode] = append(writers[inode], p)
		}
	}
	for w := range Each(t.CPUWaits.Blocked) {
		own := w.Thread.Process
		if w.Writer = byID[w.Peer]; w.Writer == own {
			w.Writer = nil
		}
		for _, p := range writers[w.inode] {
			if w.inode != 0 && p != own && w.Writer == nil {
				w.Writer = p
			}
		}
	}
}
