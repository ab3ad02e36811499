package replay

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
