package machine

import "mtrace/analyze"

// A fifo is a queue of indices: first in, first out.
type fifo struct {
	all   []int32
	taken int // how many of all were removed
}

func (f *fifo) empty() bool { return f.taken == len(f.all) }

// first returns the index that pop would remove. The queue must not be empty.
func (f *fifo) first() int32 { return f.all[f.taken] }

// push appends an index. If the buffer is full and at least half of it was popped, push moves the remaining indices
// to the front instead of allocating more memory.
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

// A taskHeap is a binary heap of tasks whose first element has the lowest rank.
type taskHeap []task

// A task is work on a server (a processor or a GPU), with the action that follows its end. Tasks of lower rank end
// first; seq orders tasks of equal rank, so that each run has the same result. A task has four words, so that it is
// passed in registers.
type task struct {
	rank float64
	due  analyze.Nanos // when it would end if it ran alone
	seq  int
	what action
}

func (a *task) before(b *task) bool { return a.rank < b.rank || a.rank == b.rank && a.seq < b.seq }

// push inserts a task, moving its ancestors of higher rank one level down.
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

// pop removes and returns the task of the lowest rank, and moves the last task to its correct level. The heap must
// not be empty.
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

// An agenda holds the events of the replay in order of time; events of the same time keep the order in which they
// were scheduled. The first event is stored outside of the heap, because many events schedule the one that is handled
// next, which then costs no heap operation.
type agenda struct {
	next event // the first event, if there is one
	kept bool
	rest []event // all other events, as a binary heap
}

func (e *event) before(f *event) bool { return e.at < f.at || e.at == f.at && e.seq < f.seq }

func (a *agenda) empty() bool { return !a.kept && len(a.rest) == 0 }

// first returns the event that pop would remove. The agenda must not be empty.
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
