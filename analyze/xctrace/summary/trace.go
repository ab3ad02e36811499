package summary

import (
	"fmt"
	"math"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
)

// Trace converts the selected work to mtrace's model, so that every output and comparison works on an export too.
// What Instruments does not record stays empty and is listed in Source.Missing. An export has no calls and waits, so
// the model does not show what threads do when they do not encode.
func Trace(r *xctrace.Recording, f Filter) (*analyze.Trace, error) {
	s, err := newScope(r, f)
	if err != nil {
		return nil, err
	}
	m := modelOf(s)
	m.compilations()
	m.allocations()
	m.finish()
	return m.trace, nil
}

// A modeller builds mtrace's model of a recording; Trace returns this model, and the summary's verdict is computed
// from it.
type modeller struct {
	*scope
	trace     *analyze.Trace
	processes map[uint64]*analyze.Process
	threads   map[xctrace.ThreadIndex]*analyze.Thread
	queues    map[*analyze.Process]*analyze.Queue
	device    *analyze.Device
	encoding  map[*analyze.Thread][]analyze.Interval

	order    []int32 // indexes of the GPU rows, sorted by start
	made     map[objectName][]*commandBuffer
	all      []*commandBuffer
	unnamed  map[commitInstant]*commandBuffer // the command buffers without a number or a submission
	ran      []placed                         // for each GPU row of the subject, the encoder that it belongs to
	identity Identity
}

// modelOf converts the export's description of its source, its command buffers, encoders and GPU work to mtrace's model
// (analyze.Trace). The caller adds compilations and allocations if it needs them.
func modelOf(s *scope) *modeller {
	m := &modeller{
		scope:     s,
		trace:     &analyze.Trace{TimeRange: analyze.Interval{Begin: s.from, End: s.to}},
		processes: map[uint64]*analyze.Process{},
		threads:   map[xctrace.ThreadIndex]*analyze.Thread{},
		queues:    map[*analyze.Process]*analyze.Queue{},
		device:    &analyze.Device{Name: s.GPU.Name},
		order:     gpuByStart(s),
		made:      map[objectName][]*commandBuffer{}, unnamed: map[commitInstant]*commandBuffer{},
		encoding: map[*analyze.Thread][]analyze.Interval{},
		ran:      make([]placed, len(s.GPU.Intervals)),
	}
	m.source()
	m.submissions()
	m.encoders()
	m.gpuRows()
	m.completions()
	m.choose()
	return m
}

func (m *modeller) source() {
	src := &m.trace.Source
	out := sourceOf(m.scope)
	src.Kind, src.Path = out.Kind, strings.Join(out.Files, ", ")
	src.Unrecorded = analyze.Unrecorded{Waits: true, Locks: true, Calls: true, KernelNames: true}
	src.OS, src.Device, src.Truncated = out.OS, out.GPU, len(out.Truncated) > 0
	if src.Truncated {
		src.Short = &analyze.Shortfall{Kind: analyze.Cut, Why: "the export is cut: " + strings.Join(out.Truncated,
			", "),
			Parts: 0}
		m.trace.Recording.Lost.AtLeast = true
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

// nobody is the pid for rows without a process, because 0 is the kernel.
const nobody = 1 << 63

// pid returns the process's number, or nobody for rows without a process.
func (s *scope) pid(p xctrace.ProcessIndex) uint64 {
	if p == 0 {
		return nobody
	}
	return s.Processes[p].PID
}

func (m *modeller) process(pid uint64) *analyze.Process {
	p := m.processes[pid]
	if p == nil {
		p = &analyze.Process{ID: int(min(pid, math.MaxInt32)), Program: m.seen[pid]}
		if pid == nobody {
			p.ID, p.Program = 0, "(not attributed)"
		}
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

// queue returns the process's only queue. An export does not show in which queue a command buffer was, so all queues of
// a process count as one.
func (m *modeller) queue(p *analyze.Process) *analyze.Queue {
	q := m.queues[p]
	if q == nil {
		q = &analyze.Queue{ID: 1, Process: p, Device: m.device, Label: "(all queues)"}
		m.queues[p] = q
		m.trace.Queues = append(m.trace.Queues, q)
	}
	return q
}

// encoderKind returns the kind of an encoder by the GPU channel on which it ran or by Instruments' default label.
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
	for i := range m.Commands.Compilations {
		c := &m.Commands.Compilations[i]
		if begin, end, ok := m.clip(c.Start, c.Duration); ok && m.own(c.Process) {
			m.trace.Compilations = append(m.trace.Compilations, analyze.Compilation{
				Call: analyze.Call{Interval: analyze.Interval{Begin: begin, End: end}}, Selector: m.Text(c.Compiler),
				Kind: "function", Name: m.Text(c.Label),
			})
		}
	}
}

func (m *modeller) allocations() {
	for i := range m.Memory.Resources {
		a := &m.Memory.Resources[i]
		if m.own(a.Process) && a.Process != 0 && m.inside(a.Time) && m.Text(a.Event) == "Allocation" {
			m.trace.Memory.Allocations = append(m.trace.Memory.Allocations, analyze.Allocation{
				At: a.Time, Thread: m.thread(a.Thread, m.process(m.Processes[a.Process].PID)), Selector: m.Text(a.Type),
				Bytes: a.Bytes,
			})
		}
	}
}

func (m *modeller) finish() {
	t := m.trace
	if len(t.Queues) > 0 {
		t.Devices = []*analyze.Device{m.device}
	}
	for thread, spans := range m.encoding {
		for _, x := range analyze.Union(spans) {
			thread.Exclusive[analyze.PartEncode] += x.Length()
		}
	}
	var out Summary
	if m.Has(tableGPU) {
		out.GPU = m.gpu()
	}
	t.Warnings = warningsOf(m.scope, &out)
	for _, x := range missingOf(m.scope, &out) {
		t.Source.Missing = append(t.Source.Missing, analyze.Missing{What: x.What, Why: x.Why})
	}
	if out.GPU != nil && out.GPU.OtherProcessShare > 0 {
		t.Warnings = append(t.Warnings, fmt.Sprintf(
			"%.1f%% of the GPU time in the export belongs to other processes and is not in this trace",
			100*out.GPU.OtherProcessShare))
	}
}
