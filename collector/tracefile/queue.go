package tracefile

import "sync"

// Blocks wait in memory before they are written to the file. A disk that stalls for half a second, for example while it
// writes back other data, must not delay the reading of the rings. One goroutine writes the waiting blocks in order.

// mostQueued is the number of waiting bytes at which the caller of a further block waits for the file: the amount that
// 10 million records per second produce in a second.
const mostQueued = 64 << 20

// A blockQueue has the blocks that wait for the file. The writer's mutex guards it.
type blockQueue struct {
	blocks  []queuedBlock
	came    int64     // bytes of all blocks so far
	left    int64     // bytes that were written or discarded
	most    int64     // the limit: mostQueued
	arrived sync.Cond // a block came, or closing
	written sync.Cond // some were written
	closing bool
	done    sync.WaitGroup
}

// bytes returns the number of waiting bytes, including the block that is being written.
func (q *blockQueue) bytes() int64 { return q.came - q.left }

// A queuedBlock is a block with its header and its payload as it is stored.
type queuedBlock struct {
	block
	whole []byte
}

// enqueue adds a block to the queue. The caller holds the mutex, which enqueue releases while the queue is full.
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

// writeQueued writes blocks as they come, until the queue is closed and empty.
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

// settle waits until all blocks that were queued so far are in the file. The caller holds the mutex, which settle
// releases meanwhile.
func (w *Writer) settle() {
	for upTo := w.queue.came; w.queue.left < upTo; {
		w.queue.written.Wait()
	}
}

// closeQueue ends the goroutine, after the last block.
func (w *Writer) closeQueue() {
	w.mutex.Lock()
	w.queue.closing = true
	w.queue.arrived.Signal()
	w.mutex.Unlock()
	w.queue.done.Wait()
}
