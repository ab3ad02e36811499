package analyze

import (
	"math/rand/v2"
	"testing"
)

// each is a settle that takes one call at a time.
func each(settle func(s *span)) func([]span) {
	return func(spans []span) {
		for i := range spans {
			if spans[i].slot >= 0 {
				settle(&spans[i])
			}
		}
	}
}

// add adds the call that ended next.
func (n *nesting) add(s span) {
	*n.next() = s
	n.place()
}

// tree makes random properly nested calls within i, in the order of their ends.
func tree(r *rand.Rand, i Interval, depth int, emit func(Interval)) {
	at := i.Begin
	for at < i.End {
		at += Nanos(r.Int64N(int64(i.Length())/2 + 2))
		end := at + Nanos(r.Int64N(int64(i.Length())/2+2))
		if end > i.End {
			return
		}
		child := Interval{at, end}
		if depth > 0 && child.Length() > 4 {
			tree(r, child, depth-1, emit)
		}
		emit(child)
		at = end
	}
}

// TestNestingSums: own times add up to the length of the union, and each is the time that no inner call covers.
func TestNestingSums(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 200 {
		var calls []Interval
		tree(r, Interval{0, 10_000}, 4, func(i Interval) { calls = append(calls, i) })
		var owner [10_000]int // by nanosecond, the innermost call; 0 is none
		for k := len(calls) - 1; k >= 0; k-- {
			for ns := calls[k].Begin; ns < calls[k].End; ns++ {
				owner[ns] = k + 1 // an inner call comes earlier in calls, so it is written later
			}
		}
		want := make([]Nanos, len(calls)+1)
		for _, k := range owner {
			want[k]++
		}
		got := make([]Nanos, len(calls)+1)
		n := nesting{settle: each(func(s *span) { got[s.slot+1] += s.exclusive })}
		for k, c := range calls {
			n.add(span{begin: c.Begin, end: c.End, slot: int32(k), item: -1})
		}
		n.finish()
		for k := 1; k < len(want); k++ {
			if got[k] != want[k] {
				t.Fatalf("round %d, call %d of %d %v: own %d, want %d", round, k, len(calls), calls[k-1], got[k], want[k])
			}
		}
		if n.skewed != 0 {
			t.Fatalf("round %d: %d calls are called skewed, though all nest", round, n.skewed)
		}
	}
}

// TestNestingOfNonsense: whatever the calls are, no nanosecond counts twice and none is made up.
func TestNestingOfNonsense(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 300 {
		var sum Nanos
		first, last := Nanos(1<<62), Nanos(-1<<62)
		n := nesting{settle: each(func(s *span) {
			if s.exclusive < 0 {
				t.Fatalf("round %d: own time %d", round, s.exclusive)
			}
			sum += s.exclusive
		})}
		for range 1 + r.IntN(300) {
			b := Nanos(r.Int64N(5000))
			e := b + Nanos(r.Int64N(2000)) - 100
			first, last = min(first, b, e), max(last, b, e)
			n.add(span{begin: b, end: e, slot: 0, item: -1, absorbs: r.IntN(3) == 0})
		}
		n.finish()
		if sum > last-first {
			t.Fatalf("round %d: own times add up to %d in a window of %d", round, sum, last-first)
		}
	}
}

// TestNestingAbsorbs: the lock inside a wait is the wait.
func TestNestingAbsorbs(t *testing.T) {
	own := map[int32]Nanos{}
	absorbed := map[int32]bool{}
	n := nesting{settle: each(func(s *span) { own[s.slot], absorbed[s.slot] = s.exclusive, s.absorbed })}
	n.add(span{begin: 20, end: 30, slot: 1, item: -1})                // inside 2
	n.add(span{begin: 15, end: 40, slot: 2, item: -1})                // inside 3
	n.add(span{begin: 10, end: 50, slot: 3, item: -1, absorbs: true}) // the wait
	n.add(span{begin: 5, end: 60, slot: 4, item: -1})                 // around it
	n.finish()
	for slot, want := range map[int32]Nanos{1: 0, 2: 0, 3: 40, 4: 15} {
		if own[slot] != want {
			t.Errorf("call %d has %d ns of its own, want %d", slot, own[slot], want)
		}
	}
	if !absorbed[1] || !absorbed[2] || absorbed[3] || absorbed[4] {
		t.Errorf("absorbed: %v", absorbed)
	}
}

// TestNestingOfMany: the calls that are settled early, because there are many, keep the sums exact.
func TestNestingOfMany(t *testing.T) {
	var sum Nanos
	n := nesting{settle: each(func(s *span) { sum += s.exclusive })}
	at := Nanos(0)
	for range 3*maxSpans + 7 {
		n.add(span{begin: at, end: at + 2, item: -1})
		at += 3
	}
	n.add(span{begin: 0, end: at, item: -1}) // around all of them
	n.finish()
	if sum != at {
		t.Errorf("own times add up to %d, want %d", sum, at)
	}
	if len(n.spans) != 0 {
		t.Errorf("%d calls are left", len(n.spans))
	}
}

// TestNestingOfManyAbsorbed: a wait around more calls than are kept counted the time of all of them as its own,
// although the first half was already attributed to the calls: the thread's parts added up to more than its time.
func TestNestingOfManyAbsorbed(t *testing.T) {
	var sum Nanos
	n := nesting{settle: each(func(s *span) { sum += s.exclusive })}
	at := Nanos(10)
	for range 3*maxSpans + 7 {
		n.add(span{begin: at, end: at + 2, item: -1})
		at += 3
	}
	n.add(span{begin: 5, end: at, item: -1, absorbs: true})
	n.add(span{begin: 0, end: at + 5, item: -1, absorbs: true})
	n.finish()
	if sum != at+5 {
		t.Errorf("own times add up to %d, want %d", sum, at+5)
	}
}

// TestNestingYields: a wait inside a call is the call's own time; outside of every call it is the wait's.
func TestNestingYields(t *testing.T) {
	own := map[int32]Nanos{}
	absorbed := map[int32]bool{}
	n := nesting{settle: each(func(s *span) { own[s.slot], absorbed[s.slot] = s.exclusive, s.absorbed })}
	n.add(span{begin: 10, end: 20, slot: 0, item: -1, yields: true})
	n.add(span{begin: 22, end: 24, slot: 1, item: -1})
	n.add(span{begin: 0, end: 30, slot: 2, item: -1})
	n.add(span{begin: 40, end: 50, slot: 3, item: -1, yields: true})
	n.finish()
	if own[0] != 0 || !absorbed[0] || own[1] != 2 || own[2] != 28 || own[3] != 10 || absorbed[3] {
		t.Errorf("own times %v, absorbed %v", own, absorbed)
	}
}
