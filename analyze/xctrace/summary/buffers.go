package summary

import (
	"cmp"
	"slices"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
)

// objectName is the number that Metal gives a command buffer of a process. It does not identify the command buffer,
// because the number of a released command buffer is reused.
type objectName struct {
	pid uint64
	id  xctrace.BufferID
}

// commitInstant identifies a command buffer without a number by its process and commit time: all its rows have the
// same commit time, to the nanosecond.
type commitInstant struct {
	pid uint64
	at  Nanos
}

// commandBuffer is a command buffer while the rows of several tables are joined into it.
type commandBuffer struct {
	*analyze.CommandBuffer
	id        xctrace.BufferID
	submitted bool                // the export has the command buffer's submission
	encoders  map[encoderName]int // indexes in Encoders
	// when the next command buffer with the same process and number was created; 0 if there is none
	next Nanos
}

// encoderName identifies an encoder in its command buffer: by its number or, without one, by its label.
type encoderName struct {
	id    xctrace.BufferID
	label xctrace.TextIndex
}

// placed identifies an encoder by its command buffer and its index in that command buffer.
type placed struct {
	buffer  *commandBuffer
	encoder int
}

func (m *modeller) add(name objectName, label string) *commandBuffer {
	p := m.process(name.pid)
	b := &commandBuffer{id: name.id, encoders: map[encoderName]int{}}
	b.CommandBuffer = &analyze.CommandBuffer{Process: p, Queue: m.queue(p), Label: label,
		Status: analyze.StatusCommitted}
	m.all = append(m.all, b)
	return b
}

// submissions creates a command buffer for each submission of the processes that the summary is about.
func (m *modeller) submissions() {
	order := make([]*xctrace.Submission, 0, len(m.Commands.Submissions))
	for i := range m.Commands.Submissions {
		if m.own(m.Commands.Submissions[i].Process) {
			order = append(order, &m.Commands.Submissions[i])
		}
	}
	slices.SortStableFunc(order, func(a, b *xctrace.Submission) int { return cmp.Compare(a.Start, b.Start) })
	for _, x := range order {
		name := objectName{m.pid(x.Process), x.CommandBuffer}
		if before := m.made[name]; len(before) > 0 {
			before[len(before)-1].next = x.Start
		}
		b := m.add(name, SameWork(m.Text(x.Label)))
		b.submitted = true
		if name.id != 0 {
			m.made[name] = append(m.made[name], b)
		}
		commit := x.Start + x.Duration
		t := m.thread(x.Thread, b.Process)
		b.Created = analyze.Call{Interval: analyze.Interval{Begin: x.Start, End: x.Start}, Thread: t}
		b.Committed = analyze.Call{Interval: analyze.Interval{Begin: commit, End: commit}, Thread: t}
	}
}

// at returns the command buffer that had the number at the given time: the last one with that number that was created
// before. It returns nil if there is none.
func (m *modeller) at(name objectName, at Nanos) *commandBuffer {
	list := m.made[name]
	i, _ := slices.BinarySearchFunc(list, at+1,
		func(b *commandBuffer, at Nanos) int { return cmp.Compare(begin(b.CommandBuffer), at) })
	if i == 0 {
		return nil
	}
	return list[i-1]
}

// encoders adds the encoders of the table of encoders to their command buffers, with their CPU times.
func (m *modeller) encoders() {
	for i := range m.Commands.Encoders {
		x := &m.Commands.Encoders[i]
		b := m.at(objectName{m.pid(x.Process), x.CommandBuffer}, x.Start)
		if b == nil || !m.own(x.Process) {
			continue
		}
		t := m.thread(x.Thread, b.Process)
		end := x.Start + x.Duration
		b.encoders[encoderName{id: x.Encoder}] = len(b.Encoders)
		b.Encoders = append(b.Encoders, analyze.Encoder{
			ID: uint32(x.Encoder), Kind: encoderKind("", m.Text(x.Label)), Label: SameWork(m.Text(x.Label)),
			Created: analyze.Call{Interval: analyze.Interval{Begin: x.Start, End: x.Start}, Thread: t},
			Ended:   analyze.Call{Interval: analyze.Interval{Begin: end, End: end}, Thread: t},
		})
		if x.CommandBufferLabel != 0 {
			b.Label = SameWork(m.Text(x.CommandBufferLabel))
		}
	}
}

// gpuRows adds the GPU's rows to their command buffers. Work of processes that the summary is not about goes to
// Trace.Elsewhere.
func (m *modeller) gpuRows() {
	last := map[objectName]*commandBuffer{} // command buffers whose submission is not in the export
	for _, i := range m.order {
		g := &m.GPU.Intervals[i]
		if !m.own(g.Process) {
			if begin, end, ok := m.clip(g.Start, g.Duration); ok {
				m.trace.Elsewhere = append(m.trace.Elsewhere, analyze.DeviceWork{Device: m.device,
					Interval: analyze.Interval{Begin: begin, End: end}})
			}
			continue
		}
		name := objectName{m.pid(g.Process), g.CommandBuffer}
		b := m.at(name, g.Start)
		if b == nil {
			b = m.unsubmitted(last, name, g)
		}
		m.ran[i] = m.row(b, g)
	}
}

// unsubmitted returns the command buffer of a GPU row whose submission is not in the export. It is the command buffer
// of the previous row with the same number, if the row's work was committed before that command buffer ended; the
// row's start latency tells when the work was committed. Otherwise unsubmitted creates a command buffer.
func (m *modeller) unsubmitted(last map[objectName]*commandBuffer, name objectName,
	g *xctrace.GPUInterval) *commandBuffer {
	commit := Nanos(0)
	if g.HasLatency {
		commit = max(0, g.Start-g.StartLatency)
	}
	instant := commitInstant{name.pid, commit}
	if name.id == 0 && commit > 0 && m.unnamed[instant] != nil {
		return m.unnamed[instant]
	}
	if b := last[name]; b != nil && name.id != 0 && (commit == 0 || commit < b.GPU.End) {
		return b
	}
	label, _, _ := SplitLabel(SameWork(m.Text(g.Label)), "")
	b := m.add(name, label)
	if commit > 0 {
		b.Committed = analyze.Call{Interval: analyze.Interval{Begin: commit, End: commit}}
	}
	if before := last[name]; before != nil {
		before.next = max(commit, before.GPU.End)
	}
	last[name] = b
	if name.id == 0 && commit > 0 {
		m.unnamed[instant] = b
	}
	return b
}

// row adds a GPU row to a command buffer and to its encoder, which it creates if needed.
func (m *modeller) row(b *commandBuffer, g *xctrace.GPUInterval) placed {
	begin := max(1, g.Start) // the model does not allow 0 as an instant of work, because 0 means not known
	at := analyze.Interval{Begin: begin, End: max(begin, g.Start+g.Duration)}
	widen(&b.GPU, at)
	text := SameWork(m.Text(g.Label))
	name := encoderName{id: g.Encoder}
	if g.Encoder == 0 {
		name.label = g.Label
	}
	i, known := b.encoders[name]
	if !known {
		_, label, _ := SplitLabel(text, b.Label)
		i = len(b.Encoders)
		b.encoders[name] = i
		b.Encoders = append(b.Encoders, analyze.Encoder{ID: uint32(g.Encoder), Label: label})
	}
	e := &b.Encoders[i]
	e.Kind = encoderKind(m.Text(g.Channel), e.Label)
	widen(&e.GPU, at)
	b.Rows = append(b.Rows, analyze.GPUWork{Interval: at, Channel: m.Text(g.Channel), Encoder: i, Label: text})
	if b.submitted && g.HasLatency && m.inside(b.Committed.End) {
		m.identity.check(g.Start - b.Committed.End - g.StartLatency)
	}
	return placed{b, i}
}

func widen(i *analyze.Interval, by analyze.Interval) {
	if *i == (analyze.Interval{}) {
		*i = by
		return
	}
	i.Begin, i.End = min(i.Begin, by.Begin), max(i.End, by.End)
}

// completions sets the completion of each command buffer: the first completion with the command buffer's number after
// its commit and before the number was used again.
func (m *modeller) completions() {
	times := map[xctrace.BufferID][]Nanos{}
	for i := range m.Commands.Completions {
		c := &m.Commands.Completions[i]
		times[c.CommandBuffer] = append(times[c.CommandBuffer], c.Time)
	}
	for _, list := range times {
		slices.Sort(list)
	}
	errors := map[xctrace.BufferID][]*xctrace.CommandBufferError{}
	for i := range m.Commands.Errors {
		e := &m.Commands.Errors[i]
		errors[e.CommandBuffer] = append(errors[e.CommandBuffer], e)
	}
	for _, b := range m.all {
		if b.id == 0 {
			continue
		}
		from := b.GPU.End
		if b.submitted {
			from = b.Committed.End
		}
		its := func(at Nanos) bool { return at >= from && (b.next == 0 || at <= b.next) }
		list := times[b.id]
		if at, _ := slices.BinarySearch(list, from); at < len(list) && its(list[at]) {
			b.Completed = analyze.Interval{Begin: list[at], End: list[at]}
			b.Status = analyze.StatusCompleted
		}
		for _, e := range errors[b.id] {
			if its(e.Time) {
				b.Status, b.ErrorCode = analyze.StatusError, int(e.Code)
			}
		}
	}
}

// choose adds to the model the command buffers that were committed in the window (the summarised time range) or ran in
// it, in order of creation, and numbers them for each process.
func (m *modeller) choose() {
	slices.SortStableFunc(m.all, func(a, b *commandBuffer) int {
		return cmp.Compare(begin(a.CommandBuffer),
			begin(b.CommandBuffer))
	})
	numbers := map[*analyze.Process]uint32{}
	for _, b := range m.all {
		if !m.visible(b) {
			continue
		}
		numbers[b.Process]++
		b.ID = numbers[b.Process]
		m.trace.Add(*b.CommandBuffer)
		if b.submitted {
			m.see(b.Committed.Thread, b.Created.Begin, b.Committed.End)
		}
		for i := range b.Encoders {
			e := &b.Encoders[i]
			if t := e.Created.Thread; t != nil {
				if span, ok := m.see(t, e.Created.Begin, e.Ended.End); ok {
					m.encoding[t] = append(m.encoding[t], span)
				}
			}
		}
	}
	m.trace.Threads = slices.DeleteFunc(m.trace.Threads,
		func(t *analyze.Thread) bool { return t.Active == analyze.Interval{} })
}

// see extends a thread's active time by the part of an interval that lies in the window (the summarised time range),
// and returns that part. `ok` is false if no part does.
func (m *modeller) see(t *analyze.Thread, begin, end Nanos) (in analyze.Interval, ok bool) {
	begin, end, ok = m.clip(begin, end-begin)
	in = analyze.Interval{Begin: begin, End: end}
	if t != nil && ok {
		widen(&t.Active, in)
	}
	return in, ok
}

// visible reports whether a command buffer was committed in the window (the summarised time range) or ran in it.
func (m *modeller) visible(b *commandBuffer) bool {
	if b.submitted && m.inside(b.Committed.End) {
		return true
	}
	return slices.ContainsFunc(b.Rows, func(w analyze.GPUWork) bool {
		_, _, ok := m.clip(w.Begin, w.Length())
		return ok
	})
}

// begin returns the first known time of a command buffer: its creation, commit, or begin on the GPU.
func begin(b *analyze.CommandBuffer) Nanos {
	switch {
	case b.Created.End != 0:
		return b.Created.Begin
	case b.Committed.Known():
		return b.Committed.Begin
	}
	return b.GPU.Begin
}
