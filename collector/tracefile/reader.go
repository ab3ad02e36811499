package tracefile

import "mtrace/collector/wire"

// A Reader reads one trace file. Its methods may be called from several goroutines.
type Reader struct{}

// Open opens the trace at path. The error is a *FormatError when the file is not a trace this version can read.
func Open(path string) (*Reader, error) { return nil, errSkeleton }

// Close closes the file.
func (r *Reader) Close() error { return nil }

// Info says how the trace was made.
func (r *Reader) Info() Info { return Info{} }

// Result says how the recording ended; false when the trace was cut before.
func (r *Reader) Result() (Result, bool) { return Result{}, false }

// Truncated says whether the file is cut, and how much of it could not be read: one line.
func (r *Reader) Truncated() (bool, string) { return false, "" }

// Processes are the traced processes, by ProcessIndex.
func (r *Reader) Processes() []*Process { return nil }

// Streams are the streams of records, ordered by process and ring.
func (r *Reader) Streams() []Stream { return nil }

// Read calls fn with the stream's records in ring order, in batches whose slice is used again for the next.
func (r *Reader) Read(s Stream, fn func([]wire.Record) error) error { return errSkeleton }
