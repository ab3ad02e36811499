package analyze

import (
	"maps"
	"slices"

	"mtrace/collector/wire"
)

// pageSize is the number of objects with consecutive numbers whose indices share a page of a table.
const pageSize = 64

// An objectTable finds the objects of a process by their number. Numbers are assigned in order of creation, so they are
// dense, and arrays of pages replace a hash table. Pages hold indices and not pointers: they are half as large, and
// the garbage collector need not scan them.
type objectTable[T any] struct {
	// false: near begins at number 0. true: near begins a little before the first object that was read, which saves
	// memory, because a range of a long trace does not refer to much older objects
	floats  bool
	base    wire.ObjectID           // number of the first page of near
	near    []*page                 // by number; nil for pages that do not exist
	far     map[wire.ObjectID]*page // pages for numbers far beyond the others, which only damaged traces have
	objects list[T]                 // in the order in which they were first seen
}

// A page holds the index of each object plus one; 0 for numbers without an object.
type page [pageSize]uint32

// get returns the object with a number. If there is none, get creates it and returns fresh as true.
func (t *objectTable[T]) get(id wire.ObjectID) (object *T, fresh bool) {
	number := id/pageSize - t.base // a number before the base wraps around to a large one and counts as far
	var p *page
	if int(number) < len(t.near) {
		p = t.near[number]
	}
	if p == nil {
		p = t.page(id)
	}
	at := &p[id%pageSize]
	if *at > 0 {
		return t.objects.at(int32(*at - 1)), false
	}
	object = t.objects.more()
	*at = uint32(t.objects.count)
	return object, true
}

// below is the number of pages that are reserved before the page of the first object that was read, because older
// objects may be read later.
const below = 1 << 12

// page returns the page for an object's number and creates it. Numbers far beyond all other numbers, which only
// damaged traces have, get pages in a map, so that they do not enlarge the array.
func (t *objectTable[T]) page(id wire.ObjectID) *page {
	if t.floats && len(t.near) == 0 {
		t.base = id/pageSize - min(id/pageSize, below)
	}
	number := id/pageSize - t.base
	if p := t.far[number]; p != nil {
		return p
	}
	p := &page{}
	room := 2*len(t.near) + 256
	if t.floats {
		room += 2 * below
	}
	if int(number) < room {
		if int(number) >= len(t.near) {
			t.near = append(t.near, make([]*page, room-len(t.near))...)
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
		t.far = map[wire.ObjectID]*page{}
	}
	t.far[number] = p
	return p
}

// find returns the object with a number; nil if it is not in the table.
func (t *objectTable[T]) find(id wire.ObjectID) *T {
	number := id/pageSize - t.base
	p := t.far[number]
	if int(number) < len(t.near) {
		p = t.near[number]
	}
	if p == nil || p[id%pageSize] == 0 {
		return nil
	}
	return t.objects.at(int32(p[id%pageSize] - 1))
}

// count returns the number of objects.
func (t *objectTable[T]) count() int { return t.objects.count }

// each calls f with each object, in the order in which their numbers were first read.
func (t *objectTable[T]) each(f func(*T)) { t.objects.each(f) }

// all calls f with each object in ascending order of numbers, which is the order of creation.
func (t *objectTable[T]) all(f func(*T)) {
	each := func(p *page) {
		for _, place := range p {
			if place > 0 {
				f(t.objects.at(int32(place - 1)))
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
