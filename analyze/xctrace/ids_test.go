package xctrace

import (
	"math/rand/v2"
	"testing"
)

// With four pages in memory and ids over forty, every id must still be found,
// whatever the order of definitions and references.
func TestIDTablePagesOutAndIn(t *testing.T) {
	table := &idTable{limit: 4}
	defer table.close()
	random := rand.New(rand.NewPCG(1, 2))
	want := map[uint32][2]uint64{}
	var order []uint32
	define := func(id uint32) {
		tag, word := uint16(random.Uint32N(100)+1), random.Uint64()
		if err := table.set(id, tag, word); err != nil {
			t.Fatal(err)
		}
		want[id] = [2]uint64{uint64(tag), word}
		order = append(order, id)
	}
	check := func(id uint32) {
		tag, word, err := table.get(id)
		if err != nil || uint64(tag) != want[id][0] || word != want[id][1] && tag != 0 {
			t.Fatalf("id %d is (%d, %d, %v), want %v", id, tag, word, err, want[id])
		}
	}
	for id := uint32(1); id < 40*pageIDs; id++ {
		define(id)
		if id%7 == 0 {
			check(order[random.IntN(len(order))])
		}
		if id%5000 == 0 {
			define(order[random.IntN(len(order))]) // a late definition in a page that is out
		}
	}
	define(maxID - 1)
	for _, id := range order {
		check(id)
	}
	check(0)
	check(500_000_000)
	if table.file == nil || table.written == 0 {
		t.Error("nothing was paged out: the test did not test it")
	}
	if len(table.resident) > 4 {
		t.Errorf("%d pages in memory, the limit is 4", len(table.resident))
	}
	table.reset()
	if tag, _, _ := table.get(1); tag != 0 {
		t.Error("an id survived the reset")
	}
	define(1)
	check(1)
}

// Where no temporary file can be made the ids stay in memory, and are right.
func TestIDTableWithoutATemporaryFile(t *testing.T) {
	t.Setenv("TMPDIR", "/nonexistent")
	table := &idTable{limit: 2}
	for id := uint32(0); id < 10*pageIDs; id++ {
		if err := table.set(id, 1, uint64(id)*3); err != nil {
			t.Fatal(err)
		}
	}
	for id := uint32(0); id < 10*pageIDs; id++ {
		if tag, word, err := table.get(id); tag != 1 || word != uint64(id)*3 || err != nil {
			t.Fatalf("id %d is (%d, %d, %v)", id, tag, word, err)
		}
	}
}
