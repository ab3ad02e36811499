// Package timeline writes a run as a timeline for other programs' viewers: Perfetto's protobuf, Chrome's JSON,
// Speedscope's and Firefox's. Every thread has a track with its calls. Every queue has a track with its work on the GPU
// and one with the number of command buffers in flight. Arrows lead from each commit over the GPU to the return of the
// wait, and from each signal to the thread that waited for it. A run is written slice by slice, so memory does not grow
// with it, except for Speedscope and Firefox.
package timeline

import (
	"fmt"
	"io"
	"sync/atomic"

	"mtrace/analyze"
	"mtrace/analyze/memory"
	"mtrace/collector/wire"
)

// A Writer writes one timeline. For each slice (time range of the run), pass its calls to the method Call, and then the
// slice to the method Slice. Call Finish at the end. A goroutine writes the file; without Finish or Abandon it would
// never end.
type Writer struct {
	behind *behind
	calls  map[*analyze.Thread]*threadCalls
	order  []*threadCalls // in the order of their first call
	latest *threadCalls
	room   chan struct{}         // free when the previous slice is written
	failed atomic.Pointer[error] // the error of writing a slice

	// Only behind may use the rest.
	file      *trackFile
	scopesOf  map[*analyze.Thread]*sorter
	scopeList []*sorter
	signalsOf map[*analyze.Thread]trackID
	memoryOf  map[*analyze.Process]*allocated
	living    *memory.Levels
	queues    map[queueName]*queueTracks
	rooms     []*queueWork // reused memory for the work of queues
	work      gpuWork      // the slices of the last command buffer, reused
}

// NewPerfetto writes Perfetto's binary format, https://perfetto.dev/docs/reference/trace-packet-proto.
func NewPerfetto(w io.Writer) *Writer { return newWriter(newPerfetto(w)) }

// NewChrome returns a Writer of the JSON of chrome://tracing, which Perfetto and other viewers read too.
func NewChrome(w io.Writer) *Writer { return newWriter(newChrome(w)) }

func newWriter(out format) *Writer {
	return &Writer{behind: newBehind(), calls: map[*analyze.Thread]*threadCalls{}, room: make(chan struct{}, 1),
		file:      newTrackFile(out),
		scopesOf:  map[*analyze.Thread]*sorter{},
		signalsOf: map[*analyze.Thread]trackID{}, memoryOf: map[*analyze.Process]*allocated{},
		living: memory.NewLevels(),
		queues: map[queueName]*queueTracks{}}
}

// format writes one file format. On each track, begins and ends arrive in order of time and nest, except for calls
// that arrive very late. The methods failed and finish return the first write error.
type format interface {
	declare(track)
	begin(*slice)
	// end ends the innermost open slice (named interval) of the track at an instant. flow is the number of the arrow
	// that ends there, or 0.
	end(on trackID, at analyze.Nanos, flow uint64)
	count(t trackID, at analyze.Nanos, value int64)
	failed() error
	finish() error
}

// An arrower is a format in which an arrow has exactly two ends. A command buffer then has one arrow from its commit
// to its GPU work, and one from its commit to each wait for it.
type arrower interface {
	arrow(name string, from trackID, begin analyze.Nanos, to trackID, end analyze.Nanos)
}

// A describer is a format whose files also contain a description of the run, such as its start time.
type describer interface{ about(*analyze.Trace) }

type trackID uint64

type track struct {
	id      trackID
	parent  trackID // 0 if there is none
	name    string
	process *analyze.Process
	thread  *analyze.Thread // nil on tracks of queues
	counts  string          // the unit of a counter: countBuffers or countBytes; empty on other tracks
	rank    int             // its position among its siblings
}

// The units of counters.
const (
	countBuffers = "command buffers"
	countBytes   = "bytes"
)

// A slice is a named interval on a track, such as a call or a command buffer's GPU time.
type slice struct {
	analyze.Interval
	track    trackID
	name     string
	category string
	// call is the call that the slice (named interval on a track) shows. It determines name and category. CallNone
	// means that the slice shows no call, or an unknown one.
	call    wire.Call
	args    []arg
	flows   []uint64 // of command buffers and signals whose arrows begin at or pass through this slice
	flowEnd uint64   // the arrow that ends at the end of this slice; 0 is none
}

// An arg is a named value that viewers display with a slice (a named interval on a track).
type arg struct {
	name  string
	text  string // shown unless it is empty
	value uint64
	word  argWord // which numeric value of a call the arg shows; argOther for all other args
}

// An argWord states which of a call's two numeric values an arg shows. The Perfetto writer caches the encoded name of
// these two args for each call.
type argWord uint8

const (
	argOther  argWord = iota // no numeric value of a call
	argObject                // the number of the object that the call uses
	argArg                   // the call's argument
	argWords                 // number of the constants above
)

// say adds an arg (a named value that viewers display) to a slice; an arg without a name is ignored.
func (s *slice) say(a arg) {
	if a.name != "" {
		s.args = append(s.args, a)
	}
}

// Slice writes the events of a slice (part) of the run, except for its calls. It returns before they are written, so
// an error that it returns belongs to an earlier slice.
func (w *Writer) Slice(s *analyze.Slice) error {
	if s.Last() {
		for _, on := range w.order {
			on.flush()
		}
	}
	if s.First() && s.Last() && len(w.order) == 0 { // the source has no calls
		w.behind.do(func() { w.file.model(s.Trace) })
	}
	names := namesIn(s.Trace)
	w.room <- struct{}{} // at most two slices are in memory
	w.behind.do(func() {
		defer func() { <-w.room }()
		w.slice(s, names)
		if err := w.file.out.failed(); err != nil {
			w.failed.Store(&err)
		}
	})
	if err := w.failed.Load(); err != nil {
		return *err
	}
	return nil
}

// slice writes the events of a slice (part) of the run; `names` has the names that the threads had when the slice was
// read.
func (w *Writer) slice(s *analyze.Slice, names map[*analyze.Thread]string) {
	if d, is := w.file.out.(describer); is {
		d.about(s.Trace)
	}
	w.scopes(s, names)
	w.signals(s, names)
	w.memory(s)
	w.queuesOf(s)
	w.waits(s)
}

// Finish completes the file.
func (w *Writer) Finish() (err error) {
	w.behind.do(func() { err = w.file.out.finish() })
	if w.behind.end(); err != nil {
		return fmt.Errorf("writing the timeline: %w", err)
	}
	return nil
}

// Abandon ends the Writer's goroutine without completing the file. It may also be called after Finish.
func (w *Writer) Abandon() { w.behind.end() }

// Whole writes the timeline of a run that was loaded as a whole, and completes the file.
func (w *Writer) Whole(t *analyze.Trace) error {
	failed := w.Slice(analyze.Whole(t))
	if err := w.Finish(); failed == nil {
		failed = err
	}
	return failed
}

// waits draws an arrow from the commit of a command buffer to each wait for it that ended in the slice (part) of the
// run.
func (w *Writer) waits(s *analyze.Slice) {
	if _, is := w.file.out.(arrower); !is {
		return
	}
	for i := range s.Trace.Waits {
		x := &s.Trace.Waits[i]
		if on := w.file.threads[x.Thread]; on != 0 && x.Buffer != analyze.NoCommandBuffer && !x.Unfinished &&
			s.Includes(x.End) {
			w.file.arrowFromCommit(s.Trace.WaitsFor(x), on, max(x.Begin, x.End-1))
		}
	}
}
