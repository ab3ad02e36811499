// Package table writes a run as tables, for databases, data frames and other tools: Parquet and CSV with a file for each table,
// and JSON lines with all of them in one file, which is the text twin of a trace. Calls are written as they are read: memory
// grows with command buffers and waits, as that of the model, and not with calls.
package table

import (
	"fmt"
	"io"
	"reflect"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
)

// A Format is a file format.
type Format string

// The formats.
const (
	Parquet   Format = "parquet"
	CSV       Format = "csv"
	JSONLines Format = "jsonl"
)

// A table is one kind of row.
type table[T any] struct {
	name string
	doc  string
	fill func(a *evidence.Evidence, add func(T)) // nil: its rows come while the trace is read
}

// exported is a table, whatever its rows are.
type exported interface {
	describe() description
	write(*Writer, *evidence.Evidence) error
}

// The tables, in the order of a file that holds all of them; calls come first, because they are written while the trace is read.
var (
	calls  = table[callRow]{"calls", "every traced call", nil}
	tables = []exported{
		calls,
		table[processRow]{"processes", "the traced processes", addProcesses},
		table[threadRow]{"threads", "threads that called Metal, and what they spent their time on", addThreads},
		table[queueRow]{"queues", "command queues", addQueues},
		table[commandBufferRow]{"command_buffers", "command buffers, from creation to completion", addCommandBuffers},
		table[gpuWorkRow]{"gpu_work", "what GPUs did: a row for each command buffer, or for each encoder and channel where that is known", addGPUWork},
		table[encoderRow]{"encoders", "command encoders", addEncoders},
		table[dispatchRow]{"dispatches", "runs of equal dispatches", addDispatches},
		table[waitRow]{"waits", "waits for command buffers and events", addWaits},
		table[lockRow]{"locks", "waits for locks", addLocks},
		table[signalWaitRow]{"signal_waits", "waits for signals of other threads, outside of Metal", addSignalWaits},
		table[allocationRow]{"allocations", "buffers and other memory", addAllocations},
		table[memoryRow]{"memory_samples", "what devices said was allocated, from time to time", addDeviceMemory},
		table[compilationRow]{"compilations", "calls that made libraries, functions or pipeline states", addCompilations},
		table[scopeRow]{"scopes", "times that the program gave names to", addScopes},
		table[processorRow]{"processor_times", "what threads had used of processors, from time to time", addProcessorTimes},
	}
)

// sink takes the rows of one table.
type sink[T any] interface {
	write([]T) error
	close() error
}

// output makes the sinks of one format.
type output struct {
	format Format
	files  Files     // of formats with a file for each table
	lines  *jsonFile // of JSON lines
}

// Files makes the files of tables. It is a directory, or memory in tests.
type Files interface {
	Create(name string) (io.WriteCloser, error)
}

// batch is how many rows are handed to a sink at a time.
const batch = 512

// rows gathers the rows of one table.
type rows[T any] struct {
	sink    sink[T]
	pending []T
	err     error
}

func open[T any](out *output, t table[T]) *rows[T] {
	r := &rows[T]{pending: make([]T, 0, batch)}
	switch out.format {
	case JSONLines:
		r.sink = newJSONRows(out.lines, t)
	default:
		w, err := out.files.Create(t.name + "." + string(out.format))
		if err != nil {
			r.err = fmt.Errorf("making the table %s: %w", t.name, err)
			return r
		}
		if out.format == CSV {
			r.sink = newCSVRows[T](w)
		} else {
			r.sink = newParquetRows[T](w)
		}
	}
	return r
}

func (r *rows[T]) add(row T) {
	r.pending = append(r.pending, row)
	if len(r.pending) == batch {
		r.flush()
	}
}

func (r *rows[T]) flush() {
	if r.err == nil && len(r.pending) > 0 {
		r.err = r.sink.write(r.pending)
	}
	r.pending = r.pending[:0]
}

func (r *rows[T]) close(name string) error {
	r.flush()
	if r.sink != nil {
		if err := r.sink.close(); r.err == nil {
			r.err = err
		}
	}
	if r.err != nil {
		return fmt.Errorf("writing the table %s: %w", name, r.err)
	}
	return nil
}

// A Writer writes one run: Call for every call, then Finish.
type Writer struct {
	out   output
	calls *rows[callRow]
}

// NewFiles writes a file for each table, in the format Parquet or CSV.
func NewFiles(files Files, format Format) *Writer {
	return newWriter(output{format: format, files: files})
}

// NewJSONLines writes all tables to w, one row a line.
func NewJSONLines(w io.Writer) *Writer {
	return newWriter(output{format: JSONLines, lines: newJSONFile(w)})
}

func newWriter(out output) *Writer {
	w := &Writer{out: out}
	w.calls = open(&w.out, calls)
	return w
}

// Err is the first error of writing calls, so that a long export can end early.
func (w *Writer) Err() error { return w.calls.err }

// description is what is published of a table.
type description struct {
	name, doc string
	columns   []column
}

func (t table[T]) describe() description {
	return description{t.name, t.doc, columnsOf(reflect.TypeFor[T]())}
}

// descriptions are all tables, in the order in which they are written.
func descriptions() (all []description) {
	for _, t := range tables {
		all = append(all, t.describe())
	}
	return all
}

// write writes the table; of calls, what is left of it.
func (t table[T]) write(w *Writer, a *evidence.Evidence) error {
	if t.fill == nil {
		return w.calls.close(t.name)
	}
	r := open(&w.out, t)
	if r.err == nil {
		t.fill(a, r.add)
	}
	return r.close(t.name)
}

// Finish writes what the model knows, and ends the files.
func (w *Writer) Finish(t *analyze.Trace) error {
	a := evidence.Divide(t)
	for _, table := range tables {
		if err := table.write(w, a); err != nil {
			return err
		}
	}
	if w.out.lines != nil {
		return w.out.lines.finish(t)
	}
	return nil
}
