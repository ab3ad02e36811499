package analyze

import (
	"math/rand/v2"
	"slices"
	"testing"

	"mtrace/collector/wire"
)

// TestTable: whatever the numbers and their order are, as in a damaged trace, each object is made once, found again,
// and listed by number.
func TestTable(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 3))
	for name, number := range map[string]func(i int) wire.ObjectID{
		"ascending":     func(i int) wire.ObjectID { return wire.ObjectID(i + 1) },
		"descending":    func(i int) wire.ObjectID { return wire.ObjectID(30_000 - i) },
		"far, then all": func(i int) wire.ObjectID { return wire.ObjectID(1+i*37) % 29_989 },
		"anywhere":      func(int) wire.ObjectID { return wire.ObjectID(random.Uint32()) },
		"both ends":     func(i int) wire.ObjectID { return wire.ObjectID(i/2) ^ -wire.ObjectID(i%2) },
	} {
		var objects objectTable[wire.ObjectID]
		made := map[wire.ObjectID]*wire.ObjectID{}
		for i := range 20_000 {
			id := number(i)
			if got := objects.find(id); got != made[id] {
				t.Fatalf("%s: object %d is found at %p, not at %p", name, id, got, made[id])
			}
			object, fresh := objects.get(id)
			if fresh != (made[id] == nil) || !fresh && object != made[id] {
				t.Fatalf("%s: object %d: fresh %v", name, id, fresh)
			}
			*object, made[id] = id, object
		}
		var listed []wire.ObjectID
		objects.all(func(id *wire.ObjectID) { listed = append(listed, *id) })
		met := 0
		objects.each(func(id *wire.ObjectID) {
			if made[*id] != id {
				t.Fatalf("%s: object %d is listed at %p, it is at %p", name, *id, id, made[*id])
			}
			met++
		})
		if met != len(made) {
			t.Errorf("%s: %d of %d objects are listed as they lie", name, met, len(made))
		}
		if len(listed) != len(made) || objects.count() != len(made) || !slices.IsSorted(listed) {
			t.Errorf("%s: %d of %d objects are listed, in order: %v", name, len(listed), len(made), slices.IsSorted(listed))
		}
	}
}
