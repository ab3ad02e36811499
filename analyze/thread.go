package analyze

import (
	"fmt"

	"github.com/HdrHistogram/hdrhistogram-go"

	"mtrace/collector/wire"
)

// A threadLoader takes in the calls of one thread, in the order of their ends.
type threadLoader struct {
	*Thread
	process *processLoader
	nest    nesting
	slots   []callSlot
	byCall  [len(wire.Table)]slotOfClass // the slot of the class that the call was last seen with
	others  map[callKey]int32
	buffer  *CommandBuffer // the last one it used
	open    *openEncoder   // the last one it used
	layer   *Layer         // who encodes now; nil is the program
	signal  []Signal
	waits   list[seen]
	locks   list[seen]
	idle    list[SignalWait]
	made    list[seen] // memory
	runs    dispatchRuns
	used    bool             // by a call other than a wait for a signal
	tail    [PartCount]Nanos // of Exclusive, what came after Working so far
}

type callKey struct {
	call  wire.Call
	class uint8
	stack *Stack
}

type slotOfClass struct {
	stack *Stack
	class uint8
	slot  int32 // one more than the index; 0 is none
}

// A callSlot counts the calls of one selector on one class by one thread from one place.
type callSlot struct {
	stack     *Stack
	count     int64
	exclusive Nanos
	stat      *CallStat
}

// threadOf is the thread of the process with the system's number.
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
	t := &threadLoader{Thread: &Thread{Process: p.Process, ID: id, Name: p.file.ThreadNames[uint64(id)]}, process: p, others: map[callKey]int32{}}
	t.nest.settle = t.settle
	return t
}

// settle takes over the final time of a call.
func (t *threadLoader) settle(s *span) {
	t.slots[s.slot].exclusive += s.own
	if s.part < PartOutside {
		t.Exclusive[s.part] += s.own
	}
	t.work(s)
	switch {
	case s.item < 0:
	case s.part == PartLock:
		k := t.locks.at(s.item)
		k.Interval, k.own = Interval{s.begin, s.end}, s.own
	case s.yields: // no part of the partition, and inside a Metal call nothing at all
		t.idle.at(s.item).Interval = Interval{s.begin, s.begin + s.own}
	case s.absorbed: // it is a part of another wait
		t.waits.at(s.item).absorbed = true
	default:
		t.waits.at(s.item).Interval = Interval{s.begin, s.end}
	}
}

// work counts a settled call to the thread's working time, if it is in it.
func (t *threadLoader) work(s *span) {
	marks := s.part == PartAcquire || s.part == PartCommit || s.part == PartCount
	if !marks && t.Working.End == 0 {
		return
	}
	if s.part < PartOutside {
		t.tail[s.part] += s.own
	}
	if !marks {
		return
	}
	if t.Working.End == 0 {
		t.Working.Begin = s.begin
	}
	t.Working.End = max(t.Working.End, s.end)
	for p, n := range t.tail {
		t.WorkingExclusive[p] += n
	}
	t.tail = [PartCount]Nanos{}
}

// slot is the index of the counter for calls of a kind.
func (l *loader) slot(t *threadLoader, p *processLoader, key callKey) int32 {
	var last *slotOfClass
	if int(key.call) < len(t.byCall) {
		if last = &t.byCall[key.call]; last.class == key.class && last.stack == key.stack && last.slot > 0 {
			return last.slot - 1
		}
	}
	i, known := t.others[key]
	if !known {
		i = int32(len(t.slots))
		t.others[key] = i
		t.slots = append(t.slots, callSlot{stack: key.stack, stat: l.stat(key.call, p.file.Classes[key.class].Name)})
	}
	if last != nil {
		*last = slotOfClass{key.stack, key.class, i + 1}
	}
	return i
}

// longestCall bounds what the histograms hold: longer calls count as this long there, and exactly in every sum.
const longestCall = 3600e9

type statKey struct {
	call  wire.Call
	class string
}

func (l *loader) stat(c wire.Call, class string) *CallStat {
	key := statKey{c, class}
	s := l.stats[key]
	if s == nil {
		row := c.Row()
		s = &CallStat{Selector: row.Selector, Class: class, Part: ruleOf(c).part, Min: 1<<63 - 1, Exclusive: map[*Thread]Nanos{}, Counts: map[*Thread]int64{},
			Durations: hdrhistogram.New(1, longestCall, 3)}
		if int(c) >= len(wire.Table) {
			s.Selector = fmt.Sprintf("call %d, unknown to this version", c)
		}
		l.stats[key] = s
	}
	return s
}

// finish settles the thread's calls and hands its sums to the trace.
func (l *loader) finishThread(t *threadLoader) {
	t.nest.finish()
	for _, s := range t.slots {
		s.stat.Counts[t.Thread] += s.count
		s.stat.Exclusive[t.Thread] += s.exclusive
		t.Events += s.count
		if l.trace.Capture.Stacks > 0 {
			s.stat.From = append(s.stat.From, CallsFrom{t.Thread, s.stack, s.count, s.exclusive})
		}
	}
	l.skewed += t.nest.skewed
	t.nest.spans = nil
	l.threads = append(l.threads, t)
	l.trace.Signals = append(l.trace.Signals, t.signal...)
	l.trace.Events += t.Events
	t.OnlyIdle = t.Events > 0 && !t.used
	if t.Events > 0 || t.Active.End > t.Active.Begin {
		l.trace.Threads = append(l.trace.Threads, t.Thread)
	}
}
