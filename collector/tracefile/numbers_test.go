package tracefile

import (
	"math/rand/v2"
	"testing"

	"mtrace/collector/wire"
)

// Every number is decoded to itself, whatever its size, its sign, the step and the number before it; alone, and as one
// of two times.
func TestNumbers(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for _, step := range []uint64{1, 2, 3, 13, 26, 41, 1 << 20, 1000003, 1 << 63, ^uint64(0)} {
		numbers := []uint64{0, 1, 1 << 63, 1<<63 - 1, ^uint64(0), step, -step, step + 1, 0, 0}
		for range 4000 {
			v := random.Uint64() >> random.IntN(64)
			if random.IntN(3) > 0 {
				v = v / step * step
			}
			if random.IntN(4) == 0 {
				v = -v
			}
			numbers = append(numbers, v)
		}
		s := scaleOf(step)
		var w bitWriter
		var sizes [columnCount]size
		for i := 0; i < len(numbers); i += 2 {
			if len(w.bytes)-w.size < longestRecord {
				w.makeRoom()
			}
			w.putTimes(&sizes, numbers[i], numbers[i+1], &s)
			w.putNumber(&sizes[columnX3], numbers[i], &s)
		}
		var r bitReader
		r.begin(w.all())
		sizes = [columnCount]size{}
		for i := 0; i < len(numbers); i += 2 {
			gap, length := r.times(&sizes, step)
			if again := r.number(&sizes[columnX3], step); gap != numbers[i] || length != numbers[i+1] || again != numbers[i] {
				t.Fatalf("step %d: %d, %d and %d came back instead of %d and %d", step, gap, length, again, numbers[i],
					numbers[i+1])
			}
		}
		if r.leftOver() {
			t.Errorf("step %d: %d bits of %d bytes were read", step, r.at, len(w.all()))
		}
	}
}

// The step of the clock is found though a thread now and then continues where the counter stopped elsewhere, and where
// there is none it is 1.
func TestStepOf(t *testing.T) {
	for step, want := range map[wire.Ticks]uint64{26: 26, 1: 1} {
		if got := stepOf(stepped(workload(2000, 2), step)); got != want {
			t.Errorf("a clock with steps of %d has %d", step, got)
		}
	}
	if got := stepOf(nil); got != 1 {
		t.Errorf("an unknown clock has steps of %d", got)
	}
}

// Bits that end too early are detected, and so are whole bytes left unread.
func TestBitsLeftOver(t *testing.T) {
	records := workload(300, 1)
	payload, _, _ := new(encoder).encode(nil, records)
	var d decoder
	for cut := 1; cut < 40; cut++ {
		if _, err := d.decode(nil, payload.bytes[:len(payload.bytes)-cut], len(records)); err == nil {
			t.Fatalf("without its last %d bytes it can be read", cut)
		}
	}
	if _, err := d.decode(nil, append(payload.bytes, 0), len(records)); err == nil {
		t.Error("with a byte more it can be read")
	}
}
