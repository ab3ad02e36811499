package analyze

// never is behind every instant.
const never Nanos = 1<<63 - 1

// A merge finds out which of several sorted sources has the next value. It works like a tournament of the instants of
// the sources' next values. The earlier instant wins a match; if they are equal, the first source wins. When a source
// advances to its next value, only its own matches up to the final are repeated. The code of a match has no branch that
// depends on the winner, because no processor can predict that branch for threads that alternate.
type merge struct {
	at []Nanos // the instants of the sources' next values; filled up with never to a power of two
	// winners[i] is the winner of match i, which is played by the winners of matches 2i and 2i+1. The final is match 1;
	// the last entries are the sources themselves
	winners []int32
}

// newMerge begins with the instants of the sources' first values; never stands for a source without values.
func newMerge(firsts []Nanos) merge {
	size := 1
	for size < len(firsts) {
		size *= 2
	}
	m := merge{make([]Nanos, size), make([]int32, 2*size)}
	for i := range m.at {
		m.winners[size+i], m.at[i] = int32(i), never
	}
	copy(m.at, firsts)
	for i := size - 1; i > 0; i-- {
		m.play(i)
	}
	return m
}

// first returns the source that has the next value.
func (m *merge) first() int { return int(m.winners[1]) }

// least returns the instant of the next value; never when no source has one.
func (m *merge) least() Nanos { return m.at[m.winners[1]] }

// replace sets the instant of the next value of the source that was first, after its value was taken.
func (m *merge) replace(at Nanos) {
	first := m.first()
	m.at[first] = at
	for i := (len(m.at) + first) / 2; i > 0; i /= 2 {
		m.play(i)
	}
}

// play plays one match.
func (m *merge) play(i int) {
	winner, other := m.winners[2*i], m.winners[2*i+1]
	if m.at[other] < m.at[winner] {
		winner = other
	}
	m.winners[i] = winner
}
