package collector

import (
	"fmt"
	"slices"
)

// A joiner assembles the contents of one ring, each position exactly once and in order, from two sources that overlap
// and overtake each other: frames from the socket, and data that the collector reads from the shared memory while older
// frames are still in the socket. T is a record, or a byte of the facts.
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

// farthest is the maximum position: no ring reaches it, and arithmetic below it cannot overflow.
const farthest = 1 << 62

// add delivers the elements that begin at position, or keeps a copy until the gap before them is filled.
func (j *joiner[T]) add(position uint64, elements []T) error {
	if position > farthest {
		return fmt.Errorf("position %d is beyond every ring", position)
	}
	if position > j.next {
		if j.count+len(elements) > j.limit || len(j.held) >= j.limit {
			// even a piece without elements, with which the drainer notifies the collector, takes memory
			return fmt.Errorf("position %d arrived, but the data between it and %d did not", position, j.next)
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

// pass delivers the new part of elements, which do not begin after a gap.
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

// finish delivers elements after gaps that will not be filled any more, and returns how many elements are missing.
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
