package replay

// A line is who came first is first.
type line []int32

func (l *line) push(x int32) { *l = append(*l, x) }

func (l *line) pop() int32 {
	first := (*l)[0]
	*l = (*l)[1:]
	return first
}

// A binaryHeap gives the element of the lowest rank first.
type binaryHeap[T any] []ranked[T]

// A ranked thing comes before those of a higher rank; the number tells equal ones apart.
type ranked[T any] struct {
	rank   float64
	number int
	of     T
}

func (a *ranked[T]) before(b *ranked[T]) bool {
	return a.rank < b.rank || a.rank == b.rank && a.number < b.number
}

// push puts a thing in. What comes after it moves down, into the place that is free.
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

// pop takes the first out. The last looks for its place from there on.
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

// An agenda is a heap whose first is kept apart: much of what happens makes the next thing happen at once, which then never goes through the heap.
type agenda[T any] struct {
	next ranked[T] // the first of all, where kept
	kept bool
	rest binaryHeap[T]
}

func (a *agenda[T]) empty() bool { return !a.kept && len(a.rest) == 0 }

// first is what pop would take, of an agenda that is not empty.
func (a *agenda[T]) first() *T {
	if a.kept {
		return &a.next.of
	}
	return &a.rest[0].of
}

func (a *agenda[T]) push(x ranked[T]) {
	switch {
	case a.kept && x.before(&a.next):
		a.rest.push(a.next)
		a.next = x
	case !a.kept && (len(a.rest) == 0 || x.before(&a.rest[0])):
		a.next, a.kept = x, true
	default:
		a.rest.push(x)
	}
}

func (a *agenda[T]) pop() T {
	if a.kept {
		a.kept = false
		return a.next.of
	}
	return a.rest.pop()
}
