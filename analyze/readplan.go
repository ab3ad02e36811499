package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A part is one load of a file: it decides which blocks must be read for the requested range.
type part struct {
	*File
	whole         bool
	near          []ticks // for each process
	before, after bool    // the file has records before and after the time that is read

	kept  *keptBlocks  // the blocks that two slices of a run share; empty outside of EachSlice
	again []wire.Ticks // for each process: about where the next slice begins to read; nil when there is no next slice
}

type ticks struct{ first, last wire.Ticks }

// smallFile is a number of records. A file with fewer records is read whole even if only a range is requested,
// because finding the blocks to skip would take longer.
var smallFile int64 = 1 << 20

// partOf decides which blocks must be read for the loader's window and some time on each side: sixtyFourths/64 of the
// window's length. A small file, or a request without a range, is read whole.
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

// incompleteBuffers counts the command buffers in the loaded range whose creation or GPU time is unknown, although a
// part of the file that was not read may have it. If there are any, Load reads a wider range.
func (p *part) incompleteBuffers(t *Trace) (n int) {
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

// read passes the records of one stream (the records of one ring buffer) to the stream loader. Of a block outside of
// the requested range it passes only the records that later records refer to. `ahead` must have been started for the
// same streams in the same order, because it reads their blocks in the background.
func (p *part) read(stream int, s *streamLoader, ahead *readAhead) error {
	st := p.reader.Streams()[stream]
	if p.whole {
		return p.reader.Read(st, s.batch)
	}
	near := p.near[st.Process]
	s.near, s.flights = &near, p.flights[st.Process]
	whole := true // the previous block was read whole
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
			// skip a More record (further values of a call) at the begin of the block: its call is in the previous block,
			// which was not read
			if first && !s.holding && len(records) > 0 && records[0].Call == wire.CallMore {
				records = records[1:]
			}
			first = false
			_ = s.batch(records) // batch always returns nil
		})
	}
	return nil
}
