package collector

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

func newTestJoiner() (*joiner[int], *[]int) {
	var got []int
	j := &joiner[int]{limit: 1000}
	j.emit = func(position uint64, elements []int) {
		for i, e := range elements {
			if e != int(position)+i {
				panic("element under a wrong position")
			}
		}
		got = append(got, elements...)
	}
	return j, &got
}

func span(from, to int) []int {
	s := make([]int, 0, to-from)
	for i := from; i < to; i++ {
		s = append(s, i)
	}
	return s
}

func TestJoin(t *testing.T) {
	for name, c := range map[string]struct {
		pieces  [][2]int
		want    []int
		missing uint64
	}{
		"in order":                 {[][2]int{{0, 5}, {5, 9}}, span(0, 9), 0},
		"the same twice":           {[][2]int{{0, 5}, {0, 5}}, span(0, 5), 0},
		"overlap":                  {[][2]int{{0, 5}, {3, 9}}, span(0, 9), 0},
		"memory overtakes socket":  {[][2]int{{5, 9}, {0, 5}}, span(0, 9), 0},
		"three turned round":       {[][2]int{{6, 9}, {3, 6}, {0, 3}}, span(0, 9), 0},
		"held twice":               {[][2]int{{5, 9}, {5, 9}, {0, 5}}, span(0, 9), 0},
		"held and overlapping":     {[][2]int{{5, 9}, {7, 12}, {0, 6}}, span(0, 12), 0},
		"nothing at all":           {[][2]int{{0, 0}, {4, 4}}, nil, 4},
		"gap that stays":           {[][2]int{{0, 2}, {5, 9}}, append(span(0, 2), span(5, 9)...), 3},
		"late, after it was given": {[][2]int{{0, 9}, {2, 4}}, span(0, 9), 0},
	} {
		j, got := newTestJoiner()
		for _, p := range c.pieces {
			if err := j.add(uint64(p[0]), span(p[0], p[1])); err != nil {
				t.Fatal(name, err)
			}
		}
		if missing := j.finish(); missing != c.missing || !slices.Equal(*got, c.want) || j.count != 0 {
			t.Errorf("%s: got %v, %d missing", name, *got, missing)
		}
	}
}

// However the chunks are cut, repeated and shuffled: each element once, in order.
func TestJoinShuffled(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		j, got := newTestJoiner()
		n := random.IntN(300)
		var pieces [][2]int
		for at := 0; at < n; {
			end := min(n, at+1+random.IntN(30))
			pieces = append(pieces, [2]int{max(0, at-random.IntN(10)), end})
			if random.IntN(4) == 0 {
				pieces = append(pieces, pieces[len(pieces)-1])
			}
			at = end
		}
		random.Shuffle(len(pieces), func(a, b int) { pieces[a], pieces[b] = pieces[b], pieces[a] })
		for _, p := range pieces {
			if err := j.add(uint64(p[0]), span(p[0], p[1])); err != nil {
				t.Fatal(err)
			}
		}
		if missing := j.finish(); missing != 0 || !slices.Equal(*got, span(0, n)) {
			t.Fatalf("pieces %v gave %v, %d missing", pieces, *got, missing)
		}
	}
}

// A peer must not make the collector buffer unlimited out-of-order data.
func TestJoinIsBounded(t *testing.T) {
	j, _ := newTestJoiner()
	if err := j.add(10, span(10, 1010)); err != nil {
		t.Fatal(err)
	}
	if err := j.add(2000, span(2000, 2001)); err == nil || !strings.Contains(err.Error(), "position 2000") {
		t.Errorf("kept more than its limit: %v", err)
	}
	j, _ = newTestJoiner()
	var err error
	for position := uint64(1); err == nil && position <= 1001; position++ {
		err = j.add(position, nil)
	}
	if err == nil || len(j.waiting) > 1000 {
		t.Errorf("kept %d pieces without elements: %v", len(j.waiting), err)
	}
	if err := j.add(1<<63, span(0, 1)); err == nil {
		t.Error("took a position that overflows")
	}
}
