package analyze

import (
	"cmp"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A File is an open trace file. Load can read a time range of a long trace without reading the whole file.
type File struct {
	reader *tracefile.Reader
	path   string

	margin           atomic.Int64 // time that Load reads before and after a range, in 64ths of the range
	uselessWidenings atomic.Int64 // how often Load read more time around a range and found nothing new

	once   sync.Once
	blocks [][]surveyed // for each stream, its blocks
	calls  []int64      // by stream: the number of calls
	roles  map[threadOfFile]roles

	flights []flights // for each process
}

// A surveyed is the data that survey stores about one block: the block's index entry, and the records to which later
// records refer (lasting). A load needs these records even if it skips the block.
type surveyed struct {
	tracefile.Block
	lasting []wire.Record
}

// Open opens the trace file at path. It returns the same errors as Load.
func Open(path string) (*File, error) {
	reader, err := tracefile.Open(path)
	if err != nil {
		return nil, err
	}
	return NewFile(reader, path), nil
}

// NewFile makes a File that reads from a reader and closes it in Close. `path` is used as the file's name.
func NewFile(reader *tracefile.Reader, path string) *File {
	f := &File{reader: reader, path: path}
	f.margin.Store(leastAround)
	return f
}

// Made returns the host on which the trace was recorded, and when the recording began, in nanoseconds of Unix time.
func (f *File) Made() (host string, began int64) {
	info := f.reader.Info()
	return info.Host, info.Started
}

// Close closes the file.
func (f *File) Close() error { return f.reader.Close() }

// Records returns the number of records in the file according to its index. A call has one or two records; the
// tracer's own notes count too.
func (f *File) Records() (n int64) {
	for _, st := range f.reader.Streams() {
		n += int64(st.Records)
	}
	return n
}

// appendKept appends the records for which keep returns true to dst. A More record (the continuation record with a
// call's further values) stays together with its call.
func appendKept(dst, records []wire.Record, keep func(*wire.Record, *wire.More) bool) []wire.Record {
	for i := range records {
		r, m := &records[i], noMore
		more := r.Flags&wire.HasMore != 0 && i+1 < len(records) && records[i+1].Call == wire.CallMore
		if more {
			m = records[i+1].More()
		}
		if r.Call == wire.CallMore || !keep(r, &m) {
			continue
		}
		if dst = append(dst, *r); more {
			dst = append(dst, records[i+1])
		}
	}
	return dst
}

// tick returns the first tick whose instant is at or after `at`; the greatest possible tick if there is none. It
// searches all possible ticks and not only the trace's, because the records of a damaged trace may hold any number.
func (c *converter) tick(at Nanos) wire.Ticks {
	first, behind := wire.Ticks(0), wire.Ticks(math.MaxUint64)
	for first < behind {
		middle := first + (behind-first)/2
		if c.at(middle) >= at {
			behind = middle
		} else {
			first = middle + 1
		}
	}
	return first
}

// inBlock is the number of equal time pieces into which Ranges divides a block when it estimates where records are.
// The file's index has only the number of records of a whole block, so each piece is assumed to have 1/inBlock of
// them.
const inBlock = 16

// Ranges cuts the requested time into consecutive ranges of about the given number of records. Together the ranges
// cover the requested time. Their sizes differ somewhat, because the file's index knows the number of records only
// block by block.
func (f *File) Ranges(opts Options, records int64) []Options {
	opts = f.Asked(opts)
	l := f.windowOf(opts)
	type piece struct {
		at    Nanos
		count int64
	}
	var pieces []piece
	for _, st := range f.reader.Streams() {
		for _, b := range f.reader.Blocks(st) {
			clock := l.processes[st.Process].clock
			begin, end := clock.at(b.First), clock.at(b.Last)
			for k := range Nanos(inBlock) {
				if at := begin + (end-begin)*(k+1)/inBlock; at > l.window.Begin && at < l.window.End {
					pieces = append(pieces, piece{at, int64(b.Records) / inBlock})
				}
			}
		}
	}
	slices.SortFunc(pieces, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	parts, sum := []Options{opts}, int64(0)
	for _, p := range pieces {
		if sum += p.count; sum < records {
			continue
		}
		at, last := p.at-l.trace.Run.Origin, &parts[len(parts)-1]
		if at <= last.From {
			continue
		}
		next := *last
		last.To, next.From = at, at
		parts, sum = append(parts, next), 0
	}
	if n := len(parts); n > 1 && sum < records/2 { // the last one is too small: join it to the one before
		parts[n-2].To = opts.To
		parts = parts[:n-1]
	}
	return parts
}

// Asked returns the options with the time range to load. If only some ranges of the run were recorded and opts names
// no time, it selects the longest recorded range.
func (f *File) Asked(opts Options) Options {
	if opts.From != 0 || opts.To != 0 || opts.slice != nil {
		return opts
	}
	longest := Recorded{}
	l := f.windowOf(Options{})
	for _, r := range recordedTimes(f.reader, l.trace) {
		if r.To-r.From > longest.To-longest.From {
			longest = r
		}
	}
	switch _, ended := f.reader.Result(); {
	case longest.To > 0:
		opts.From, opts.To = max(1, longest.From), longest.To
	case ended && f.reader.Info().Asked != "": // only lasting records were kept, for a recording that never started
		opts.From = l.trace.Run.Length + 1
	}
	return opts
}

// flights maps the numbers of a process's command buffers to their flights. It has only those that were in flight
// (submitted, but not completed) for long. The numbers of their encoders are keys too, so that records of the
// encoders are found.
type flights map[wire.ObjectID]*flight

// A flight is the time from a command buffer's submission to the GPU to its completion.
type flight struct {
	process int // index of the process in the file
	id      wire.ObjectID
	Interval
	made bool // the record of its creation was found
}

// Limits of the time that Load reads before and after a requested range, in 64ths of the range's length. Load reads
// more than the range because a command buffer that is alive in it may be created earlier and complete later.
// Without these records its creator or its GPU time would be unknown.
const (
	leastAround = 1
	mostAround  = 4096
	mostVain    = 3 // after this many wider reads that did not help, no wider range is read
)
