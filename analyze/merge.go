package analyze

// never is behind every instant.
const never Nanos = 1<<63 - 1

// A merge says which of several sources comes next. It is a tournament: each source has the instant of its next value,
// each match is won by the earlier of two, or by the first of them when they are equal, and a source that continues
// plays its way up again. No match has a branch that depends on who wins: of threads that take turns no processor
// could foretell it.
type merge struct {
	at []Nanos // of the sources, and never for those that there are not, up to a power of two
	// of the match at i those of the matches at 2i and 2i+1 play; the final is at 1, the sources themselves come last
	winners []int32
}

// newMerge begins with the instants of the sources' first values; never is one that has none.
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

// first is the source whose value comes next.
func (m *merge) first() int { return int(m.winners[1]) }

// least is the instant of the next value; never when no source has one.
func (m *merge) least() Nanos { return m.at[m.winners[1]] }

// replace gives the first source the instant of its value after the one that came next.
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
