package replay

// A binaryHeap gives its first element first.
type binaryHeap[T ranked] []T

// A ranked thing comes before those of a higher rank; the second number tells equal ones apart.
type ranked interface{ rank() (float64, int) }

func before[T ranked](a, b T) bool {
	x, i := a.rank()
	y, k := b.rank()
	return x < y || x == y && i < k
}

func (h *binaryHeap[T]) push(x T) {
	*h = append(*h, x)
	a := *h
	for i := len(a) - 1; i > 0; {
		up := (i - 1) / 2
		if !before(a[i], a[up]) {
			return
		}
		a[i], a[up] = a[up], a[i]
		i = up
	}
}

func (h *binaryHeap[T]) pop() T {
	a := *h
	first, n := a[0], len(a)-1
	a[0] = a[n]
	*h = a[:n]
	a = a[:n]
	for i := 0; ; {
		least := i
		for _, down := range [2]int{2*i + 1, 2*i + 2} {
			if down < n && before(a[down], a[least]) {
				least = down
			}
		}
		if least == i {
			return first
		}
		a[i], a[least] = a[least], a[i]
		i = least
	}
}
