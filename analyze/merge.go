package analyze

// never is behind every instant.
const never Nanos = 1<<63 - 1

// A merge finds which of several sorted sources has the next value. It is a tournament (winner tree) over the
// instants of the sources' next values: the earlier instant wins a match, and of equal instants the first source
// wins. When a source advances, only the matches on its path to the final are played again. A match compiles to code
// without a branch on the winner: processors cannot predict that branch for threads that alternate.
type merge struct {
	at []Nanos // the instants of the sources' next values; filled up with never to a power of two
	// winners[i] is the source that won match i. Match i is played by the winners of matches 2i and 2i+1; match 1 is
	// the final. The second half of the slice holds the sources themselves
	winners []int32
}

// newMerge starts a merge with the instant of each source's first value; the constant never stands for an empty
// source.
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

// first returns the index of the source that has the next value.
func (m *merge) first() int { return int(m.winners[1]) }

// least returns the instant of the next value; the constant never when all sources are at their end.
func (m *merge) least() Nanos { return m.at[m.winners[1]] }

// replace must be called after the next value was taken from its source; `at` is the instant of that source's
// following value.
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
