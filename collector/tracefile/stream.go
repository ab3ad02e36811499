package tracefile

import (
	"cmp"
	"fmt"
	"sync"

	"mtrace/collector/wire"
)

// A streamWriter collects the records of one thread's ring buffer until there are enough for a block.
type streamWriter struct {
	writer  *Writer
	process ProcessIndex
	ring    uint16

	mutex    sync.Mutex
	position uint64 // ring position of records[0]
	records  []wire.Record
	next     uint64 // the position after the last record ever added
}

// byRing orders streams by process and ring. Without a fixed order, equal input would give different files.
func byRing(a, b *streamWriter) int {
	return cmp.Or(cmp.Compare(a.process, b.process), cmp.Compare(a.ring, b.ring))
}

func (s *streamWriter) add(position uint64, records []wire.Record) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if position < s.next {
		return fmt.Errorf("records of ring %d at position %d overlap earlier ones, which end at %d", s.ring, position, s.next)
	}
	if s.writer.failed.Load() {
		s.next = position + uint64(len(records))
		return s.writer.Err()
	}
	if position > s.next && len(s.records) > 0 { // a block has no gaps
		if err := s.flushLocked(); err != nil {
			return err
		}
	}
	for len(records) > 0 {
		if len(s.records) == 0 {
			s.position = position
		}
		n := min(len(records), recordsPerBlock-len(s.records))
		s.records = append(s.records, records[:n]...)
		s.writer.gathered.Add(int64(n))
		records = records[n:]
		position += uint64(n)
		s.next = position
		if len(s.records) == recordsPerBlock {
			if err := s.flushLocked(); err != nil {
				return err
			}
		}
	}
	return s.writer.Err()
}

func (s *streamWriter) flush() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.flushLocked()
}

func (s *streamWriter) flushLocked() error {
	if len(s.records) == 0 {
		return nil
	}
	t := tools.Get().(*encodeTools)
	defer tools.Put(t)
	b := block{kind: blockRecords, process: s.process, ring: s.ring, count: uint32(len(s.records)),
		position: s.position}
	payload, first, last := t.encoder.encode(t.payload, s.records)
	t.payload, b.first, b.last = payload.bytes[:0], first, last
	if t.encoder.has(wire.CallThreadStart) {
		s.writer.process(s.process).addOwners(s.ring, s.position, s.records)
	}
	s.writer.gathered.Add(-int64(len(s.records)))
	s.records = s.records[:0]
	var err error
	t.scratch, err = s.writer.appendRecords(b, payload, t.scratch)
	return err
}

// encodeTools are the buffers for encoding one block. They are pooled, because only a few of many streams encode at a
// time.
type encodeTools struct {
	encoder          encoder
	payload, scratch []byte
}

var tools = sync.Pool{New: func() any { return &encodeTools{} }}
