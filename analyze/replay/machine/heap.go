package machine

import "mtrace/analyze"

// A fifo is a queue of indices: first in, first out.
type fifo struct {
	all   []int32
	taken int // how many of all were removed
}

func (f *fifo) empty() bool { return f.taken == len(f.all) }

// first returns what pop would return. The queue must not be empty.
func (f *fifo) first() int32 { return f.all[f.taken] }

// push appends an index. Once half of a full buffer is free, it moves the rest to the front instead of growing.
func (f *fifo) push(x int32) {
	if len(f.all) == cap(f.all) && 2*f.taken >= len(f.all) {
		f.all = f.all[:copy(f.all, f.all[f.taken:])]
		f.taken = 0
	}
	f.all = append(f.all, x)
}

func (f *fifo) pop() int32 {
	first := f.all[f.taken]
	f.taken++
	return first
}

// A taskHeap returns the task of the lowest rank first.
type taskHeap []task

// A task is work on a server, and the action that follows it. It precedes tasks of higher rank; the number orders tasks
// of equal rank. Like an event, it fits into four registers.
type task struct {
	rank float64
	due  analyze.Nanos // when it would end if it ran alone
	seq  int
	what action
}

func (a *task) before(b *task) bool { return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq }

// push inserts a task. Its ancestors of higher rank move down into the free slot.
func (h *taskHeap) push(x task) {
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

// pop removes and returns the first task. The last task fills its slot and moves down to its place.
func (h *taskHeap) pop() task {
	a := *h
	first, n := a[0], len(a)-1
	if n == 0 {
		*h = a[:0]
		return first
	}
	x := a[n]
	a = a[:n]
	*h = a
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
	a[i] = x
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
