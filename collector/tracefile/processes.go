package tracefile

import (
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strconv"

	"mtrace/collector/wire"
)

// sampleSpacing is the minimum distance between two clock samples that are used, in nanoseconds. At a smaller
// distance the samples' errors would distort times more than the clock's drift does.
const sampleSpacing = 10e6

// readProcesses reads all blocks except records. Blocks that cannot be read are noted as damage and left out.
func readProcesses(r *Reader) {
	t := readers.Get().(*readTools)
	defer readers.Put(t)
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind == blockRecords || b.kind > blockResult && b.kind != blockThreads && b.kind != blockSoFar &&
			b.kind != blockOwners {
			continue // a kind of block from a later version of the same format
		}
		payload, err := r.file.read(b, t)
		if err == nil {
			if err = r.readBlock(b, payload); err != nil {
				err = fmt.Errorf("the block at byte %d cannot be decoded: %w", b.offset, err)
			}
		}
		if err != nil {
			r.damage.note(b, 0, err)
			if contentOf[b.kind].of {
				r.process(b.process)
			}
		}
	}
	for i, p := range r.processes {
		p.Samples = thinSamples(p.Samples)
		sortThreadTimes(p.ThreadTimes)
		sortOwners(r, ProcessIndex(i), p)
		p.Unusable = whyUnusable(r, ProcessIndex(i), p)
	}
}

// whyUnusable returns the reason why the records of a process cannot be interpreted, because its identity or its
// clock is damaged; empty if they can be.
func whyUnusable(r *Reader, index ProcessIndex, p *Process) string {
	lost := func(kind blockKind) bool {
		return slices.ContainsFunc(r.damage.list, func(d Damage) bool {
			return d.Unknown() || d.Of && d.Process == index && d.Content == contentOf[kind].words
		})
	}
	switch {
	case !p.known:
		return "the trace no longer shows which process it was"
	case p.Clock == 0 && lost(blockProcess), p.Clock == wire.ClockTSC && len(p.Samples) < 2 && lost(blockSamples):
		return "the trace no longer has its clock"
	}
	return ""
}

func (r *Reader) readBlock(b *block, payload []byte) error {
	switch b.kind {
	case blockInfo:
		return json.Unmarshal(payload, &r.info)
	case blockResult:
		return json.Unmarshal(payload, &r.result)
	}
	p := r.process(b.process)
	if p == nil {
		return errIndex
	}
	switch b.kind {
	case blockProcess:
		return p.readHeader(payload)
	case blockThreads:
		var err error
		p.ThreadTimes, err = wire.DecodeThreadTimes(p.ThreadTimes, payload)
		return err
	case blockOwners:
		return p.readOwners(payload)
	case blockFacts:
		return p.readFacts(payload)
	case blockSamples:
		for ; len(payload) >= 16; payload = payload[16:] {
			p.Samples = append(p.Samples, wire.ClockSample{
				Ticks: wire.Ticks(binary.LittleEndian.Uint64(payload)),
				Nanos: int64(binary.LittleEndian.Uint64(payload[8:]))})
		}
	case blockEnd:
		return readEnd(payload, &p.End)
	case blockSoFar:
		return readEnd(payload, &p.SoFar)
	}
	return nil
}

// readEnd decodes an End and stores it in *into, with impossible counters removed.
func readEnd(payload []byte, into **End) error {
	var e End
	if err := json.Unmarshal(payload, &e); err != nil {
		return err
	}
	e.distrust()
	*into = &e
	return nil
}

// process returns the process with this index, and creates it if needed. It returns nil if index is not less than the
// number of blocks: each process has at least one block, so such an index comes from a damaged file.
func (r *Reader) process(index ProcessIndex) *Process {
	if int(index) >= len(r.blocks) {
		return nil
	}
	for int(index) >= len(r.processes) {
		r.processes = append(r.processes, &Process{
			Strings: map[wire.StringID]string{}, Classes: map[uint8]Class{},
			Devices: map[wire.ObjectID]Device{}, ThreadNames: map[uint64]string{},
			Code: Code{Stacks: map[wire.StackID]wire.Stack{}, Symbols: map[uint64]Symbol{}}})
	}
	return r.processes[index]
}

// farthestAhead limits Process.Ahead, in nanoseconds (two years). Both clocks count from the start of a machine, so a
// larger difference can only be damage, and is ignored.
const farthestAhead = 1 << 56

func (p *Process) readHeader(payload []byte) error {
	var h processHeader
	if err := json.Unmarshal(payload, &h); err != nil {
		return err
	}
	p.known = true
	p.Hello, p.Clock, p.TimebaseNumer, p.TimebaseDenom = h.Hello, h.Clock, h.TimebaseNumer, h.TimebaseDenom
	if h.Ahead > -farthestAhead && h.Ahead < farthestAhead {
		p.Ahead = h.Ahead
	}
	return nil
}

// readFacts stores the facts (names and other data of variable size) of a block in the process. It skips kinds of
// facts that a later version may write.
func (p *Process) readFacts(payload []byte) error {
	for len(payload) > 0 {
		f, n, err := wire.DecodeFact(payload)
		if err != nil {
			return err
		}
		payload = payload[n:]
		switch f.Kind {
		case wire.FactString:
			p.Strings[wire.StringID(f.Key)] = f.Text
		case wire.FactClass:
			p.Classes[uint8(f.Key)] = Class{f.Text, wire.Family(f.Aux)}
		case wire.FactDevice:
			d := p.Devices[wire.ObjectID(f.Key)]
			d.Name, d.Software = f.Text, f.Aux == 1
			p.Devices[wire.ObjectID(f.Key)] = d
		case wire.FactRegistry:
			d := p.Devices[wire.ObjectID(f.Key)]
			d.Registry, _ = strconv.ParseUint(f.Text, 10, 64) // an invalid number counts as unknown
			p.Devices[wire.ObjectID(f.Key)] = d
		case wire.FactWorkingSet:
			d := p.Devices[wire.ObjectID(f.Key)]
			d.WorkingSet, _ = strconv.ParseUint(f.Text, 10, 64)
			p.Devices[wire.ObjectID(f.Key)] = d
		case wire.FactThreadName:
			p.ThreadNames[f.Key] = f.Text
		case wire.FactWarning:
			switch f.Key {
			case wire.NotTraced:
				p.NotTraced = f.Text
			case wire.WaitsUnseen:
				p.WaitsUnseen = f.Text
			default:
				p.Warnings = append(p.Warnings, f.Text)
			}
		case wire.FactStack:
			if p.Code.Stacks[wire.StackID(f.Key)], err = f.Stack(); err != nil {
				return err
			}
		case wire.FactImage:
			image, err := f.Image()
			if err != nil {
				return err
			}
			p.Code.Images = append(p.Code.Images, image)
		case wire.FactSymbol:
			s := p.Code.Symbols[f.Key]
			s.Name, s.NoCall = f.Text, f.Aux == 1
			p.Code.Symbols[f.Key] = s
		case wire.FactLine:
			l, err := f.CodeLine()
			if err != nil {
				return err
			}
			s := p.Code.Symbols[l.Address]
			s.File, s.Line = l.File, l.Line
			p.Code.Symbols[l.Address] = s
		case wire.FactUnhooked:
			p.Unhooked = append(p.Unhooked, Unhooked{Class{f.Text, wire.Family(f.Aux)}, int(min(f.Key, 1<<16))})
		case wire.FactCanary:
			if p.Canary == nil {
				p.Canary = map[wire.Call]int{}
			}
			p.Canary[wire.Call(f.Key)] = int(f.Aux)
		case wire.FactCost:
			p.Cost = int64(min(f.Key, 1e12))
		case wire.FactExperiment, wire.FactExperimentTarget, wire.FactExperimentBlock:
			if p.Experiment == nil {
				p.Experiment = &wire.Experiment{}
			}
			if err := p.Experiment.Take(f); err != nil {
				return err
			}
		}
	}
	return nil
}

// thinSamples sorts clock samples by ticks and drops those at which time would stand still or run backwards. Of
// samples that are closer than sampleSpacing it keeps one. It keeps the first and the last sample, because they span
// the whole recording.
func thinSamples(samples []wire.ClockSample) []wire.ClockSample {
	sort.Slice(samples, func(i, j int) bool { return samples[i].Ticks < samples[j].Ticks })
	var kept []wire.ClockSample
	for i, s := range samples {
		if n := len(kept); n > 0 {
			if s.Ticks <= kept[n-1].Ticks || s.Nanos <= kept[n-1].Nanos {
				continue
			}
			if near := s.Nanos-kept[n-1].Nanos < sampleSpacing; near && i < len(samples)-1 {
				continue
			} else if near && n > 1 {
				kept = kept[:n-1]
			}
		}
		kept = append(kept, s)
	}
	return kept
}

// makeStreams groups the blocks of records into streams, one for each ring buffer, and counts the missing records of
// each.
func makeStreams(r *Reader) {
	at := map[streamKey]int{}
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind != blockRecords {
			continue
		}
		switch p := r.process(b.process); {
		case p == nil:
			r.damage.note(b, 0, errIndex)
			continue
		case p.Unusable != "" || !p.known:
			r.damage.note(b, 0, errors.New(cmp.Or(p.Unusable, "the trace does not show to which process these records belong")))
			continue
		}
		key := streamKey{b.process, b.ring}
		n, known := at[key]
		if !known {
			n = len(r.streams)
			at[key] = n
			r.streams = append(r.streams, Stream{Process: b.process, Ring: b.ring, First: b.first})
		}
		s := &r.streams[n]
		s.Records += uint64(b.count)
		s.First, s.Last = min(s.First, b.first), max(s.Last, b.last)
		s.blocks = append(s.blocks, i)
	}
	for i := range r.streams {
		s := &r.streams[i]
		s.missing(r.blocks[s.blocks[len(s.blocks)-1]].next())
	}
	for i, p := range r.processes {
		if p.Last() == nil || p.Unusable != "" {
			continue
		}
		for _, ring := range p.Last().Rings {
			if n, known := at[streamKey{ProcessIndex(i), ring.Ring}]; known {
				r.streams[n].missing(ring.Head)
			} else if ring.Head > 0 {
				r.streams = append(r.streams, Stream{Process: ProcessIndex(i), Ring: ring.Ring, Missing: ring.Head})
			}
		}
	}
	sort.Slice(r.streams, func(i, j int) bool {
		a, b := &r.streams[i], &r.streams[j]
		return a.Process < b.Process || a.Process == b.Process && a.Ring < b.Ring
	})
}

// missing raises the number of missing records of a stream. written is how many records its thread wrote to the ring
// buffer.
func (s *Stream) missing(written uint64) {
	s.Missing = max(s.Missing, written-min(written, s.Records))
}
