package summary

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
)

// Trace makes the shared model of the subject's work, so that every output and
// comparison of our own traces works on an export too. What Instruments does
// not record is left empty and listed in Trace.Missing: there are no calls and
// no waits, so a thread's time outside of encoding is not known to be its own.
func Trace(r *xctrace.Recording, f Filter) (*analyze.Trace, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	m := &modeller{
		scope:     s,
		trace:     &analyze.Trace{Window: analyze.Interval{Begin: s.from, End: s.to}},
		processes: map[uint64]*analyze.Process{},
		threads:   map[xctrace.ThreadIndex]*analyze.Thread{},
		queues:    map[*analyze.Process]*analyze.Queue{},
		device:    &analyze.Device{Name: s.GPUName},
	}
	m.source()
	m.commandBuffers()
	m.compilations()
	m.allocations()
	m.finish()
	return m.trace, nil
}

type modeller struct {
	*scope
	trace     *analyze.Trace
	processes map[uint64]*analyze.Process
	threads   map[xctrace.ThreadIndex]*analyze.Thread
	queues    map[*analyze.Process]*analyze.Queue
	device    *analyze.Device
	encoding  map[*analyze.Thread][]span
}

func (m *modeller) source() {
	src := &m.trace.Source
	out := m.scope.source()
	src.Kind, src.Path = "xctrace", strings.Join(out.Files, ", ")
	src.OS, src.Device, src.Truncated = out.OS, out.GPU, len(out.Truncated) > 0
	if src.Truncated {
		src.Short = &analyze.Shortfall{Kind: analyze.Cut, Why: "the export is cut: " + strings.Join(out.Truncated, ", "), Parts: 0}
		m.trace.Lost.AtLeast = true
	}
	src.Host = out.Device
	if m.Run == nil {
		src.Wall = m.length()
		return
	}
	src.Program, src.Started, src.Wall = m.Run.Target.Name, m.Run.Started, Nanos(m.Run.Duration)
	if args := m.Run.Target.Arguments; args != "" {
		src.Args = strings.Fields(args)
	}
	if p := &m.Run.Target; p.PID != 0 {
		m.process(p.PID)
	}
}

func (m *modeller) process(pid uint64) *analyze.Process {
	p := m.processes[pid]
	if p == nil {
		p = &analyze.Process{ID: int(min(pid, math.MaxInt32)), Program: m.seen[pid]}
		m.processes[pid] = p
		m.trace.Processes = append(m.trace.Processes, p)
	}
	return p
}

func (m *modeller) thread(i xctrace.ThreadIndex, process *analyze.Process) *analyze.Thread {
	if i == 0 {
		return nil
	}
	t := m.threads[i]
	if t == nil {
		known := m.Threads[i]
		t = &analyze.Thread{Process: process, ID: analyze.ThreadID(known.TID), Name: known.Name}
		m.threads[i] = t
		m.trace.Threads = append(m.trace.Threads, t)
	}
	return t
}

// active widens a thread's time.
func active(t *analyze.Thread, begin, end Nanos) {
	if t == nil {
		return
	}
	if t.Active == (analyze.Interval{}) {
		t.Active = analyze.Interval{Begin: begin, End: end}
	}
	t.Active.Begin, t.Active.End = min(t.Active.Begin, begin), max(t.Active.End, end)
}

// queue is the one queue of a process: which queue a command buffer came from
// is not in the export.
func (m *modeller) queue(p *analyze.Process) *analyze.Queue {
	q := m.queues[p]
	if q == nil {
		q = &analyze.Queue{ID: 1, Process: p, Device: m.device, Label: "(all queues)"}
		m.queues[p] = q
		m.trace.Queues = append(m.trace.Queues, q)
	}
	return q
}

func (m *modeller) commandBuffers() {
	byID := map[xctrace.BufferID]*analyze.CommandBuffer{} // of the submissions
	others := map[other]*analyze.CommandBuffer{}
	numbers := map[*analyze.Process]uint32{}
	add := func(pid uint64, label string) *analyze.CommandBuffer {
		p := m.process(pid)
		numbers[p]++
		b := &analyze.CommandBuffer{ID: numbers[p], Process: p, Queue: m.queue(p), Label: label, Status: analyze.StatusCommitted}
		m.trace.CommandBuffers = append(m.trace.CommandBuffers, b)
		return b
	}
	for i := range m.Submissions {
		x := &m.Submissions[i]
		commit := x.Start + x.Duration
		if !m.own(x.Process) || !m.inside(commit) {
			continue
		}
		b := add(m.Processes[x.Process].PID, m.Text(x.Label))
		if x.CommandBuffer != 0 {
			byID[x.CommandBuffer] = b
		}
		t := m.thread(x.Thread, b.Process)
		b.Created = analyze.Call{Interval: analyze.Interval{Begin: x.Start, End: x.Start}, Thread: t}
		b.Committed = analyze.Call{Interval: analyze.Interval{Begin: commit, End: commit}, Thread: t}
		active(t, x.Start, commit)
	}
	encoders := m.encoders(byID)
	for _, i := range m.byStart() {
		g := &m.GPU[i]
		if !m.own(g.Process) || g.Process == 0 || !m.inside(g.Start) {
			continue
		}
		pid := m.Processes[g.Process].PID
		b := byID[g.CommandBuffer]
		if b == nil || b.Process != m.process(pid) || g.Start < b.Created.Begin {
			// Committed before the window, or the submissions are missing, or the
			// number was another command buffer's first.
			key := other{pid, g.CommandBuffer}
			if b = others[key]; b == nil || key.id == 0 {
				label, _, _ := strings.Cut(m.Text(g.Label), ":")
				b = add(pid, label)
				others[key] = b
			}
		}
		widen(&b.GPU, g.Start, g.Start+g.Duration)
		e := encoders[g.Encoder]
		if e.buffer != b {
			_, label, _ := strings.Cut(m.Text(g.Label), ":")
			b.Encoders = append(b.Encoders, analyze.Encoder{ID: uint32(g.Encoder), Label: label})
			e = place{b, len(b.Encoders) - 1}
			encoders[g.Encoder] = e
		}
		enc := &b.Encoders[e.index]
		enc.Kind = encoderKind(m.Text(g.Channel), enc.Label)
		widen(&enc.GPU, g.Start, g.Start+g.Duration)
	}
	for i := range m.Completions {
		if b := byID[m.Completions[i].CommandBuffer]; b != nil && m.Completions[i].Time >= b.Committed.End {
			b.Completed = analyze.Interval{Begin: m.Completions[i].Time, End: m.Completions[i].Time}
			b.Status = analyze.StatusCompleted
		}
	}
	for i := range m.Errors {
		if b := byID[m.Errors[i].CommandBuffer]; b != nil {
			b.Status, b.ErrorCode = analyze.StatusError, int(m.Errors[i].Code)
		}
	}
}

// other is a command buffer without a submission.
type other struct {
	pid uint64
	id  xctrace.BufferID
}

// place is where an encoder is in the model.
type place struct {
	buffer *analyze.CommandBuffer
	index  int
}

// encoders adds the encoders of the encoder list, with their time on the CPU.
func (m *modeller) encoders(byID map[xctrace.BufferID]*analyze.CommandBuffer) map[xctrace.BufferID]place {
	placed := map[xctrace.BufferID]place{}
	m.encoding = map[*analyze.Thread][]span{}
	for i := range m.Encoders {
		x := &m.Encoders[i]
		b := byID[x.CommandBuffer]
		if b == nil || !m.own(x.Process) {
			continue
		}
		t := m.thread(x.Thread, b.Process)
		end := x.Start + x.Duration
		b.Encoders = append(b.Encoders, analyze.Encoder{
			ID: uint32(x.Encoder), Kind: encoderKind("", m.Text(x.Label)), Label: m.Text(x.Label),
			Created: analyze.Call{Interval: analyze.Interval{Begin: x.Start, End: x.Start}, Thread: t},
			Ended:   analyze.Call{Interval: analyze.Interval{Begin: end, End: end}, Thread: t},
		})
		if x.CommandBufferLabel != 0 {
			b.Label = m.Text(x.CommandBufferLabel)
		}
		placed[x.Encoder] = place{b, len(b.Encoders) - 1}
		active(t, x.Start, end)
		if t != nil {
			m.encoding[t] = append(m.encoding[t], span{x.Start, end})
		}
	}
	return placed
}

func widen(i *analyze.Interval, begin, end Nanos) {
	if *i == (analyze.Interval{}) {
		*i = analyze.Interval{Begin: begin, End: end}
		return
	}
	i.Begin, i.End = min(i.Begin, begin), max(i.End, end)
}

// encoderKind is told by the GPU's channel, or by the label Instruments gives.
func encoderKind(channel, label string) analyze.EncoderKind {
	switch {
	case channel == "Compute", strings.HasPrefix(label, "Compute Command"):
		return analyze.EncoderCompute
	case channel == "Vertex", channel == "Fragment", strings.HasPrefix(label, "Render Command"):
		return analyze.EncoderRender
	case channel == "Blit", strings.HasPrefix(label, "Blit Command"):
		return analyze.EncoderBlit
	}
	return analyze.EncoderOther
}

func (m *modeller) compilations() {
	for i := range m.Compilations {
		c := &m.Compilations[i]
		if begin, end, ok := m.clip(c.Start, c.Duration); ok && m.own(c.Process) {
			m.trace.Compilations = append(m.trace.Compilations, analyze.Compilation{
				Call: analyze.Call{Interval: analyze.Interval{Begin: begin, End: end}}, Selector: m.Text(c.Compiler), Kind: "function", Name: m.Text(c.Label),
			})
		}
	}
}

func (m *modeller) allocations() {
	for i := range m.Resources {
		a := &m.Resources[i]
		if m.own(a.Process) && a.Process != 0 && m.inside(a.Time) && m.Text(a.Event) == "Allocation" {
			m.trace.Allocations = append(m.trace.Allocations, analyze.Allocation{
				At: a.Time, Thread: m.thread(a.Thread, m.process(m.Processes[a.Process].PID)), Selector: m.Text(a.Type), Bytes: a.Bytes,
			})
		}
	}
}

func (m *modeller) finish() {
	t := m.trace
	if len(t.Queues) > 0 {
		t.Devices = []*analyze.Device{m.device}
	}
	slices.SortStableFunc(t.CommandBuffers, func(a, b *analyze.CommandBuffer) int {
		return int(max(-1, min(1, begin(a)-begin(b))))
	})
	for thread, spans := range m.encoding {
		for _, x := range union(spans) {
			thread.Exclusive[analyze.PartEncode] += x.end - x.begin
		}
	}
	var out Summary
	if m.Has(tableGPU) {
		out.GPU = m.gpu(m.byStart())
	}
	t.Warnings = m.warnings(&out)
	for _, x := range m.missing(&out) {
		t.Missing = append(t.Missing, analyze.Missing{What: x.What, Why: x.Why})
	}
	if out.GPU != nil && out.GPU.ForeignShare > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf("%.1f %% of the GPU time in the export was other processes' and is not in this trace", 100*out.GPU.ForeignShare))
	}
}

// begin is when a command buffer is first seen.
func begin(b *analyze.CommandBuffer) Nanos {
	if b.Created.End != 0 {
		return b.Created.Begin
	}
	return b.GPU.Begin
}
