package record

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// queuedLines is how many log lines wait for a slow reader. If the queue is full, further lines are dropped and
	// counted.
	queuedLines = 256
	// linePatience is how long a command that ends waits for the reader of its log, before the remaining lines are
	// lost.
	linePatience = time.Second
)

// A lineQueue writes lines of a log from its own goroutine, so that logging never waits for a slow reader. Lines that
// do not fit into the queue are dropped, and the log says how many.
type lineQueue struct {
	out     io.Writer
	lines   chan []byte
	leftOut atomic.Uint64
	closing chan struct{}
	written chan struct{} // closed when all lines are written
}

func newLineQueue(out io.Writer) *lineQueue {
	q := &lineQueue{out: out, lines: make(chan []byte, queuedLines)}
	q.closing, q.written = make(chan struct{}), make(chan struct{})
	go q.write()
	return q
}

// Write implements io.Writer. It never blocks and never fails: a line that does not fit is dropped and counted.
func (q *lineQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.leftOut.Add(1)
	}
	return len(line), nil
}

// write writes the queued lines to the log until close is called and the queue is empty.
func (q *lineQueue) write() {
	defer close(q.written)
	for {
		select {
		case line := <-q.lines:
			q.writeOne(line)
			continue
		default:
		}
		select {
		case line := <-q.lines:
			q.writeOne(line)
		case <-q.closing:
			return
		}
	}
}

func (q *lineQueue) writeOne(line []byte) {
	q.out.Write(line)
	if n := q.leftOut.Swap(0); n > 0 {
		fmt.Fprintf(q.out, "mtrace: %d lines of this log were dropped, because its reader was too slow\n", n)
	}
}

// close waits until the queued lines are written, but at most a second: perhaps nobody reads them.
func (q *lineQueue) close() {
	close(q.closing)
	select {
	case <-q.written:
	case <-time.After(linePatience):
	}
}
