package analyze

import (
	"maps"
	"slices"

	"mtrace/collector/wire"
)

// A slab allocates values in blocks, so that a million of them cost little.
type slab[T any] struct {
	free []T
	size int // of the last block
}

// one is a slice of one new value.
func (s *slab[T]) one() []T {
	if len(s.free) == 0 {
		s.size = min(max(16, 2*s.size), 256)
		s.free = make([]T, s.size)
	}
	v := s.free[:1:1]
	s.free = s.free[1:]
	return v
}

// pageSize is how many objects of neighbouring numbers share a page of a table.
const pageSize = 64

// A table finds the objects of a process by number. Numbers are given in the order of creation, so pages are full, and those used
// last are nearly always used again.
type table[T any] struct {
	pages  map[wire.ObjectID]*page[T]
	recent [16]*page[T]
	memory slab[T]
	count  int
}

type page[T any] struct {
	number  wire.ObjectID // of its first object, divided by pageSize
	objects [pageSize]*T
}

// get is the object of a number; it is made, and fresh is true, if it is not there.
func (t *table[T]) get(id wire.ObjectID) (object *T, fresh bool) {
	number := id / pageSize
	p := t.recent[number%wire.ObjectID(len(t.recent))]
	if p == nil || p.number != number {
		p = t.page(number)
	}
	at := &p.objects[id%pageSize]
	if *at == nil {
		*at, fresh = &t.memory.one()[0], true
		t.count++
	}
	return *at, fresh
}

func (t *table[T]) page(number wire.ObjectID) *page[T] {
	p := t.pages[number]
	if p == nil {
		if t.pages == nil {
			t.pages = map[wire.ObjectID]*page[T]{}
		}
		p = &page[T]{number: number}
		t.pages[number] = p
	}
	t.recent[number%wire.ObjectID(len(t.recent))] = p
	return p
}

// find is the object of a number; nil if it is not there.
func (t *table[T]) find(id wire.ObjectID) *T {
	if p := t.pages[id/pageSize]; p != nil {
		return p.objects[id%pageSize]
	}
	return nil
}

// all calls f with each object, by number.
func (t *table[T]) all(f func(*T)) {
	for _, number := range slices.Sorted(maps.Keys(t.pages)) {
		for _, object := range t.pages[number].objects {
			if object != nil {
				f(object)
			}
		}
	}
}
