// Package timeline writes a run as a timeline for the viewers of others: Perfetto's protobuf, Chrome's JSON, Speedscope's, Firefox's. Every thread has
// a track with its calls, every queue one with what the GPU did for it and one with how much it had in flight; arrows lead from
// each commit over the GPU to the return of the wait, and from each signal to the thread that waited for it. A run is written slice by slice, so
// memory does not grow with it, but for the last two.
package timeline

import (
	"fmt"
	"io"

	"mtrace/analyze"
	"mtrace/analyze/memory"
	"mtrace/collector/wire"
)

// A Writer writes one timeline: Call for every call and Slice for every slice of the run, after the calls of that, then Finish.
type Writer struct {
	out       format
	processes map[*analyze.Process]trackID
	threads   map[*analyze.Thread]*sorter
	order     []*sorter
	tracks    trackID
	scopesOf  map[*analyze.Thread]*sorter
	scopeList []*sorter
	signalsOf map[*analyze.Thread]trackID
	memoryOf  map[*analyze.Process]*counter
	living    *memory.Levels
	queues    map[queueName]*queueTracks
	behind    *behind
	gathered  gpuWork // to be written, and what was written behind
	written   gpuWork
}

// NewPerfetto writes Perfetto's binary format, https://perfetto.dev/docs/reference/trace-packet-proto.
func NewPerfetto(w io.Writer) *Writer { return newWriter(newPerfetto(w)) }

// NewChrome writes the JSON of chrome://tracing, which Perfetto and others read too.
func NewChrome(w io.Writer) *Writer { return newWriter(newChrome(w)) }

func newWriter(out format) *Writer {
	return &Writer{out: out, processes: map[*analyze.Process]trackID{}, threads: map[*analyze.Thread]*sorter{}, scopesOf: map[*analyze.Thread]*sorter{},
		signalsOf: map[*analyze.Thread]trackID{}, memoryOf: map[*analyze.Process]*counter{}, living: memory.NewLevels(), queues: map[queueName]*queueTracks{},
		behind: newBehind()}
}

// format is one file format. Begins and ends of one track come in order, nested, but for calls that were given very late. Errors of writing are
// kept and returned by finish.
type format interface {
	declare(track)
	begin(*slice)
	end(*slice)
	count(t trackID, at analyze.Nanos, value int64)
	failed() error
	finish() error
}

// An arrower is a format whose arrows lead from one place to one other. One of a command buffer leads from its commit to where the GPU ran it, and
// one to the return of each wait for it, whichever thread waits.
type arrower interface {
	arrow(name string, from trackID, begin analyze.Nanos, to trackID, end analyze.Nanos)
}

// A describer is a format that says of which run it is.
type describer interface{ about(*analyze.Trace) }

type trackID uint64

type track struct {
	id      trackID
	parent  trackID // 0 has none
	name    string
	process *analyze.Process
	thread  *analyze.Thread // nil on tracks of queues
	counts  string          // what a counter counts: countBuffers or countBytes; empty on other tracks
	rank    int             // its place among its siblings
}

// What counters count.
const (
	countBuffers = "command buffers"
	countBytes   = "bytes"
)

// A slice is a named interval on a track.
type slice struct {
	analyze.Interval
	track    trackID
	name     string
	category string
	args     [7]arg
	flows    []uint64 // of command buffers and signals, whose arrows begin or pass here
	flowEnd  uint64   // the one whose arrow ends at the end of this slice; 0 is none
}

// An arg is something to know about a slice; one without a name is none.
type arg struct {
	name  string
	text  string // shown unless it is empty
	value uint64
}

func (w *Writer) newTrack(t track) trackID {
	w.tracks++
	t.id = w.tracks
	w.flushGPU()
	w.behind.wait()
	w.out.declare(t)
	return t.id
}

func (w *Writer) process(p *analyze.Process) trackID {
	id, known := w.processes[p]
	if !known {
		id = w.newTrack(track{process: p, name: p.Program})
		w.processes[p] = id
	}
	return id
}

func (w *Writer) thread(t *analyze.Thread) *sorter {
	s := w.threads[t]
	if s == nil {
		s = &sorter{out: w.out, behind: w.behind, track: w.newTrack(track{parent: w.process(t.Process), process: t.Process, thread: t, name: t.Name})}
		w.threads[t] = s
		w.order = append(w.order, s)
	}
	return s
}

// flowOf numbers a command buffer for its arrow. Objects count from 1, so it is never 0.
func (w *Writer) flowOf(p *analyze.Process, id uint32) uint64 {
	return uint64(w.process(p))<<32 | uint64(id)
}

// Call adds a call; it fits analyze.Options.Visit.
func (w *Writer) Call(c *analyze.VisitedCall) {
	t := w.thread(c.Thread)
	s := t.next(c.Interval)
	s.name, s.category = c.Row.Selector, c.Group()
	if c.Unfinished {
		s.args[3] = arg{name: "unfinished", text: "the process ended inside this call"}
	}
	if c.Row.Object.Role != wire.RoleNone && c.Record.Object != 0 {
		s.args[0] = arg{name: words[c.ID].object, value: uint64(c.Record.Object)}
	}
	switch field := &c.Row.Arg; {
	case field.Role.IsText():
		s.args[1] = arg{name: words[c.ID].text, text: c.Text(c.Record.Arg)}
	case field.Role != wire.RoleNone && c.Record.Arg != 0:
		s.args[1] = arg{name: words[c.ID].arg, value: c.Record.Arg}
	}
	if c.Record.Flags&wire.Failed != 0 {
		s.args[2] = arg{name: "failed", text: "returned nil, NO or an error"}
	}
	s.args[4] = calledFrom("called from", c.Stack)
	if c.Row.Group == wire.GroupSignal && c.Record.Arg != 0 && c.Record.Flags&wire.Failed == 0 {
		s.flowEnd = flowOfSignal(c.Thread, c.Begin)
	}
	if c.Row.Effect.Commits() {
		s.flows = w.committed(c)
	}
	if c.Row.Group == wire.GroupWait && c.Row.Object.Kind == wire.KindCommandBuffer && c.Record.Object != 0 && !c.Unfinished {
		s.flowEnd = w.flowOf(c.Thread.Process, uint32(c.Record.Object))
	}
}

// Slice adds what the model knows of a slice of the run.
func (w *Writer) Slice(s *analyze.Slice) error {
	if s.Last() {
		for _, on := range w.order {
			on.flush()
		}
	}
	w.behind.wait()
	if d, is := w.out.(describer); is {
		d.about(s.Trace)
	}
	w.scopes(s)
	w.signals(s)
	w.memory(s)
	w.queuesOf(s)
	w.behind.wait()
	w.waits(s)
	return w.out.failed()
}

// Finish ends the file.
func (w *Writer) Finish() error {
	if err := w.out.finish(); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

// Whole writes a run that was loaded as one.
func (w *Writer) Whole(t *analyze.Trace) error {
	if err := w.Slice(analyze.Whole(t)); err != nil {
		return err
	}
	return w.Finish()
}

// arrowFromCommit draws an arrow from where a command buffer was committed.
func (w *Writer) arrowFromCommit(b *analyze.CommandBuffer, to trackID, end analyze.Nanos) {
	out, is := w.out.(arrower)
	if from := w.threads[b.Committed.Thread]; is && from != nil && b.Committed.Known() && end >= b.Committed.Begin {
		out.arrow("command buffer", from.track, b.Committed.Begin, to, end)
	}
}

// waits draws the arrows to the waits that end in a slice.
func (w *Writer) waits(s *analyze.Slice) {
	for i := range s.Trace.Waits {
		x := &s.Trace.Waits[i]
		if on := w.threads[x.Thread]; on != nil && x.Buffer != analyze.NoCommandBuffer && !x.Unfinished && s.Held(x.End) {
			w.arrowFromCommit(s.Trace.WaitsFor(x), on.track, max(x.Begin, x.End-1))
		}
	}
}
