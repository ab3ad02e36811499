// Package timeline writes a run as a timeline for the viewers of others: Perfetto's protobuf, Chrome's JSON,
// Speedscope's, Firefox's. Every thread has a track with its calls, every queue one with what the GPU did for it and
// one with how much it had in flight; arrows lead from each commit over the GPU to the return of the wait, and from
// each signal to the thread that waited for it. A run is written slice by slice, so memory does not grow with it, but
// for the last two.
package timeline

import (
	"fmt"
	"io"
	"sync/atomic"

	"mtrace/analyze"
	"mtrace/analyze/memory"
	"mtrace/collector/wire"
)

// A Writer writes one timeline: Call for every call and Slice for every slice of the run, after the calls of that, then
// Finish. It has a goroutine that writes, which ends with that, or with Abandon.
type Writer struct {
	behind *behind
	calls  map[*analyze.Thread]*threadCalls
	order  []*threadCalls // in the order in which they were met
	latest *threadCalls
	room   chan struct{}         // is free when the slice before is written
	failed atomic.Pointer[error] // of writing a slice

	// Only behind may use the rest.
	out       format
	processes map[*analyze.Process]trackID
	threads   map[*analyze.Thread]trackID
	tracks    trackID
	scopesOf  map[*analyze.Thread]*sorter
	scopeList []*sorter
	signalsOf map[*analyze.Thread]trackID
	memoryOf  map[*analyze.Process]*allocated
	living    *memory.Levels
	queues    map[queueName]*queueTracks
	rooms     []*queueWork // for what queues did in a slice

	described slice   // of the last call
	work      gpuWork // of the last command buffer
}

// NewPerfetto writes Perfetto's binary format, https://perfetto.dev/docs/reference/trace-packet-proto.
func NewPerfetto(w io.Writer) *Writer { return newWriter(newPerfetto(w)) }

// NewChrome writes the JSON of chrome://tracing, which Perfetto and others read too.
func NewChrome(w io.Writer) *Writer { return newWriter(newChrome(w)) }

func newWriter(out format) *Writer {
	return &Writer{behind: newBehind(), calls: map[*analyze.Thread]*threadCalls{}, room: make(chan struct{}, 1), out: out,
		processes: map[*analyze.Process]trackID{}, threads: map[*analyze.Thread]trackID{},
		scopesOf:  map[*analyze.Thread]*sorter{},
		signalsOf: map[*analyze.Thread]trackID{}, memoryOf: map[*analyze.Process]*allocated{}, living: memory.NewLevels(),
		queues: map[queueName]*queueTracks{}}
}

// format is one file format. Begins and ends of one track come in order, nested, but for calls that were given very
// late. Errors of writing are kept and returned by finish.
type format interface {
	declare(track)
	begin(*slice)
	end(on trackID, at analyze.Nanos, flow uint64) // of the innermost; flow is the one whose arrow ends there, 0 is none
	count(t trackID, at analyze.Nanos, value int64)
	failed() error
	finish() error
}

// An arrower is a format whose arrows lead from one place to one other. One of a command buffer leads from its commit
// to where the GPU ran it, and one to the return of each wait for it, whichever thread waits.
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
	call     wire.Call // whose name and category these are; CallNone when it is none, or not known
	args     []arg
	flows    []uint64 // of command buffers and signals, whose arrows begin or pass here
	flowEnd  uint64   // the one whose arrow ends at the end of this slice; 0 is none
}

// An arg is something to know about a slice.
type arg struct {
	name  string
	text  string // shown unless it is empty
	value uint64
	word  argWord // of a call, whose args are called the same each time; argOther of others
}

// An argWord is which of the args that each call may have an arg is.
type argWord uint8

// The args of calls that are numbers.
const (
	argOther argWord = iota
	argObject
	argArg
	argWords
)

// say adds what is to be known about a slice, if that has a name.
func (s *slice) say(a arg) {
	if a.name != "" {
		s.args = append(s.args, a)
	}
}

func (w *Writer) newTrack(t track) trackID {
	w.tracks++
	t.id = w.tracks
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

func (w *Writer) thread(t *analyze.Thread, name string) trackID {
	id, known := w.threads[t]
	if !known {
		id = w.newTrack(track{parent: w.process(t.Process), process: t.Process, thread: t, name: name})
		w.threads[t] = id
	}
	return id
}

// flowOf numbers a command buffer for its arrow. Objects count from 1, so it is never 0.
func (w *Writer) flowOf(p *analyze.Process, id uint32) uint64 {
	return uint64(w.process(p))<<32 | uint64(id)
}

// Slice adds what the model knows of a slice of the run, which is written while the next is read. The error is one of
// writing what was given before.
func (w *Writer) Slice(s *analyze.Slice) error {
	if s.Last() {
		for _, on := range w.order {
			on.flush()
		}
	}
	if s.First() && s.Last() && len(w.order) == 0 { // the source has no calls
		w.behind.do(func() { w.model(s.Trace) })
	}
	names := namesIn(s.Trace)
	w.room <- struct{}{} // so that no more than two slices are in memory
	w.behind.do(func() {
		defer func() { <-w.room }()
		w.slice(s, names)
		if err := w.out.failed(); err != nil {
			w.failed.Store(&err)
		}
	})
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// slice writes what the model knows of a slice of the run; names are those that threads have by now.
func (w *Writer) slice(s *analyze.Slice, names map[*analyze.Thread]string) {
	if d, is := w.out.(describer); is {
		d.about(s.Trace)
	}
	w.scopes(s, names)
	w.signals(s, names)
	w.memory(s)
	w.queuesOf(s)
	w.waits(s)
}

// Finish ends the file.
func (w *Writer) Finish() (err error) {
	w.behind.do(func() { err = w.out.finish() })
	if w.behind.end(); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

// Abandon ends a timeline that nobody will finish, or that is finished.
func (w *Writer) Abandon() { w.behind.end() }

// Whole writes a run that was loaded as one.
func (w *Writer) Whole(t *analyze.Trace) error {
	failed := w.Slice(analyze.Whole(t))
	if err := w.Finish(); failed == nil {
		failed = err
	}
	return failed
}

// arrowFromCommit draws an arrow from where a command buffer was committed.
func (w *Writer) arrowFromCommit(b *analyze.CommandBuffer, to trackID, end analyze.Nanos) {
	out, is := w.out.(arrower)
	if !is {
		return
	}
	if from := w.threads[b.Committed.Thread]; from != 0 && b.Committed.Known() && end >= b.Committed.Begin {
		out.arrow("command buffer", from, b.Committed.Begin, to, end)
	}
}

// waits draws the arrows to the waits that end in a slice.
func (w *Writer) waits(s *analyze.Slice) {
	if _, is := w.out.(arrower); !is {
		return
	}
	for i := range s.Trace.Waits {
		x := &s.Trace.Waits[i]
		if on := w.threads[x.Thread]; on != 0 && x.Buffer != analyze.NoCommandBuffer && !x.Unfinished && s.Held(x.End) {
			w.arrowFromCommit(s.Trace.WaitsFor(x), on, max(x.Begin, x.End-1))
		}
	}
}
