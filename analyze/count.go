package analyze

import "mtrace/collector/wire"

// A callLoader counts the calls in the records of one ring (the record buffer of a traced thread) and adds their time
// to the threads that made them.
type callLoader struct {
	at      *cursor
	waits   waitLoader
	visited VisitedCall
}

// count adds a call's time to its thread. `inside` is the part of the call in the requested range. The returned
// callSlot counts this thread's calls of the same selector, class and stack.
func (l *callLoader) count(rule *rule, inside Interval, call Call, r *wire.Record, m *wire.More,
	unfinished bool) *callSlot {
	t := l.at.thread
	at := t.slot(l.at.loader, r.Call, r.Flags.Class(), call.Stack)
	sp := t.nest.next()
	sp.begin, sp.end, sp.slot, sp.item = inside.Begin, inside.End, at, -1
	sp.part, sp.absorbs, sp.yields, sp.blocks = rule.part, rule.absorbs, rule.yields, rule.blocks
	if t.Active.End == 0 || inside.Begin < t.Active.Begin {
		t.Active.Begin = inside.Begin
	}
	t.Active.End = max(t.Active.End, inside.End)
	if rule.kept {
		sp.item = l.waits.keep(rule, inside, call, r, m, unfinished)
	}
	t.nest.place()
	if l.at.loader.slice != nil && !l.at.loader.slice.apart {
		t.countInCore(rule, inside, l.at.loader.slice.core)
	}
	return &t.slots[at]
}
