package tracefile

import "sync"

// Blocks on their way into the file. A disk that stands still for half a second, as one does that writes back what
// others wrote, must not stand between the rings of running programs and who empties them: blocks wait here, in their
// order, and one goroutine writes them.

// mostQueued is from how many bytes on whoever has another block waits for the file: what a disk has to swallow in a
// second when 10 million records come in it.
const mostQueued = 64 << 20

// A blockQueue is the blocks that wait for the file. The writer's mutex guards it.
type blockQueue struct {
	blocks  []queuedBlock
	came    int64     // bytes of all blocks that ever came
	left    int64     // of those that are in the file, or cannot come to be
	most    int64     // from so many bytes on there is no room: mostQueued
	arrived sync.Cond // a block came, or closing
	written sync.Cond // some were written
	closing bool
	done    sync.WaitGroup
}

// bytes is how much waits, with the block that is being written.
func (q *blockQueue) bytes() int64 { return q.came - q.left }

// A queuedBlock is a block with its header and its payload as it is stored.
type queuedBlock struct {
	block
	whole []byte
}

// enqueue has a block written, behind all that came before it. With the mutex, which it gives up while there is no
// room.
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

// settle waits until all blocks that have come until now are in the file, whatever comes meanwhile. With the mutex,
// which it gives up.
func (w *Writer) settle() {
	for upTo := w.queue.came; w.queue.left < upTo; {
		w.queue.written.Wait()
	}
}

// closeQueue ends the goroutine, behind the last block.
func (w *Writer) closeQueue() {
	w.mutex.Lock()
	w.queue.closing = true
	w.queue.arrived.Signal()
	w.mutex.Unlock()
	w.queue.done.Wait()
}
