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

	around atomic.Int64 // how much was read around the last part, on each side
	vain   atomic.Int64 // how often reading more around a part did not help

	once   sync.Once
	blocks [][]surveyed // of each stream
	calls  []int64      // of each stream
	roles  map[threadOfFile]roles

	flights []flights // of each process
}

// A surveyed is what survey keeps of one block: its index entry, and the records that later records refer to
// (lasting). They are needed even if a load skips the block.
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

// NewFile makes a File that reads from a reader and closes it in Close. path is used as the file's name.
func NewFile(reader *tracefile.Reader, path string) *File {
	f := &File{reader: reader, path: path}
	f.around.Store(leastAround)
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

// survey reads the whole file once, but only one column of each block and the records that later records refer to.
// The result tells later loads of a range which blocks they can skip.
func (f *File) survey() {
	streams, long := f.reader.Streams(), f.windowOf(Options{}).trace.Run.Length/longFlight
	f.blocks, f.calls, f.roles = make([][]surveyed, len(streams)), make([]int64, len(streams)), map[threadOfFile]roles{}
	var all sync.WaitGroup
	var gather sync.Mutex
	var flown []flight
	for i := range streams {
		all.Go(func() {
			of, found := f.surveyStream(i, long)
			gather.Lock()
			defer gather.Unlock()
			flown = append(flown, found...)
			for thread, shown := range of {
				f.roles[thread] |= shown
			}
		})
	}
	all.Wait()
	f.keepFlights(flown, long)
}

// surveyStream surveys one stream (the records of one ring buffer of the traced process). It returns the roles of the
// stream's threads, and the command buffers that were in flight for at least long.
func (f *File) surveyStream(i int, long Nanos) (of map[threadOfFile]roles, flown []flight) {
	st := f.reader.Streams()[i]
	of, now, clock := map[threadOfFile]roles{}, threadOfFile{}, (*converter)(nil)
	if processes := f.reader.Processes(); int(st.Process) < len(processes) {
		now = threadOfFile{processes[st.Process], lastThread(processes[st.Process], st.Ring)}
		clock = newConverter(processes[st.Process])
	}
	for k, b := range f.reader.Blocks(st) {
		block, some, shown, completes := surveyed{Block: b}, false, roles(0), false
		f.reader.Count(st, k, func(c wire.Call, n int64) {
			some, completes = some || c.Lasts(), completes || c == wire.CallCompleted
			shown |= ruleOf(c).roles
			if !ruleOf(c).note && c != wire.CallMore {
				f.calls[i] += n
			}
		})
		read := func(fn func([]wire.Record) error) error { return f.reader.ReadBlock(st, k, fn) }
		if some {
			_ = read(func(records []wire.Record) error { // the callback returns no error
				block.lasting = appendKept(block.lasting, records,
					func(r *wire.Record, _ *wire.More) bool { return r.Call.Lasts() })
				return nil
			})
		}
		now = surveyRoles(of, now, shown, &block, read)
		if completes && clock != nil {
			flown = append(flown, f.completions(i, k, clock, long)...)
		}
		f.blocks[i] = append(f.blocks[i], block)
	}
	return of, flown
}

// appendKept appends those records to dst for which keep returns true. A More record (the continuation record with a
// call's further values) is kept together with its call.
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

// A part is one load of a file: it decides which blocks must be read for the requested range.
type part struct {
	*File
	whole         bool
	near          []ticks // for each process
	before, after bool    // the file has something before and after what is read

	kept  *keptBlocks  // of the slices of a run
	again []wire.Ticks // for each process: about where the next slice begins to read; nil when there is no next slice
}

type ticks struct{ first, last wire.Ticks }

// smallFile is a number of records. A file with fewer records is read whole even if only a range is requested,
// because finding the blocks to skip would take longer.
var smallFile int64 = 1 << 20

// Limits of the time that is also read before and after a requested range, in 64ths of the range's length. A command
// buffer that is alive in the range may have been created before it and may complete after it; without those records
// its creator or its GPU time would be unknown.
const (
	leastAround = 1
	mostAround  = 4096
	mostVain    = 3 // after this many wider reads that did not help, no wider range is read
)

// partOf decides which blocks must be read for the loader's window and sixtyFourths/64 of its length on each side. A
// small file, or a request without a range, is read whole.
func (f *File) partOf(l *loader, sixtyFourths Nanos) *part {
	p := &part{File: f, whole: true}
	if l.slice == nil && (l.window == allTime || !l.adds && f.Records() < smallFile) {
		return p
	}
	p.whole = false
	f.once.Do(f.survey)
	length := min(l.window.End, l.trace.Run.Origin+l.trace.Run.Length) - max(l.window.Begin, l.trace.Run.Origin)
	around := min(Nanos(tracefile.MulDiv(uint64(max(length, l.trace.Run.Length/1024)), uint64(sixtyFourths), 64)),
		latestInstant)
	begin, end := l.window.Begin-around, l.window.End+around
	p.before, p.after = begin > l.trace.Run.Origin, end < l.trace.Run.Origin+l.trace.Run.Length
	p.kept = &keptBlocks{}
	if l.slice != nil {
		p.kept = l.slice.blocks
	}
	for _, process := range l.processes {
		if l.slice != nil && !l.slice.last {
			p.again = append(p.again, process.clock.tick(l.slice.core.End-(l.window.End-l.slice.core.End)-around))
		}
		process.buffers.floats, process.encoders.floats, process.released.floats = true, true, true
		p.near = append(p.near, ticks{process.clock.tick(begin), process.clock.tick(end)})
	}
	return p
}

// strangers counts the command buffers in the loaded range that refer to something outside of it: their creation or
// GPU time is not known, although a part of the file that was not read may have it. If there are any, Load reads a
// wider range.
func (p *part) strangers(t *Trace) (n int) {
	stranger := func(b *CommandBuffer) bool {
		return p.before && !b.Created.Known() || p.after && b.Committed.Known() && !b.GPU.Known()
	}
	for b := range t.Buffers() {
		if stranger(b) {
			n++
		}
	}
	for i := range t.Waits {
		if b := t.WaitsFor(&t.Waits[i]); b != nil && stranger(b) {
			n++
		}
	}
	return n
}

// tick returns the first tick whose instant is not before at; the greatest possible tick when there is none. It
// searches all possible ticks and not only the trace's, because the records of a damaged trace hold any number.
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

// read passes the records of one stream (the records of one ring buffer) to the stream loader. Of a block outside of
// the requested range it passes only the records that later records refer to. ahead must have been started for the
// same streams in the same order, because it reads their blocks in the background.
func (p *part) read(stream int, s *streamLoader, ahead *readAhead) error {
	st := p.reader.Streams()[stream]
	if p.whole {
		return p.reader.Read(st, s.batch)
	}
	near := p.near[st.Process]
	s.near, s.flights = &near, p.flights[st.Process]
	whole := true // the block before was read
	for i, b := range p.blocks[stream] {
		if !p.needs(stream, i) {
			if whole {
				s.finish()
			}
			if err := s.batch(b.lasting); err != nil {
				return err
			}
			whole = false
			continue
		}
		first := !whole
		whole = true
		ahead.block(func(records []wire.Record) {
			// a More record (further values of a call) whose call's record is in the block before, which was not read
			if first && !s.holding && len(records) > 0 && records[0].Call == wire.CallMore {
				records = records[1:]
			}
			first = false
			_ = s.batch(records) // batch always returns nil
		})
	}
	return nil
}

// Calls returns how many returned calls the file has of the processes with these IDs; of all processes if pids is
// empty.
func (f *File) Calls(pids []int) (n int64) {
	f.once.Do(f.survey)
	for i, st := range f.reader.Streams() {
		if p := f.reader.Processes()[st.Process]; len(pids) == 0 || slices.Contains(pids, p.PID) {
			n += f.calls[i]
		}
	}
	return n
}

// inBlock is the number of equal time pieces into which Ranges divides a block. The index has only the number of
// records of a whole block, so each piece is assumed to have 1/inBlock of them.
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
