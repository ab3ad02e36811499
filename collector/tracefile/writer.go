package tracefile

import (
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"mtrace/collector/wire"
)

// flushEvery is the interval at which everything is passed to the operating system. If the collector is killed, the
// last interval's data is lost.
const flushEvery = time.Second

// A Writer writes one trace file. Several goroutines may use it at once, but the records of one thread's ring buffer
// must be given in the order of the ring. A separate goroutine writes the blocks, so callers wait for a slow file
// only when much data is queued. After the first write error, every method returns that error, and no more records
// are written.
type Writer struct {
	stop chan struct{}
	done sync.WaitGroup

	gathered atomic.Int64 // records collected in streams, not in a block yet

	mutex     sync.Mutex // guards the following fields; locked after a stream's mutex
	queue     blockQueue
	file      io.WriteCloser // written without the mutex, by one goroutine
	offset    int64          // end of the written part of the file
	index     index          // lists the blocks written so far
	processes []*processWriter
	streams   map[streamKey]*streamWriter
	err       error
	failed    atomic.Bool // err is set
	cut       int64       // time of the error err, in Unix nanoseconds
	tail      []tailBlock // blocks kept since the error, for the end of the file
	recorded  []Recorded
	leftOut   uint64 // records for which a Bounded stream had no space
	noRoom    error  // the Bounded stream's reason
}

// A Bounded stream may not have space for the whole trace, for example a limited buffer of a network connection.
// Blocks of records for which Room returns an error are left out and counted; everything else is still written.
type Bounded interface {
	// Room returns an error if n more bytes must not be written now. The error is the reason, in one line.
	Room(n int) error
}

type streamKey struct {
	process ProcessIndex
	ring    uint16
}

// Create creates the file at path, or empties an existing one, and starts a trace in it with info.
func Create(path string, info Info) (*Writer, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o644)
	if err != nil {
		return nil, fmt.Errorf("create the trace: %w", err)
	}
	return NewWriter(file, info)
}

// NewWriter starts a trace in a stream, which the Writer closes. The stream is only appended to, with one call of
// Write for each block, and may be Bounded.
func NewWriter(file io.WriteCloser, info Info) (*Writer, error) {
	w := &Writer{stop: make(chan struct{}), file: file, streams: map[streamKey]*streamWriter{}}
	header := appendFileHeader(nil)
	if _, err := file.Write(header); err != nil {
		file.Close()
		return nil, fmt.Errorf("write the trace: %w", err)
	}
	w.offset = int64(len(header))
	w.queue.most, w.queue.arrived.L, w.queue.written.L = mostQueued, &w.mutex, &w.mutex
	w.queue.done.Go(w.writeQueued)
	w.mutex.Lock()
	w.appendJSONLocked(block{kind: blockInfo}, info)
	w.settle()
	err := w.err
	w.mutex.Unlock()
	if err != nil {
		w.closeQueue()
		file.Close()
		return nil, err
	}
	w.done.Go(w.flushNowAndThen)
	return w, nil
}

func (w *Writer) flushNowAndThen() {
	ticker := time.NewTicker(flushEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			w.Flush() // the next call returns an error of this one
		case <-w.stop:
			return
		}
	}
}

// AddProcess adds a process to the trace and returns its index.
func (w *Writer) AddProcess(h wire.Hello) ProcessIndex {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	index := ProcessIndex(len(w.processes))
	p := &processWriter{writer: w, index: index, header: processHeader{Hello: h}, written: map[writtenKey]struct{}{}}
	w.processes = append(w.processes, p)
	// an error of appendJSONLocked is returned by the Writer's next call
	w.appendJSONLocked(block{kind: blockProcess, process: index}, p.header)
	return index
}

// Region sets the clock with which the process records. It is called when the process's shared memory is mapped.
func (w *Writer) Region(p ProcessIndex, kind wire.ClockKind, timebaseNumer, timebaseDenom uint32) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	h := &w.processes[p].header
	h.Clock, h.TimebaseNumer, h.TimebaseDenom = kind, timebaseNumer, timebaseDenom
	return w.appendJSONLocked(block{kind: blockProcess, process: p}, *h)
}

// Ahead sets how far the process's monotonic clock is ahead of the collector's, in nanoseconds. Call it before
// Region. Ticks, clock samples and GPU times of the process are on its own clock, but the processor times of its
// threads are on the collector's. A reader needs the difference to relate the two.
func (w *Writer) Ahead(p ProcessIndex, ns int64) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.processes[p].header.Ahead = ns
}

// Records appends records of one thread's ring buffer. position is the ring position of records[0]. If it is beyond
// the end of the records given earlier, the gap counts as lost records; it must not be before that end.
func (w *Writer) Records(p ProcessIndex, ring uint16, position uint64, records []wire.Record) error {
	return w.stream(p, ring).add(position, records)
}

// Facts appends facts (names, call stacks and other data without a time) of a process.
func (w *Writer) Facts(p ProcessIndex, facts []wire.Fact) error { return w.process(p).addFacts(facts) }

// Samples appends clock samples of a process, in any order.
func (w *Writer) Samples(p ProcessIndex, samples []wire.ClockSample) error {
	return w.process(p).addSamples(samples)
}

// EndProcess writes the records of a process that are still in memory, and then how the process ended.
func (w *Writer) EndProcess(p ProcessIndex, end End) error {
	w.mutex.Lock()
	var streams []*streamWriter
	for key, s := range w.streams {
		if key.process == p {
			streams = append(streams, s)
			delete(w.streams, key)
		}
	}
	process := w.processes[p]
	w.mutex.Unlock()
	slices.SortFunc(streams, byRing)
	process.flush()
	for _, s := range streams {
		s.flush()
	}
	process.flush() // by now the owners of the rings are known
	w.mutex.Lock()
	defer w.mutex.Unlock()
	// Write the process block a second time: if it existed only once and were damaged, no record of the process could
	// be used.
	w.appendJSONLocked(block{kind: blockProcess, process: p}, process.header)
	return w.appendJSONLocked(block{kind: blockEnd, process: p}, end)
}

// SoFar writes the current counters of a process that still runs. If the trace is cut off before the process ends,
// these counters alone show how many records are missing.
func (w *Writer) SoFar(p ProcessIndex, soFar End) error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.recorded != nil {
		soFar.Recorded = w.recorded
	}
	return w.appendJSONLocked(block{kind: blockSoFar, process: p}, soFar)
}

// Recorded sets the time ranges whose records are in the trace; if it is not called, the trace has all records. The
// ranges are written with the next counters and with the result, so that a reader knows which times are missing on
// purpose.
func (w *Writer) Recorded(list []Recorded) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.recorded = list
}

// Expected returns approximately how large the file would be, in bytes, if everything collected so far were written.
func (w *Writer) Expected() int64 {
	w.mutex.Lock()
	size := w.offset + w.queue.bytes()
	w.mutex.Unlock()
	return size + usualRecord*w.gathered.Load()
}

// usualRecord is the approximate size of one record in the file, in bytes, as BenchmarkWrite measures it.
const usualRecord = 6

// Flush writes everything collected so far and passes it to the operating system, so that the data survives a
// crash of this process.
func (w *Writer) Flush() error {
	w.mutex.Lock()
	processes := w.processes[:len(w.processes):len(w.processes)]
	streams := make([]*streamWriter, 0, len(w.streams))
	for _, s := range w.streams {
		streams = append(streams, s)
	}
	w.mutex.Unlock()
	slices.SortFunc(streams, byRing)
	for _, p := range processes {
		p.flush()
	}
	for _, s := range streams {
		s.flush()
	}
	for _, p := range processes {
		p.flush() // by now the owners of the rings are known
	}
	w.mutex.Lock()
	defer w.mutex.Unlock()
	w.settle()
	return w.err
}

// Err returns the first write error.
func (w *Writer) Err() error {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.err
}

// LeftOut returns how many records were left out because a Bounded stream had no space for them, and the stream's
// reason.
func (w *Writer) LeftOut() (records uint64, why error) {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.leftOut, w.noRoom
}

// Size returns the size of the file so far, in bytes.
func (w *Writer) Size() int64 {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.offset
}

// Close writes what is still collected, the result and the index, and closes the file. It returns the first error of
// the whole recording. After such an error it still tries to write an end with the counters (see endCut).
func (w *Writer) Close(r Result) error {
	close(w.stop)
	w.done.Wait()
	w.Flush()
	w.closeQueue()
	w.mutex.Lock()
	defer w.mutex.Unlock()
	if w.recorded != nil {
		r.Recorded = w.recorded
	}
	if w.leftOut > 0 {
		r.addNote(fmt.Sprintf("%d records were left out: %v", w.leftOut, w.noRoom))
	}
	if w.end(r) != nil {
		w.endCut(r)
	}
	if err := w.file.Close(); err != nil && w.err == nil {
		w.err = fmt.Errorf("write the trace: %w", err)
	}
	return w.err
}

// end writes the result, the index and the trailer. A file without them is treated as cut off.
func (w *Writer) end(r Result) error {
	t := jsonBlock(block{kind: blockResult}, r)
	w.commit(t.block, append(t.header, t.stored...))
	index := w.offset
	t = payloadBlock(block{kind: blockIndex}, w.index.payload)
	w.commit(t.block, append(t.header, t.stored...))
	if w.err == nil {
		w.write(appendTrailer(nil, index))
	}
	return w.err
}

func (w *Writer) process(p ProcessIndex) *processWriter {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.processes[p]
}

func (w *Writer) stream(p ProcessIndex, ring uint16) *streamWriter {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	s := w.streams[streamKey{p, ring}]
	if s == nil {
		s = &streamWriter{writer: w, process: p, ring: ring}
		w.streams[streamKey{p, ring}] = s
	}
	return s
}

func (w *Writer) appendJSONLocked(b block, value any) error {
	t := jsonBlock(b, value)
	return w.enqueue(t.block, t.header, t.stored)
}

func jsonBlock(b block, value any) tailBlock {
	payload, err := json.Marshal(value)
	if err != nil {
		panic(err) // only plain structs come here
	}
	return payloadBlock(b, payload)
}

// payloadBlock returns a block with the given payload, compressed if that makes it smaller.
func payloadBlock(b block, payload []byte) tailBlock {
	stored, e := compress(payload, nil)
	b.encoding, b.raw, b.stored, b.payloadCRC = e, uint32(len(payload)), uint32(len(stored)),
		crc32.Checksum(stored, castagnoli)
	return tailBlock{b, b.appendHeader(nil), stored}
}

// appendBlock queues a block with the given payload. It compresses the payload before it locks the mutex, so that
// goroutines can compress at the same time.
func (w *Writer) appendBlock(b block, payload []byte) error {
	stored, e := compress(payload, nil)
	return w.appendStored(b, len(payload), stored, e)
}

// appendRecords queues a block of records. It compresses into scratch, and returns scratch, possibly grown, for the
// next call.
func (w *Writer) appendRecords(b block, p recordsPayload, scratch []byte) ([]byte, error) {
	stored, e := compressColumns(p, scratch)
	if e != plain {
		scratch = stored
	}
	return scratch, w.appendStored(b, len(p.bytes), stored, e)
}

func (w *Writer) appendStored(b block, raw int, stored []byte, e encoding) error {
	b.encoding, b.raw, b.payloadCRC = e, uint32(raw), crc32.Checksum(stored, castagnoli)
	b.stored = uint32(len(stored))
	header := b.appendHeader(make([]byte, 0, blockHeader+len(stored)))
	w.mutex.Lock()
	defer w.mutex.Unlock()
	return w.enqueue(b, header, stored)
}

// commit writes a block to the file completely or, after an error, not at all. The caller holds the mutex, which
// commit releases while it writes. Therefore only the goroutine of writeQueued may call it, or Close after that
// goroutine has ended.
func (w *Writer) commit(b block, whole []byte) {
	if w.err != nil {
		w.keep(b, whole)
		return
	}
	if bounded, ok := w.file.(Bounded); ok && b.kind == blockRecords {
		if err := bounded.Room(len(whole)); err != nil {
			w.leftOut, w.noRoom = w.leftOut+uint64(b.count), err
			return
		}
	}
	b.offset = w.offset
	if w.write(whole) {
		w.index.add(&b)
		return
	}
	w.offset = b.offset
	if file, ok := w.file.(interface{ Truncate(int64) error }); ok {
		file.Truncate(b.offset) // if this fails too, readers skip the rest of the block
	}
	w.keep(b, whole)
}

func (w *Writer) write(b []byte) bool {
	w.mutex.Unlock()
	n, err := w.file.Write(b)
	w.mutex.Lock()
	w.offset += int64(n)
	if err != nil {
		w.err, w.cut = fmt.Errorf("write the trace: %w", err), time.Now().UnixNano()
		w.failed.Store(true)
	}
	return err == nil
}
