package analyze

import (
	"math/bits"
	"math/rand/v2"
)

// A numbering maps keys to small numbers. It is used for every call, where a Go map would take half of the time. It
// is a hash table with open addressing, at most half full. Its multiplier is random, so that nobody can make a trace
// whose keys all collide and that loads for hours.
type numbering struct {
	entries    []numbered // a power of two
	count      int
	multiplier uint64
	shift      uint8
}

type numbered struct {
	key    uint64
	number int32 // the number plus one; 0 means that the place is free
}

// find returns the number of a key; false when the key has none.
func (n *numbering) find(key uint64) (int32, bool) {
	if len(n.entries) == 0 {
		return 0, false
	}
	for i := n.place(key); ; i = (i + 1) & (len(n.entries) - 1) {
		if e := &n.entries[i]; e.number == 0 || e.key == key {
			return e.number - 1, e.number != 0
		}
	}
}

// set assigns a number to a key, which must not have one yet.
func (n *numbering) set(key uint64, number int32) {
	if 2*(n.count+1) > len(n.entries) {
		n.grow()
	}
	i := n.place(key)
	for n.entries[i].number != 0 {
		i = (i + 1) & (len(n.entries) - 1)
	}
	n.entries[i] = numbered{key, number + 1}
	n.count++
}

func (n *numbering) place(key uint64) int { return int(key * n.multiplier >> n.shift) }

func (n *numbering) grow() {
	old := n.entries
	n.entries = make([]numbered, max(16, 2*len(old)))
	n.multiplier = rand.Uint64() | 1
	n.shift = uint8(64 - bits.TrailingZeros(uint(len(n.entries))))
	n.count = 0
	for _, e := range old {
		if e.number != 0 {
			n.set(e.key, e.number-1)
		}
	}
}
