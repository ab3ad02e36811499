package tracefile

import "sync"

// Finished blocks wait in memory until one goroutine writes them to the file, in order. A disk may stall for half a
// second, for example while it writes back other data. Without this queue the collector would then stop reading the
// traced program's buffers, and records would be dropped.

// mostQueued limits the bytes that may wait for the file. If the queue is full, a caller that adds a block waits. 64
// MiB is about one second of 10 million records per second.
const mostQueued = 64 << 20

// A blockQueue has the blocks that are not written to the file yet. The writer's mutex guards it.
type blockQueue struct {
	blocks  []queuedBlock
	came    int64     // bytes of all blocks that were ever queued
	left    int64     // bytes that were written or discarded
	most    int64     // the limit: mostQueued
	arrived sync.Cond // signalled when a block is queued and when closing is set
	written sync.Cond // signalled when blocks were written or discarded
	closing bool
	done    sync.WaitGroup
}

// bytes returns the number of bytes that wait, including the block that is being written now.
func (q *blockQueue) bytes() int64 { return q.came - q.left }

// A queuedBlock is a block with the bytes that go into the file.
type queuedBlock struct {
	block
	whole []byte
}

// enqueue adds a block to the queue. If the queue is full, it waits and releases the mutex meanwhile. The caller
// holds the mutex.
func (w *Writer) enqueue(b block, header, stored []byte) error {
	whole := append(header, stored...)
	for w.queue.bytes() >= w.queue.most {
		w.queue.written.Wait()
	}
	w.queue.blocks = append(w.queue.blocks, queuedBlock{b, whole})
	w.queue.came += int64(len(whole))
	w.queue.arrived.Signal()
	return w.err
}

// writeQueued writes blocks to the file as they are queued. It returns when the queue is closed and empty.
func (w *Writer) writeQueued() {
	w.mutex.Lock()
	defer w.mutex.Unlock()
	for {
		for len(w.queue.blocks) == 0 {
			if w.queue.closing {
				return
			}
			w.queue.arrived.Wait()
		}
		next := w.queue.blocks
		w.queue.blocks = nil
		for i := range next {
			w.commit(next[i].block, next[i].whole)
			w.queue.left += int64(len(next[i].whole))
			next[i] = queuedBlock{}
			w.queue.written.Broadcast()
		}
	}
}

// settle waits until all blocks that are queued now are in the file. It releases the mutex, which the caller holds,
// while it waits.
func (w *Writer) settle() {
	for upTo := w.queue.came; w.queue.left < upTo; {
		w.queue.written.Wait()
	}
}

// closeQueue waits until the last block is written and the goroutine of writeQueued has ended.
func (w *Writer) closeQueue() {
	w.mutex.Lock()
	w.queue.closing = true
	w.queue.arrived.Signal()
	w.mutex.Unlock()
	w.queue.done.Wait()
}
