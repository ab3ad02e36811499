package analyze

import (
	"math"

	"mtrace/collector/wire"
)

// A waitLoader stores each call that waits in the list of the thread that made it.
type waitLoader struct{ at *cursor }

// keep stores a waiting call in its thread's list for waits of that kind (GPU, locks, signals, blocked) and returns
// the call's index in that list. inside is the part of the call in the requested range.
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
		item = int32(t.locks.count)
		k := t.locks.add(inside.Begin)
		k.set(Call{inside, t.Thread, call.Stack}, l.at.interpreter, r, m, unfinished)
		k.earlier = l.at.earlier(call)
	case wire.EffectListens, wire.EffectAwaitsProcess:
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
	w := SignalWait{Call: call, Selector: rule.row.Selector, Object: m.X1, Name: l.at.process.text(m.X0), Gave: m.X2,
		GivenBack: r.Object&wire.SignalGivenBack != 0,
		Fetched:   r.Object&wire.SignalFetched != 0,
		TimedOut:  r.Flags&wire.Failed != 0}
	if r.Arg != 0 && !w.TimedOut {
		w.Signaller = l.at.loader.threadOf(l.at.process, ThreadID(r.Arg)).Thread
		if at := l.at.process.clock.at(r.End - wire.Ticks(m.X3)); at >= call.Begin && at <= call.End {
			w.Signalled = at
		}
	}
	return w
}
