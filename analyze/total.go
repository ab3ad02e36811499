package analyze

import (
	"cmp"
	"maps"
	"slices"
)

// A Total sums up the ranges of a run that were loaded one by one with Options.Adds, or the slices of a run. It has
// everything that can be summed. It has no command buffers and waits, because there may be too many for the memory.
// A Total of slices also lacks counts and durations of calls.
type Total struct {
	Trace *Trace // of the whole run; its lists of single events are empty, except for compilations and marks

	processes map[int]*Process // by their index in the file
	threads   map[threadKey]*Thread
	queues    map[queueKey]*Queue
	devices   map[Device]*Device
	stats     map[callKind]*CallStat
	sites     map[siteKey]int // indexes in the lists of CallStat.From
}

type threadKey struct {
	process int
	id      ThreadID
}

type queueKey struct {
	process int
	id      uint32
}

type callKind struct{ selector, class string }

type siteKey struct {
	stat   *CallStat
	thread *Thread
	at     string
}

// Add adds the next range to the total. The total has its own Process, Thread, Queue and Device objects; the methods
// of these names return the total's object for a range's object.
func (t *Total) Add(part *Trace) {
	window := part.TimeRange
	if part.isSlice() {
		window = part.Range.reach
	}
	if t.Trace == nil {
		t.processes, t.threads, t.queues, t.devices = map[int]*Process{}, map[threadKey]*Thread{},
			map[queueKey]*Queue{},
			map[Device]*Device{}
		t.stats, t.sites = map[callKind]*CallStat{}, map[siteKey]int{}
		t.Trace = &Trace{Source: part.Source, TimeRange: window, Run: part.Run, Warnings: part.Warnings,
			Recording: Recording{Lost: part.Recording.Lost, Coverage: part.Recording.Coverage}}
	}
	all := t.Trace
	if window.Length() > 0 {
		if all.TimeRange.Length() == 0 {
			all.TimeRange = window
		}
		all.TimeRange = Interval{min(all.TimeRange.Begin, window.Begin), max(all.TimeRange.End, window.End)}
	}
	for _, p := range part.Processes {
		t.Process(p)
	}
	for _, d := range part.Devices {
		t.Device(d)
	}
	for _, th := range part.Threads {
		t.Thread(th).add(th)
	}
	for _, q := range part.Queues {
		t.Queue(q)
	}
	for _, s := range part.Calls {
		t.calls(s)
	}
	for _, c := range part.Compilations {
		if !part.Includes(c.End) {
			continue
		}
		c.Thread, c.Device = t.Thread(c.Thread), t.Device(c.Device)
		all.Compilations = append(all.Compilations, c)
	}
	for _, c := range part.CPUWaits.Children {
		if !part.Includes(c.End) {
			continue
		}
		c.Thread = t.Thread(c.Thread)
		all.CPUWaits.Children = append(all.CPUWaits.Children, c)
	}
	for _, m := range part.Memory.Device {
		if !part.Includes(m.At) {
			continue
		}
		m.Device, m.Process = t.Device(m.Device), t.Process(m.Process)
		all.Memory.Device = append(all.Memory.Device, m)
	}
	all.Memory.Releases += part.Memory.Releases
	all.Events += part.Events
	all.Recording.doubts.add(&part.Recording.doubts)
	for _, u := range part.Unfinished { // several ranges may list the same call
		if !slices.ContainsFunc(all.Unfinished, func(was UnfinishedCall) bool {
			return was.Thread.ID == u.Thread.ID && was.Interval == u.Interval && was.Selector == u.Selector
		}) {
			all.Unfinished = append(all.Unfinished, u)
		}
	}
	all.Recording.EncoderTiming = all.Recording.EncoderTiming || part.Recording.EncoderTiming
	all.Recording.Overhead.Took += part.Recording.Overhead.Took
	all.Recording.Overhead.Measured = all.Recording.Overhead.Measured || part.Recording.Overhead.Measured
	c := &all.Recording.Stacks
	c.Stacks, c.Took, c.Undefined = c.Stacks+part.Recording.Stacks.Stacks, c.Took+part.Recording.Stacks.Took,
		c.Undefined+part.Recording.Stacks.Undefined
	c.Unnamed = max(c.Unnamed, part.Recording.Stacks.Unnamed)
}

// Finish sorts the total's lists.
func (t *Total) Finish() {
	all := t.Trace
	all.Calls = slices.Collect(maps.Values(t.stats))
	window := all.TimeRange
	warnOfDoubts(all)
	finishTrace(all, finishing{}, false, allTime)
	all.TimeRange = window
}

// Process returns the total's process that corresponds to a process of a range.
func (t *Total) Process(part *Process) *Process {
	if part == nil {
		return nil
	}
	p := t.processes[part.place]
	if p == nil {
		p = part
		t.processes[part.place] = p
		t.Trace.Processes = append(t.Trace.Processes, p)
	}
	return p
}

// Thread returns the total's thread that corresponds to a thread of a range.
func (t *Total) Thread(part *Thread) *Thread {
	if part == nil {
		return nil
	}
	key := threadKey{part.Process.placed(), part.ID}
	th := t.threads[key]
	if th == nil {
		th = &Thread{Process: t.Process(part.Process), ID: part.ID, Name: part.Name, CPU: part.CPU, Lost: part.Lost,
			OnlyIdle: true}
		t.threads[key] = th
		t.Trace.Threads = append(t.Trace.Threads, th)
	}
	return th
}

// Queue returns the total's queue that corresponds to a queue of a range.
func (t *Total) Queue(part *Queue) *Queue {
	if part == nil {
		return nil
	}
	key := queueKey{part.Process.placed(), part.ID}
	q := t.queues[key]
	if q == nil {
		q = &Queue{ID: part.ID, Process: t.Process(part.Process)}
		t.queues[key] = q
		t.Trace.Queues = append(t.Trace.Queues, q)
	}
	q.Label, q.Capacity = cmp.Or(part.Label, q.Label), cmp.Or(part.Capacity, q.Capacity)
	if part.Device != nil {
		q.Device = t.Device(part.Device)
	}
	return q
}

// Device returns the total's device that corresponds to a device of a range.
func (t *Total) Device(part *Device) *Device {
	if part == nil {
		return nil
	}
	d := t.devices[*part]
	if d == nil {
		d = part
		t.devices[*part] = d
		t.Trace.Devices = append(t.Trace.Devices, d)
	}
	return d
}

// add adds the thread's time in the next range (next). Working time lasts from the first to the last submission or
// wait of all ranges. Time after a range's last submission (late) is added to working time only if a later range
// submits again.
func (t *Thread) add(next *Thread) {
	for p := range t.Exclusive {
		t.Exclusive[p] += next.Exclusive[p]
		switch {
		case next.Working.End == 0 && t.Working.End == 0: // the thread has no working time yet
		case next.Working.End == 0:
			t.late[p] += next.Exclusive[p]
		case t.Working.End == 0:
			t.WorkingExclusive[p], t.late[p] = next.WorkingExclusive[p], next.late[p]
		default:
			t.WorkingExclusive[p] += t.late[p] + next.Exclusive[p] - next.late[p]
			t.late[p] = next.late[p]
		}
	}
	t.Active, t.Working = enclosing(t.Active, next.Active), enclosing(t.Working, next.Working)
	t.OnlyIdle = t.OnlyIdle && next.OnlyIdle
	t.Events += next.Events
}

// enclosing returns the smallest interval that contains a and b; an interval that ends at 0 is empty and ignored.
func enclosing(a, b Interval) Interval {
	switch {
	case a.End == 0:
		return b
	case b.End == 0:
		return a
	}
	return Interval{min(a.Begin, b.Begin), max(a.End, b.End)}
}

// calls adds a range's sums for the calls of one selector on one class.
func (t *Total) calls(part *CallStat) {
	key := callKind{part.Selector, part.Class}
	s := t.stats[key]
	if s == nil {
		s = &CallStat{Selector: part.Selector, Class: part.Class, Effect: part.Effect, Part: part.Part,
			Min:       part.Min,
			Exclusive: map[*Thread]Nanos{}, Counts: map[*Thread]int64{}}
		t.stats[key] = s
	}
	s.Count += part.Count
	s.Unfinished += part.Unfinished
	s.Total += part.Total
	s.Min, s.Max = min(s.Min, part.Min), max(s.Max, part.Max)
	for th, n := range part.Exclusive {
		s.Exclusive[t.Thread(th)] += n
	}
	for th, n := range part.Counts {
		s.Counts[t.Thread(th)] += n
	}
	if part.Durations != nil && s.Durations == nil {
		s.Durations = &Durations{}
	}
	s.Durations.Merge(part.Durations)
	t.from(s, part.From)
}

// from adds the places from which calls were made. It sums the calls per place in the program (Stack.Site), because
// the different stacks of all ranges may be too many for the memory.
func (t *Total) from(s *CallStat, part []CallsFrom) {
	for _, f := range part {
		key := siteKey{s, t.Thread(f.Thread), ""}
		if site := f.Stack.Site(); site != nil {
			key.at = site.String() + site.File
		}
		i, known := t.sites[key]
		if !known {
			i = len(s.From)
			t.sites[key] = i
			s.From = append(s.From, CallsFrom{Thread: key.thread, Stack: f.Stack})
		}
		s.From[i].Count += f.Count
		s.From[i].Exclusive += f.Exclusive
	}
}
