// Package table writes a run as tables for databases, data frames and other tools: Parquet and CSV with a file per
// table, and JSON lines with all tables in one file, which has everything that the trace has. Calls are written as they
// are read, and other events slice by slice, so memory does not grow with the run.
package table

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"reflect"
	"sync"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/sqlite"
)

// A Format is a file format.
type Format string

// The formats.
const (
	Parquet   Format = "parquet"
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// A table is one table of the export. T is the struct of its rows.
type table[T any] struct {
	name string
	doc  string
	fill func(f *filling, add func(T))
	end  bool // has data of the whole run, written at its end; other tables have events, written slice by slice
}

// A filling is the data from which the rows of a slice (time range) of the run, or of the whole run, are made.
type filling struct {
	trace  *analyze.Trace
	work   *evidence.GPUWork // nil at the end of a run of several slices
	times  *evidence.ThreadTimes
	slice  *analyze.Slice // nil at the end of a run of several slices
	writer *Writer
}

// exported is a table with any type of rows.
type exported interface {
	describe() description
	open(*output) opened
}

// The tables, in the order in which a file with all tables has them. Calls come first, because they are written while
// the trace is read.
var (
	calls  = table[callRow]{"calls", "every traced call", nil, false}
	tables = []exported{
		calls,
		table[processRow]{"processes", "the traced processes", addProcesses, true},
		table[threadRow]{"threads", "threads that called Metal, and how they spent their time", addThreads, true},
		table[queueRow]{"queues", "command queues", addQueues, true},
		table[commandBufferRow]{"command_buffers", "command buffers, from creation to completion",
			addCommandBuffers, false},
		table[gpuWorkRow]{"gpu_work", "work of the GPUs: " +
			"a row for each command buffer, or for each encoder and channel where that is known", addGPUWork, false},
		table[encoderRow]{"encoders", "command encoders", addEncoders, false},
		table[dispatchRow]{"dispatches", "runs of equal dispatches", addDispatches, false},
		table[waitRow]{"waits", "waits for command buffers and events", addWaits, false},
		table[lockRow]{"locks", "waits for locks", addLocks, false},
		table[signalWaitRow]{"signal_waits", "waits for signals of other threads, outside of Metal", addSignalWaits,
			false},
		table[allocationRow]{"allocations", "buffers and other memory", addAllocations, false},
		table[memoryRow]{"memory_samples", "samples of the memory that devices report as allocated",
			addDeviceMemory, false},
		table[compilationRow]{"compilations", "calls that created libraries, functions or pipeline states",
			addCompilations, false},
		table[scopeRow]{"scopes", "time ranges that the program named", addScopes, false},
		table[processorRow]{"processor_times", "samples of the threads' processor use", addProcessorTimes,
			true},
	}
)

// sink receives the rows of one table.
type sink[T any] interface {
	write([]T) error
	close() error
}

// output creates the sinks of one format.
type output struct {
	format Format
	files  Files     // for formats with a file per table
	lines  *jsonFile // for the format JSON lines

	database *sqlite.Database // for the format SQLite
}

// shared reports whether all tables are written to one file.
func (o *output) shared() bool { return o.lines != nil || o.database != nil }

// Files creates the file of each table: in a directory or, in tests, in memory. Each file is written by a goroutine
// of its own.
type Files interface {
	Create(name string) (io.WriteCloser, error)
}

// batch is the number of rows that are passed to a sink (which writes them) at once.
const batch = 512

// rows collects the rows of one table.
type rows[T any] struct {
	sink    sink[T]    // for formats in which tables share a file
	behind  *behind[T] // for formats with a file per table
	pending []T
	err     error
}

func (t table[T]) rows(out *output) *rows[T] {
	r := &rows[T]{}
	if out.format == JSONLines {
		r.sink = newJSONRows(out.lines, t)
		return r
	}
	if out.format == SQLite {
		r.sink = newSQLiteRows(out.database, t)
		return r
	}
	w, err := out.files.Create(t.name + "." + string(out.format))
	if err != nil {
		r.err = fmt.Errorf("making the table %s: %w", t.name, err)
		return r
	}
	if out.format == CSV {
		r.behind = newBehind(newCSVRows[T](w))
	} else {
		r.behind = newBehind(newParquetRows[T](w))
	}
	return r
}

func (r *rows[T]) add(row T) { *r.next() = row }

// next returns the next row, in which the caller must set every field. The row still has an earlier row's content,
// because clearing the 24 words of each row would be slow.
func (r *rows[T]) next() *T {
	if len(r.pending) == batch {
		r.flush()
	}
	if r.pending == nil {
		r.pending = make([]T, 0, batch)
	}
	r.pending = r.pending[:len(r.pending)+1]
	return &r.pending[len(r.pending)-1]
}

func (r *rows[T]) flush() {
	switch {
	case len(r.pending) == 0:
	case r.behind != nil:
		r.pending = r.behind.write(r.pending)
	default:
		if r.err == nil {
			r.err = r.sink.write(r.pending)
		}
		r.pending = r.pending[:0]
	}
}

// finish declares that no more rows follow. close waits until all rows are written.
func (r *rows[T]) finish() {
	r.flush()
	r.pending = nil
	if r.behind != nil {
		r.behind.finish()
	}
}

func (r *rows[T]) failed() error {
	if r.behind != nil {
		return r.behind.failed()
	}
	return r.err
}

func (r *rows[T]) close(name string) error {
	err := r.err
	switch {
	case r.behind != nil:
		err = r.behind.close()
	case err == nil:
		err = r.sink.close()
	}
	if err != nil {
		return fmt.Errorf("writing the table %s: %w", name, err)
	}
	return nil
}

// abandon ends the table without completing it; rows that are not written yet are lost.
func (r *rows[T]) abandon() {
	if r.behind != nil {
		r.behind.fail(errAbandoned)
		r.behind.finish()
		r.behind.close()
	}
}

var errAbandoned = errors.New("the export was abandoned")

// opened is a table that is being written, whatever the type of its rows.
type opened interface {
	fill(*filling)
	finish()
	failed() error
	close() error
	abandon()
}

// openTable is a table that is being written, with its rows of type T.
type openTable[T any] struct {
	table[T]
	to *rows[T]
}

func (t table[T]) open(out *output) opened { return &openTable[T]{t, t.rows(out)} }

func (t *openTable[T]) fill(f *filling) {
	due := f.writer.only != nil || t.end == (f.slice == nil)
	if t.table.fill != nil && due && t.failed() == nil {
		t.table.fill(f, t.to.add)
	}
}

func (t *openTable[T]) finish() { t.to.finish() }

func (t *openTable[T]) failed() error { return t.to.failed() }

func (t *openTable[T]) close() error { return t.to.close(t.name) }

func (t *openTable[T]) abandon() { t.to.abandon() }

// A Writer writes the tables of one run, which is loaded in slices (time ranges). For each slice, first pass its
// calls (method Call) and then the slice itself (method Slice). Call Finish at the end. Each table with its own file
// has a goroutine, which ends only when Finish or Abandon is called.
type Writer struct {
	out    output
	calls  *rows[callRow]
	tables []opened
	memory living
	idle   map[threadName]analyze.Nanos // time in waits for signals
	waited map[threadName][analyze.PartCount]analyze.Nanos
	events map[threadName]*int64 // calls that returned
	caller *analyze.Thread       // the thread of the last call
	count  *int64                // the entry of events for caller
	only   *analyze.Slice        // the slice of a run that has only one
	run    analyze.Total         // the totals of a run of several slices
	times  *evidence.Total
	last   *analyze.Slice
}

// A threadName identifies a thread in all slices (time ranges) of a run.
type threadName struct{ pid, tid int64 }

func nameOf(t *analyze.Thread) threadName { return threadName{processOf(t), tid(t)} }

// NewFiles returns a Writer that writes each table to a file of its own, as Parquet or CSV.
func NewFiles(files Files, format Format) *Writer {
	return newWriter(output{format: format, files: files})
}

// NewJSONLines returns a Writer that writes all tables to w, one JSON object per row and line.
func NewJSONLines(w io.Writer) *Writer {
	return newWriter(output{format: JSONLines, lines: newJSONFile(w)})
}

func newWriter(out output) *Writer {
	w := &Writer{out: out, idle: map[threadName]analyze.Nanos{}, events: map[threadName]*int64{},
		waited: map[threadName][analyze.PartCount]analyze.Nanos{}}
	w.times = evidence.NewTotal(&w.run)
	for _, t := range tables {
		open := t.open(&w.out)
		if c, is := open.(*openTable[callRow]); is {
			w.calls = c.to
		}
		w.tables = append(w.tables, open)
	}
	return w
}

// Err returns the first write error. A long export checks it after each slice (time range of the run), in order to
// stop early.
func (w *Writer) Err() error {
	for _, t := range w.tables {
		if err := t.failed(); err != nil {
			return err
		}
	}
	return nil
}

// description is a table's name, meaning and columns, for the published schema.
type description struct {
	name, doc string
	columns   []column
}

func (t table[T]) describe() description {
	return description{t.name, t.doc, columnsOf(reflect.TypeFor[T]())}
}

// descriptions returns the descriptions of all tables, in the order in which the tables are written.
func descriptions() (all []description) {
	for _, t := range tables {
		all = append(all, t.describe())
	}
	return all
}

// Slice writes the events of a slice (time range) of the run. The calls of the slice must have been passed to Call
// before.
func (w *Writer) Slice(s *analyze.Slice) error {
	w.last = s
	for i := range s.Trace.CPUWaits.Signals {
		if x := &s.Trace.CPUWaits.Signals[i]; s.Includes(x.End) {
			w.idle[nameOf(x.Thread)] += x.Length()
		}
	}
	if s.First() && s.Last() { // write one table after another
		w.only = s
		return nil
	}
	d := evidence.DivideRange(s.Trace)
	f := &filling{d.Trace, d.Work, d.Times, s, w}
	w.run.Add(s.Trace)
	w.times.AddTimes(d.Times)
	var all sync.WaitGroup
	for _, t := range w.tables {
		if w.out.shared() {
			t.fill(f)
		} else {
			all.Go(func() { t.fill(f) })
		}
	}
	all.Wait()
	return w.Err()
}

// Finish writes the tables about the whole run, such as threads, and completes all files.
func (w *Writer) Finish() error {
	f := &filling{slice: w.only, writer: w}
	if w.only != nil {
		d := evidence.Divide(w.only.Trace)
		f.trace, f.work, f.times = d.Trace, d.Work, d.Times
	} else {
		w.run.Finish()
		all := w.times.Finish()
		f.trace, f.times = all.Trace, all.Times
	}
	for _, t := range w.tables {
		t.fill(f)
		t.finish()
	}
	var failed error
	for _, t := range w.tables {
		failed = cmp.Or(failed, t.close())
	}
	if failed != nil {
		return failed
	}
	if !w.out.shared() {
		return nil
	}
	events := f.trace.Events
	if w.only == nil { // calls that reach into a range count in several ranges, so they do not add up
		events = 0
		for _, n := range w.events {
			events += *n
		}
	}
	if w.out.database != nil {
		return finishDatabase(w.out.database, f.trace, events)
	}
	return w.out.lines.finish(f.trace, events)
}

// Abandon ends the Writer's goroutines without completing the files. It may also be called after Finish.
func (w *Writer) Abandon() {
	for _, t := range w.tables {
		t.abandon()
	}
}

// Whole writes all tables of a run that was loaded as a whole, and completes the files.
func (w *Writer) Whole(t *analyze.Trace) error {
	if err := w.Slice(analyze.Whole(t)); err != nil {
		return err
	}
	return w.Finish()
}
