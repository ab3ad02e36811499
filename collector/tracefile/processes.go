package tracefile

import (
	"encoding/binary"
	"encoding/json"
	"sort"
	"strconv"

	"mtrace/collector/wire"
)

// sampleSpacing is how far apart clock samples are kept, in nanoseconds: between nearer ones the error of each sample
// would bend the conversion more than the clock's drift does.
const sampleSpacing = 10e6

// readProcesses reads everything but the records.
func (r *Reader) readProcesses() error {
	var t readTools
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind == blockRecords || b.kind > blockResult && b.kind != blockThreads {
			continue // of a kind from a later version of the same format
		}
		payload, err := r.read(b, &t)
		if err != nil {
			return err
		}
		if err := r.readBlock(b, payload); err != nil {
			return r.damaged("the block at byte %d cannot be decoded: %v", b.offset, err)
		}
	}
	for _, p := range r.processes {
		p.Samples = thinSamples(p.Samples)
		sortThreadTimes(p.ThreadTimes)
	}
	return nil
}

func (r *Reader) readBlock(b *block, payload []byte) error {
	switch b.kind {
	case blockInfo:
		return json.Unmarshal(payload, &r.info)
	case blockResult:
		return json.Unmarshal(payload, &r.result)
	case blockProcess:
		return r.readProcess(b.process, payload)
	}
	if int(b.process) >= len(r.processes) {
		return errIndex
	}
	p := r.processes[b.process]
	switch b.kind {
	case blockThreads:
		var err error
		p.ThreadTimes, err = wire.DecodeThreadTimes(p.ThreadTimes, payload)
		return err
	case blockFacts:
		return p.readFacts(payload)
	case blockSamples:
		for ; len(payload) >= 16; payload = payload[16:] {
			p.Samples = append(p.Samples, wire.ClockSample{
				Ticks: wire.Ticks(binary.LittleEndian.Uint64(payload)), Nanos: int64(binary.LittleEndian.Uint64(payload[8:]))})
		}
	case blockEnd:
		err := json.Unmarshal(payload, &p.End)
		if p.End != nil {
			p.End.distrust()
		}
		return err
	}
	return nil
}

func (r *Reader) readProcess(index ProcessIndex, payload []byte) error {
	var h processHeader
	if err := json.Unmarshal(payload, &h); err != nil {
		return err
	}
	if int(index) > len(r.processes) {
		return errIndex
	}
	if int(index) == len(r.processes) {
		r.processes = append(r.processes, &Process{
			Strings: map[wire.StringID]string{}, Classes: map[uint8]Class{},
			Devices: map[wire.ObjectID]Device{}, ThreadNames: map[uint64]string{},
			Stacks: map[wire.StackID]wire.Stack{}, Symbols: map[uint64]Symbol{}})
	}
	p := r.processes[index]
	p.Hello, p.Clock, p.TimebaseNumer, p.TimebaseDenom = h.Hello, h.Clock, h.TimebaseNumer, h.TimebaseDenom
	return nil
}

// readFacts takes in facts; those of a kind from a later version are skipped.
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
			d.Registry, _ = strconv.ParseUint(f.Text, 10, 64) // what is no number is not known
			p.Devices[wire.ObjectID(f.Key)] = d
		case wire.FactThreadName:
			p.ThreadNames[f.Key] = f.Text
		case wire.FactWarning:
			p.Warnings = append(p.Warnings, f.Text)
		case wire.FactStack:
			if p.Stacks[wire.StackID(f.Key)], err = f.Stack(); err != nil {
				return err
			}
		case wire.FactImage:
			image, err := f.Image()
			if err != nil {
				return err
			}
			p.Images = append(p.Images, image)
		case wire.FactSymbol:
			s := p.Symbols[f.Key]
			s.Name, s.NoCall = f.Text, f.Aux == 1
			p.Symbols[f.Key] = s
		case wire.FactLine:
			l, err := f.CodeLine()
			if err != nil {
				return err
			}
			s := p.Symbols[l.Address]
			s.File, s.Line = l.File, l.Line
			p.Symbols[l.Address] = s
		case wire.FactUnhooked:
			p.Unhooked = append(p.Unhooked, Unhooked{Class{f.Text, wire.Family(f.Aux)}, int(min(f.Key, 1<<16))})
		case wire.FactCanary:
			if p.Canary == nil {
				p.Canary = map[wire.Call]int{}
			}
			p.Canary[wire.Call(f.Key)] = int(f.Aux)
		case wire.FactCost:
			p.Cost = int64(min(f.Key, 1e12))
		}
	}
	return nil
}

// thinSamples orders samples, drops those on which time would stand or go back, and keeps them sampleSpacing apart except
// for the first and the last.
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

// makeStreams groups the blocks of records.
func (r *Reader) makeStreams() {
	at := map[streamKey]int{}
	for i := range r.blocks {
		b := &r.blocks[i]
		if b.kind != blockRecords || int(b.process) >= len(r.processes) {
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
		written := r.blocks[s.blocks[len(s.blocks)-1]].next()
		s.Missing = written - min(written, s.Records)
	}
	for i, p := range r.processes {
		if p.End == nil {
			continue
		}
		for _, ring := range p.End.Rings {
			n, known := at[streamKey{ProcessIndex(i), ring.Ring}]
			switch {
			case known:
				s := &r.streams[n]
				s.Missing = ring.Head - min(ring.Head, s.Records)
			case ring.Head > 0:
				r.streams = append(r.streams, Stream{Process: ProcessIndex(i), Ring: ring.Ring, Missing: ring.Head})
			}
		}
	}
	sort.Slice(r.streams, func(i, j int) bool {
		a, b := &r.streams[i], &r.streams[j]
		return a.Process < b.Process || a.Process == b.Process && a.Ring < b.Ring
	})
}
