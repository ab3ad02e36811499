package analyze

import (
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A processLoader makes the objects of one process from its records. Records of different threads come in no common order, so
// an object may be used before the record of its creation is read: it is made at its first mention.
type processLoader struct {
	*Process
	file      *tracefile.Process
	clock     *converter
	end       Nanos // of the last thing seen
	buffers   map[wire.ObjectID]*CommandBuffer
	encoders  map[wire.ObjectID]*openEncoder
	pipelines map[wire.ObjectID]*Pipeline
	queues    map[wire.ObjectID]*Queue
	threads   map[ThreadID]*threadLoader
	order     []*openEncoder
	bufferMem slab[CommandBuffer]
	encodeMem slab[openEncoder]
}

// An openEncoder is an encoder with what the loader must remember of it.
type openEncoder struct {
	Encoder
	buffer   *CommandBuffer
	pipeline *Pipeline // set last
}

// A slab allocates values in blocks, so that a million of them cost little.
type slab[T any] struct{ free []T }

func (s *slab[T]) new() *T {
	if len(s.free) == 0 {
		s.free = make([]T, 256)
	}
	v := &s.free[0]
	s.free = s.free[1:]
	return v
}

func newProcessLoader(f *tracefile.Process) *processLoader {
	return &processLoader{
		Process:   &Process{ID: f.PID, Parent: f.PPID, Program: f.Program, Args: f.Args},
		file:      f,
		clock:     newConverter(f),
		buffers:   map[wire.ObjectID]*CommandBuffer{},
		encoders:  map[wire.ObjectID]*openEncoder{},
		pipelines: map[wire.ObjectID]*Pipeline{},
		queues:    map[wire.ObjectID]*Queue{},
		threads:   map[ThreadID]*threadLoader{},
	}
}

func (p *processLoader) text(id uint64) string { return p.file.Strings[wire.StringID(id)] }

// buffer is the command buffer of a number; nil for 0.
func (p *processLoader) buffer(id wire.ObjectID) *CommandBuffer {
	if id == 0 {
		return nil
	}
	b := p.buffers[id]
	if b == nil {
		b = p.bufferMem.new()
		b.ID, b.Process = uint32(id), p.Process
		p.buffers[id] = b
	}
	return b
}

// encoder is the encoder of a number; nil for 0.
func (p *processLoader) encoder(id wire.ObjectID) *openEncoder {
	if id == 0 {
		return nil
	}
	e := p.encoders[id]
	if e == nil {
		e = p.encodeMem.new()
		e.ID, e.Kind = uint32(id), EncoderOther
		p.encoders[id] = e
		p.order = append(p.order, e)
	}
	return e
}

// pipeline is the pipeline state of a number; nil for 0.
func (p *processLoader) pipeline(id wire.ObjectID) *Pipeline {
	if id == 0 {
		return nil
	}
	s := p.pipelines[id]
	if s == nil {
		s = &Pipeline{ID: uint32(id), Process: p.Process}
		p.pipelines[id] = s
	}
	return s
}

// queue is the queue of a number; nil for 0.
func (p *processLoader) queue(id wire.ObjectID) *Queue {
	if id == 0 {
		return nil
	}
	q := p.queues[id]
	if q == nil {
		q = &Queue{ID: uint32(id), Process: p.Process}
		p.queues[id] = q
	}
	return q
}
