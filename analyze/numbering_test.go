package analyze

import (
	"math/rand/v2"
	"testing"
)

// TestNumbering: every key is found with its number, and no other, whatever the keys are.
func TestNumbering(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 5))
	for name, key := range map[string]func(i int) uint64{
		"ascending": func(i int) uint64 { return uint64(i) },
		"high bits": func(i int) uint64 { return uint64(i) << 48 },
		"anything":  func(int) uint64 { return random.Uint64() },
		"few":       func(i int) uint64 { return uint64(i % 7) },
	} {
		var n numbering
		want := map[uint64]int32{}
		for i := range 20_000 {
			k := key(i)
			number, known := n.find(k)
			if before, there := want[k]; known != there || known && number != before {
				t.Fatalf("%s: key %#x has number %d (%v), want %d (%v)", name, k, number, known, before, there)
			}
			if !known {
				want[k] = int32(i)
				n.set(k, int32(i))
			}
		}
		for k, number := range want {
			if got, known := n.find(k); !known || got != number {
				t.Fatalf("%s: key %#x has number %d (%v), want %d", name, k, got, known, number)
			}
		}
	}
}
