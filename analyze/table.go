package analyze

import (
	"maps"
	"slices"

	"mtrace/collector/wire"
)

// pageSize is how many objects of neighbouring numbers share a page of a table.
const pageSize = 64

// A table finds the objects of a process by number. Numbers are given in the order of creation, so pages are full and
// lie close together. Pages hold places rather than pointers: they are half as large, and the garbage collector has
// nothing to look for in them.
type table[T any] struct {
	floats  bool                    // near begins near the first object met: a part of a long trace has no others
	base    wire.ObjectID           // number of the first page of near
	near    []*page                 // by number; nil for those that are not there
	far     map[wire.ObjectID]*page // those beyond: only damaged traces have them
	objects list[T]                 // in the order in which they were first met
}

// A page has one more than the place of each object among all; 0 for those that are not there.
type page [pageSize]uint32

// get is the object of a number; it is made, and fresh is true, if it is not there.
func (t *table[T]) get(id wire.ObjectID) (object *T, fresh bool) {
	number := id/pageSize - t.base // one before the base is large, and far
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

// below is how many pages there are for objects that are met later than the first and are older.
const below = 1 << 12

// page is the page of an object when it is not among the near ones yet.
func (t *table[T]) page(id wire.ObjectID) *page {
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

// find is the object of a number; nil if it is not there.
func (t *table[T]) find(id wire.ObjectID) *T {
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

// count is how many objects there are.
func (t *table[T]) count() int { return t.objects.count }

// each calls f with each object, as they lie in memory: in the order in which they were first met.
func (t *table[T]) each(f func(*T)) { t.objects.each(f) }

// all calls f with each object, by number.
func (t *table[T]) all(f func(*T)) {
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
