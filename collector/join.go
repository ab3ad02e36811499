package collector

import (
	"fmt"
	"slices"
)

// A joiner assembles the content of one thread's ring buffer: each position exactly once and in order. Two sources
// deliver parts that overlap and overtake each other: frames from the socket, and data that the collector reads from
// shared memory while older frames are still in the socket. T is a record, or a byte of the facts (names and other
// data of variable size).
type joiner[T any] struct {
	next  uint64     // the position of the next element to deliver
	held  []piece[T] // pieces behind a gap, by position
	count int        // elements in held
	limit int        // of count
	emit  func(position uint64, elements []T)
}

type piece[T any] struct {
	position uint64
	elements []T
}

// farthest is the largest position that add accepts. No ring counts that far, and position plus length below it
// cannot overflow.
const farthest = 1 << 62

// add delivers the elements from position on to emit. If elements before position are missing, add keeps a copy until
// they arrive; it returns an error when too many elements wait.
func (j *joiner[T]) add(position uint64, elements []T) error {
	if position > farthest {
		return fmt.Errorf("position %d is beyond every ring", position)
	}
	if position > j.next {
		if j.count+len(elements) > j.limit || len(j.held) >= j.limit {
			// a piece without elements also counts, because it takes memory: the drainer in the process sends such
			// frames to wake the collector
			return fmt.Errorf("data from position %d on arrived, but the data before it, from %d on, did not", position,
				j.next)
		}
		at, _ := slices.BinarySearchFunc(j.held, position, func(p piece[T], position uint64) int {
			if p.position < position {
				return -1
			}
			return 1
		})
		j.held = slices.Insert(j.held, at, piece[T]{position, slices.Clone(elements)})
		j.count += len(elements)
		return nil
	}
	j.pass(position, elements)
	for len(j.held) > 0 && j.held[0].position <= j.next {
		j.passHeld()
	}
	return nil
}

// pass delivers the elements that were not delivered before. The caller guarantees that there is no gap: position is
// at most j.next.
func (j *joiner[T]) pass(position uint64, elements []T) {
	seen := j.next - position
	if seen >= uint64(len(elements)) {
		return
	}
	j.emit(j.next, elements[seen:])
	j.next = position + uint64(len(elements))
}

func (j *joiner[T]) passHeld() {
	p := j.held[0]
	j.held = slices.Delete(j.held, 0, 1)
	j.count -= len(p.elements)
	j.pass(p.position, p.elements)
}

// finish delivers the elements that wait behind gaps, because at the end of a process no gap is filled any more. It
// returns how many elements the gaps lack.
func (j *joiner[T]) finish() (missing uint64) {
	for len(j.held) > 0 {
		if p := j.held[0].position; p > j.next {
			missing += p - j.next
			j.next = p
		}
		j.passHeld()
	}
	return missing
}
