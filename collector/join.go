package collector

import (
	"fmt"
	"slices"
)

// A joiner assembles the content of one thread's ring buffer: each position exactly once and in order. The data comes
// from two sources, which may overlap and overtake each other: frames from the socket, and shared memory, which the
// collector may read while older frames are still in the socket. T is a record, or a byte of the facts (names and
// other data of variable size).
type joiner[T any] struct {
	next    uint64     // the position of the next element to deliver
	waiting []piece[T] // pieces behind a gap, by position
	count   int        // number of elements in all pieces of waiting
	limit   int        // maximum of count, and of the number of pieces
	emit    func(position uint64, elements []T)
}

type piece[T any] struct {
	position uint64
	elements []T
}

// farthest is the largest position that add accepts. No real position is that large, and adding a length to it cannot
// overflow.
const farthest = 1 << 62

// add passes the elements, which begin at position, to emit. If elements before position are missing, add keeps a
// copy until they arrive. It returns an error when too many elements wait.
func (j *joiner[T]) add(position uint64, elements []T) error {
	if position > farthest {
		return fmt.Errorf("position %d is beyond every ring", position)
	}
	if position > j.next {
		if j.count+len(elements) > j.limit || len(j.waiting) >= j.limit {
			// len(j.waiting) also limits pieces without elements, because each takes memory: the drainer in the process
			// sends empty frames to wake the collector
			return fmt.Errorf("data from position %d on arrived, but the data before it, from %d on, did not", position,
				j.next)
		}
		at, _ := slices.BinarySearchFunc(j.waiting, position, func(p piece[T], position uint64) int {
			if p.position < position {
				return -1
			}
			return 1
		})
		j.waiting = slices.Insert(j.waiting, at, piece[T]{position, slices.Clone(elements)})
		j.count += len(elements)
		return nil
	}
	j.pass(position, elements)
	for len(j.waiting) > 0 && j.waiting[0].position <= j.next {
		j.passHeld()
	}
	return nil
}

// pass passes the elements to emit, except those that were passed before. The caller guarantees that there is no gap:
// position is at most j.next.
func (j *joiner[T]) pass(position uint64, elements []T) {
	seen := j.next - position
	if seen >= uint64(len(elements)) {
		return
	}
	j.emit(j.next, elements[seen:])
	j.next = position + uint64(len(elements))
}

func (j *joiner[T]) passHeld() {
	p := j.waiting[0]
	j.waiting = slices.Delete(j.waiting, 0, 1)
	j.count -= len(p.elements)
	j.pass(p.position, p.elements)
}

// finish passes on the elements that wait behind gaps: when a process has ended, no gap is filled any more. It
// returns how many elements are missing in the gaps.
func (j *joiner[T]) finish() (missing uint64) {
	for len(j.waiting) > 0 {
		if p := j.waiting[0].position; p > j.next {
			missing += p - j.next
			j.next = p
		}
		j.passHeld()
	}
	return missing
}
