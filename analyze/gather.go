package analyze

import (
	"cmp"
	"slices"
)

// A list gathers values in blocks, so that growing it moves nothing.
type list[T any] struct {
	blocks []*[blockSize]T
	count  int
}

const (
	blockShift = 7
	blockSize  = 1 << blockShift // how many values of a list lie together
)

// add appends a zero value and returns where it is.
func (l *list[T]) add() *T {
	i := l.count % blockSize
	if i == 0 {
		l.blocks = append(l.blocks, new([blockSize]T))
	}
	l.count++
	return &l.blocks[len(l.blocks)-1][i]
}

// at is the value at an index.
func (l *list[T]) at(i int32) *T { return &l.blocks[i>>blockShift][i%blockSize] }

// gather is what the lists hold, but for what is to be left out, in the order of their instants. Those of the same instant stay in the order
// in which they come.
func gather[T any](lists []*list[T], instant func(*T) Nanos, leaveOut func(*T) bool) []T {
	count := 0
	for _, l := range lists {
		count += l.count
	}
	if count == 0 {
		return nil
	}
	var blocks []*[blockSize]T
	keys := make([]timeKey, 0, count)
	for _, l := range lists {
		for i := range l.count {
			if v := l.at(int32(i)); !leaveOut(v) {
				keys = append(keys, timeKey{instant(v), uint32(len(blocks)<<blockShift + i)})
			}
		}
		blocks = append(blocks, l.blocks...)
	}
	out := make([]T, len(keys))
	for i, k := range byTime(keys) {
		out[i] = blocks[k.index>>blockShift][k.index%blockSize]
	}
	return out
}

// gatherThreads hands what the threads did to the trace, in the order of time.
func (l *loader) gatherThreads() {
	slices.SortStableFunc(l.threads, func(a, b *threadLoader) int { return cmp.Compare(a.ID, b.ID) })
	var waits []*list[Wait]
	var locks []*list[LockWait]
	var idle []*list[SignalWait]
	var made []*list[Allocation]
	for _, t := range l.threads {
		waits, locks, idle, made = append(waits, &t.waits), append(locks, &t.locks), append(idle, &t.idle), append(made, &t.made)
	}
	absorbed := func(w *Wait) bool { return w.Thread == nil }
	noTime := func(k *LockWait) bool { return k.Own == 0 }
	l.trace.Waits = gather(waits, func(w *Wait) Nanos { return w.Begin }, absorbed)
	l.trace.Locks = gather(locks, func(k *LockWait) Nanos { return k.Begin }, noTime)
	l.trace.SignalWaits = gather(idle, func(w *SignalWait) Nanos { return w.Begin }, func(w *SignalWait) bool { return w.Length() == 0 })
	l.trace.Allocations = gather(made, func(a *Allocation) Nanos { return a.At }, func(*Allocation) bool { return false })
}
