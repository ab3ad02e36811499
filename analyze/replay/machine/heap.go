package machine

// A fifo is a queue of indices: first in, first out.
type fifo []int32

func (f *fifo) push(x int32) { *f = append(*f, x) }

func (f *fifo) pop() int32 {
	first := (*f)[0]
	*f = (*f)[1:]
	return first
}

// A binaryHeap returns the element of the lowest rank first.
type binaryHeap[T any] []ranked[T]

// A ranked element precedes elements of higher rank; the number orders elements of equal rank.
type ranked[T any] struct {
	rank   float64
	number int
	of     T
}

func (a *ranked[T]) before(b *ranked[T]) bool {
	return a.rank < b.rank || a.rank == b.rank && a.number < b.number
}

// push inserts an element. Its ancestors of higher rank move down into the free slot.
func (h *binaryHeap[T]) push(x ranked[T]) {
	*h = append(*h, x)
	a := *h
	i := len(a) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !x.before(&a[up]) {
			break
		}
		a[i] = a[up]
		i = up
	}
	a[i] = x
}

// pop removes the first element. The last one fills its slot and moves down to its place.
func (h *binaryHeap[T]) pop() T {
	a := *h
	first, n := a[0].of, len(a)-1
	x := a[n]
	*h = a[:n]
	a = a[:n]
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && a[down+1].before(&a[down]) {
			down++
		}
		if !a[down].before(&x) {
			break
		}
		a[i] = a[down]
		i = down
	}
	if n > 0 {
		a[i] = x
	}
	return first
}

// An agenda holds events in order of time, and events of the same instant in the order in which they were scheduled.
// Its first element is stored apart. Many events schedule the very next event, which then never passes through the
// heap.
type agenda struct {
	next event // the first event, if there is one
	kept bool
	rest []event // all other events, as a binary heap
}

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

func (a *agenda) empty() bool { return !a.kept && len(a.rest) == 0 }

// first returns what pop would return. The agenda must not be empty.
func (a *agenda) first() *event {
	if a.kept {
		return &a.next
	}
	return &a.rest[0]
}

func (a *agenda) push(e event) {
	switch {
	case a.kept && e.before(&a.next):
		e, a.next = a.next, e
	case !a.kept && (len(a.rest) == 0 || e.before(&a.rest[0])):
		a.next, a.kept = e, true
		return
	}
	a.rest = append(a.rest, e)
	h := a.rest
	i := len(h) - 1
	for i > 0 {
		up := (i - 1) / 2
		if !e.before(&h[up]) {
			break
		}
		h[i] = h[up]
		i = up
	}
	h[i] = e
}

func (a *agenda) pop() event {
	if a.kept {
		a.kept = false
		return a.next
	}
	h := a.rest
	first, n := h[0], len(h)-1
	e := h[n]
	h = h[:n]
	a.rest = h
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && h[down+1].before(&h[down]) {
			down++
		}
		if !h[down].before(&e) {
			break
		}
		h[i] = h[down]
		i = down
	}
	if n > 0 {
		h[i] = e
	}
	return first
}
