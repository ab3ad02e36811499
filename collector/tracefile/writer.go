package tracefile

import (
	"errors"

	"mtrace/collector/wire"
)

// A Writer writes one trace file. Its methods may be called from several goroutines.
type Writer struct{}

var errSkeleton = errors.New("tracefile: being written")

// Create makes the file at path, or empties it, and writes info.
func Create(path string, info Info) (*Writer, error) { return nil, errSkeleton }

// AddProcess begins a process's part of the trace.
func (w *Writer) AddProcess(h wire.Hello) ProcessIndex { return 0 }

// Region says with which clock the process records.
func (w *Writer) Region(p ProcessIndex, kind wire.ClockKind, timebaseNumer, timebaseDenom uint32) error {
	return errSkeleton
}

// Records appends records of one ring; position is the ring position of the first.
func (w *Writer) Records(p ProcessIndex, ring uint16, position uint64, records []wire.Record) error {
	return errSkeleton
}

// Facts appends facts of the process.
func (w *Writer) Facts(p ProcessIndex, facts []wire.Fact) error { return errSkeleton }

// Samples appends clock samples of the process, in any order.
func (w *Writer) Samples(p ProcessIndex, samples []wire.ClockSample) error { return errSkeleton }

// EndProcess ends the process's part of the trace.
func (w *Writer) EndProcess(p ProcessIndex, end End) error { return errSkeleton }

// Flush hands everything so far to the operating system: from then on it survives this process.
func (w *Writer) Flush() error { return errSkeleton }

// Close writes what is left, the index and the result, and closes the file.
func (w *Writer) Close(r Result) error { return errSkeleton }
