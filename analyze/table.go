package analyze

import (
	"maps"
	"slices"

	"mtrace/collector/wire"
)

// A slab allocates values in blocks, so that a million of them cost little.
type slab[T any] struct {
	free   []T
	blocks [][]T
}

// one is a slice of one new value.
func (s *slab[T]) one() []T {
	if len(s.free) == 0 {
		size := 16
		if n := len(s.blocks); n > 0 {
			size = min(2*len(s.blocks[n-1]), 256)
		}
		s.free = make([]T, size)
		s.blocks = append(s.blocks, s.free)
	}
	v := s.free[:1:1]
	s.free = s.free[1:]
	return v
}

// pageSize is how many objects of neighbouring numbers share a page of a table.
const pageSize = 64

// A table finds the objects of a process by number. Numbers are given in the order of creation, so pages are full and lie close together.
type table[T any] struct {
	near   []*page[T]                 // by number; nil for those that are not there
	far    map[wire.ObjectID]*page[T] // those beyond: only damaged traces have them
	memory slab[T]
	count  int
}

type page[T any] struct {
	objects [pageSize]*T
}

// get is the object of a number; it is made, and fresh is true, if it is not there.
func (t *table[T]) get(id wire.ObjectID) (object *T, fresh bool) {
	number := id / pageSize
	var p *page[T]
	if int(number) < len(t.near) {
		p = t.near[number]
	}
	if p == nil {
		p = t.page(number)
	}
	at := &p.objects[id%pageSize]
	if *at == nil {
		*at, fresh = &t.memory.one()[0], true
		t.count++
	}
	return *at, fresh
}

// page is the page of a number that is not among the near ones yet.
func (t *table[T]) page(number wire.ObjectID) *page[T] {
	if p := t.far[number]; p != nil {
		return p
	}
	p := &page[T]{}
	if room := 2*len(t.near) + 256; int(number) < room {
		if int(number) >= len(t.near) {
			t.near = append(t.near, make([]*page[T], room-len(t.near))...)
			for n, far := range t.far {
				if int(n) < room {
					t.near[n] = far
					delete(t.far, n)
				}
			}
		}
		t.near[number] = p
		return p
	}
	if t.far == nil {
		t.far = map[wire.ObjectID]*page[T]{}
	}
	t.far[number] = p
	return p
}

// find is the object of a number; nil if it is not there.
func (t *table[T]) find(id wire.ObjectID) *T {
	p := t.far[id/pageSize]
	if number := int(id / pageSize); number < len(t.near) {
		p = t.near[number]
	}
	if p == nil {
		return nil
	}
	return p.objects[id%pageSize]
}

// each calls f with each object, as they lie in memory: in the order in which they were first met.
func (t *table[T]) each(f func(*T)) {
	left := t.count
	for _, b := range t.memory.blocks {
		b = b[:min(left, len(b))]
		for i := range b {
			f(&b[i])
		}
		left -= len(b)
	}
}

// all calls f with each object, by number.
func (t *table[T]) all(f func(*T)) {
	each := func(p *page[T]) {
		for _, object := range p.objects {
			if object != nil {
				f(object)
			}
		}
	}
	for _, p := range t.near {
		if p != nil {
			each(p)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(t.far)) {
		each(t.far[number])
	}
}
