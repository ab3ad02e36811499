package analyze

import (
	"maps"
	"slices"

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
	buffers   table[CommandBuffer]
	encoders  table[openEncoder]
	pipelines map[wire.ObjectID]*Pipeline
	queues    map[wire.ObjectID]*Queue
	threads   map[ThreadID]*threadLoader
	released  map[wire.ObjectID]Nanos // when memory was given back
	encodeMem slab[Encoder]
}

// An openEncoder is an encoder with what the loader must remember of it.
type openEncoder struct {
	*Encoder
	memory   []Encoder // holds the encoder alone
	buffer   *CommandBuffer
	pipeline *Pipeline // set last
}

// A slab allocates values in blocks, so that a million of them cost little.
type slab[T any] struct{ free []T }

// one is a slice of one new value.
func (s *slab[T]) one() []T {
	if len(s.free) == 0 {
		s.free = make([]T, 256)
	}
	v := s.free[:1:1]
	s.free = s.free[1:]
	return v
}

// pageSize is how many objects of neighbouring numbers share a page of a table.
const pageSize = 64

// A table finds the objects of a process by number. Numbers are given in the order of creation, so pages are full, and the last
// one used is nearly always used again.
type table[T any] struct {
	pages  map[wire.ObjectID]*[pageSize]*T
	last   *[pageSize]*T
	lastID wire.ObjectID // number of the page last
	memory slab[T]
	count  int
}

// get is the object of a number; it is made, and fresh is true, if it is not there.
func (t *table[T]) get(id wire.ObjectID) (object *T, fresh bool) {
	if page := id / pageSize; t.last == nil || page != t.lastID {
		if t.pages == nil {
			t.pages = map[wire.ObjectID]*[pageSize]*T{}
		}
		if t.last, t.lastID = t.pages[page], page; t.last == nil {
			t.last = new([pageSize]*T)
			t.pages[page] = t.last
		}
	}
	at := &t.last[id%pageSize]
	if *at == nil {
		*at, fresh = &t.memory.one()[0], true
		t.count++
	}
	return *at, fresh
}

// all calls f with each object, by number.
func (t *table[T]) all(f func(*T)) {
	for _, page := range slices.Sorted(maps.Keys(t.pages)) {
		for _, object := range t.pages[page] {
			if object != nil {
				f(object)
			}
		}
	}
}

func newProcessLoader(f *tracefile.Process) *processLoader {
	return &processLoader{
		Process:   &Process{ID: f.PID, Parent: f.PPID, Program: f.Program, Args: f.Args},
		file:      f,
		clock:     newConverter(f),
		pipelines: map[wire.ObjectID]*Pipeline{},
		queues:    map[wire.ObjectID]*Queue{},
		threads:   map[ThreadID]*threadLoader{},
		released:  map[wire.ObjectID]Nanos{},
	}
}

func (p *processLoader) text(id uint64) string { return p.file.Strings[wire.StringID(id)] }

// buffer is the command buffer of a number; nil for 0.
func (p *processLoader) buffer(id wire.ObjectID) *CommandBuffer {
	if id == 0 {
		return nil
	}
	b, fresh := p.buffers.get(id)
	if fresh {
		b.ID, b.Process = uint32(id), p.Process
	}
	return b
}

// encoder is the encoder of a number; nil for 0.
func (p *processLoader) encoder(id wire.ObjectID) *openEncoder {
	if id == 0 {
		return nil
	}
	e, fresh := p.encoders.get(id)
	if fresh {
		e.memory = p.encodeMem.one()
		e.Encoder = &e.memory[0]
		e.ID, e.Kind = uint32(id), EncoderOther
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
