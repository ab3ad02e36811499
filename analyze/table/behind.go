package table

import "sync/atomic"

// behind writes the rows of one table on a goroutine of its own, so that reading the trace continues meanwhile.
type behind[T any] struct {
	sink  sink[T]
	full  chan []T // batches to write
	empty chan []T // written batches, to be filled again
	ended chan struct{}
	over  bool                  // no more rows will follow
	err   atomic.Pointer[error] // the first error
}

// ahead is the number of batches of rows that may wait for the writing goroutine. It is half a row group of Parquet,
// because the goroutine encodes a whole row group at once and needs time for it.
const ahead = rowsPerGroup / 2 / batch

func newBehind[T any](s sink[T]) *behind[T] {
	b := &behind[T]{sink: s, full: make(chan []T, ahead), empty: make(chan []T, ahead+2), ended: make(chan struct{})}
	for range ahead {
		b.empty <- nil // nil: the buffer is allocated when it is needed
	}
	go b.run()
	return b
}

func (b *behind[T]) run() {
	defer close(b.ended)
	for batch := range b.full {
		if b.failed() == nil {
			b.fail(b.sink.write(batch))
		}
		b.empty <- batch[:0]
	}
	b.fail(b.sink.close())
}

func (b *behind[T]) fail(err error) {
	if err != nil {
		b.err.CompareAndSwap(nil, &err)
	}
}

func (b *behind[T]) failed() error {
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}

// write passes rows to the goroutine that writes them, and returns an empty slice for the next rows. The caller must
// not use the passed slice any more.
func (b *behind[T]) write(rows []T) []T {
	b.full <- rows
	return <-b.empty
}

// finish declares that no more rows follow; close waits until all rows are written. Both may be called more than
// once.
func (b *behind[T]) finish() {
	if !b.over {
		b.over = true
		close(b.full)
	}
}

func (b *behind[T]) close() error {
	<-b.ended
	return b.failed()
}
