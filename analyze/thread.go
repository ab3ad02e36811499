package analyze

import (
	"fmt"
	"math/bits"

	"mtrace/collector/wire"
)

// callKey packs the key of a counter of calls into a number: the call, the class of its object and the number of its
// stack.
func callKey(c wire.Call, class uint8, stack uint32) uint64 {
	return uint64(c)<<48 | uint64(class)<<40 | uint64(stack)
}

// threadOf returns the loader of the process's thread with this ID and creates it if necessary. It is called for
// each wait with a known holder, so it tries the most recently used threads first.
func (l *loader) threadOf(p *processLoader, id ThreadID) *threadLoader {
	last := &p.lastThreads[id%ThreadID(len(p.lastThreads))]
	if *last != nil && (*last).ID == id {
		return *last
	}
	t := p.threads[id]
	if t == nil {
		t = l.newThread(p, id)
		p.threads[id] = t
	}
	*last = t
	return t
}

func (l *loader) newThread(p *processLoader, id ThreadID) *threadLoader {
	t := &threadLoader{Thread: &Thread{Process: p.Process, ID: id, Name: p.file.ThreadNames[uint64(id)]}, process: p}
	if l.slice != nil {
		t.Thread, t.sliced = l.slice.thread(t.Thread), true
		if l.slice.shortestWait != nil {
			t.shortestWait = l.slice.shortestWait(t.Thread)
		}
	}
	t.nest.settle, t.core.settle = t.settle, t.settleCore
	return t
}

// settle stores the final times of calls.
func (t *threadLoader) settle(spans []span) {
	for i := range spans {
		s := &spans[i]
		if s.slot < 0 {
			continue
		}
		t.slots[s.slot].exclusive += s.exclusive
		if s.part < PartOutside && !t.sliced {
			t.Exclusive[s.part] += s.exclusive
		}
		t.work(s)
		if s.item >= 0 {
			t.settleItem(s)
		}
	}
}

// countInCore counts the part of a call that lies in `core`: the time range of the loaded slice without the time before
// and after it that was read too. Thread.Exclusive can then be summed up over slices: the time of a call that crosses a
// border is divided between both slices and not counted twice.
func (t *threadLoader) countInCore(rule *rule, call, core Interval) {
	inside, visible := call.in(core)
	if !visible {
		return
	}
	sp := t.core.next()
	sp.begin, sp.end, sp.slot, sp.item = inside.Begin, inside.End, 0, -1
	sp.part, sp.absorbs, sp.yields, sp.blocks = rule.part, rule.absorbs, rule.yields, rule.blocks
	t.core.place()
}

// settleCore adds final exclusive times to Thread.Exclusive. It receives only the parts of calls that countInCore
// counted: those inside the loaded slice's own time range.
func (t *threadLoader) settleCore(spans []span) {
	for i := range spans {
		if s := &spans[i]; s.slot >= 0 && s.part < PartOutside {
			t.Exclusive[s.part] += s.exclusive
		}
	}
}

// settleItem sets the final begin and end of a stored wait. They are final only now, because surrounding or
// overlapping calls can change them.
func (t *threadLoader) settleItem(s *span) {
	switch {
	case s.part == PartLock:
		k := t.locks.at(s.item)
		k.Interval, k.own = Interval{s.begin, s.end}, s.exclusive
	case s.blocks:
		t.blocked.at(s.item).Interval = Interval{s.begin, s.begin + s.exclusive}
	// a wait inside a Metal call counts as that call's time: its own time is 0, and it is left out of the list
	case s.yields:
		t.idle.at(s.item).Interval = Interval{s.begin, s.begin + s.exclusive}
	case s.absorbed: // it is counted as a part of another wait
		t.waits.at(s.item).absorbed = true
	default:
		t.waits.at(s.item).Interval = Interval{s.begin, s.end}
	}
}

// work adds a call whose own time is final to WorkingExclusive, the time up to the thread's last commit or wait.
// Whether a commit or wait follows is not known yet, so work collects times in tail, and adds tail when the next
// commit or wait comes.
func (t *threadLoader) work(s *span) {
	marks := s.part == PartAcquire || s.part == PartCommit || s.part == PartCount
	if !marks && t.Working.End == 0 {
		return
	}
	if s.part < PartOutside {
		t.tail[s.part] += s.exclusive
		t.tailOf |= 1 << s.part
	}
	if !marks {
		return
	}
	if t.Working.End == 0 {
		t.Working.Begin = s.begin
	}
	t.Working.End = max(t.Working.End, s.end)
	for ; t.tailOf != 0; t.tailOf &= t.tailOf - 1 {
		p := bits.TrailingZeros32(t.tailOf)
		t.WorkingExclusive[p] += t.tail[p]
		t.tail[p] = 0
	}
}

// slot returns the index of the counter for this call, class and stack. It first checks the counter that this call
// used last, which avoids most look-ups in the table.
func (t *threadLoader) slot(l *loader, call wire.Call, class uint8, stack *Stack) int32 {
	if int(call) < len(t.byCall) {
		if last := &t.byCall[call]; last.class == class && last.stack == stack && last.slot > 0 {
			return last.slot - 1
		}
	}
	number := uint32(0)
	if stack != nil {
		number = stack.number
	}
	key := callKey(call, class, number)
	i, known := t.others.find(key)
	if !known {
		i = int32(len(t.slots))
		t.others.set(key, i)
		t.slots = append(t.slots, callSlot{stack: stack, sums: l.stat(call, t.process.classes[class])})
	}
	if int(call) < len(t.byCall) {
		t.byCall[call] = slotOfClass{stack, class, i + 1}
	}
	return i
}

func (l *loader) stat(c wire.Call, class string) *CallStat {
	key := statKey{c, class}
	s := l.stats[key]
	if s == nil {
		row := c.Row()
		s = &CallStat{Selector: row.Selector, Class: class, Effect: row.Effect, Part: ruleOf(c).part, Min: 1<<63 - 1,
			Exclusive: map[*Thread]Nanos{}, Counts: map[*Thread]int64{},
			Durations: &Durations{}}
		if int(c) >= len(wire.Table) {
			s.Selector = fmt.Sprintf("call %d, unknown to this version", c)
		}
		l.stats[key] = s
	}
	return s
}

// finishThread computes the final times of the thread's calls and adds its counts and times to the trace.
func (l *loader) finishThread(t *threadLoader) {
	t.nest.finish()
	t.core.finish()
	for _, s := range t.slots {
		s.sums.Count += s.count
		s.sums.Counts[t.Thread] += s.count
		s.sums.Exclusive[t.Thread] += s.exclusive
		t.Events += s.count
		if l.trace.Recording.Stacks.Stacks > 0 {
			s.sums.From = append(s.sums.From, CallsFrom{t.Thread, s.stack, s.count, s.exclusive})
		}
	}
	if l.slice != nil {
		l.skewed += t.core.skewed
	} else {
		l.skewed += t.nest.skewed
	}
	t.late = t.tail
	t.nest.spans, t.core.spans = nil, nil
	l.threads = append(l.threads, t)
	l.trace.Signals = append(l.trace.Signals, t.signal...)
	l.trace.Events += t.Events
	t.roles |= l.roles[threadOfFile{t.process.file, t.ID}]
	t.OnlyIdle = t.Events > 0 && t.roles&roleUses == 0
	t.Submits = l.window != allTime && t.roles&roleSubmits != 0
	if t.Events > 0 || t.Active.End > t.Active.Begin {
		l.trace.Threads = append(l.trace.Threads, t.Thread)
	}
}

// bufferOf returns the command buffer with a number. Consecutive calls mostly use the same command buffer, so it
// tries the last one first.
func (t *threadLoader) bufferOf(id wire.ObjectID) *CommandBuffer {
	if b := t.buffer; b != nil && b.ID == uint32(id) {
		return b
	}
	t.buffer = t.process.buffer(id)
	return t.buffer
}

// encoderOf returns the encoder with a number. Consecutive calls mostly use the same encoder, so it tries the last
// one first.
func (t *threadLoader) encoderOf(id wire.ObjectID) *openEncoder {
	if e := t.open; e != nil && e.one[0].ID == uint32(id) {
		return e
	}
	t.open = t.process.encoder(id)
	return t.open
}
