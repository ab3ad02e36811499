package record

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

const (
	// queuedLines is how many lines wait for a reader before further lines are dropped.
	queuedLines = 256
	// linePatience is how long a command waits at its end for the reader of its log.
	linePatience = time.Second
)

// A lineQueue writes a log, one line with each Write, in a goroutine of its own, so that logging never waits for a
// reader. Lines that do not fit are dropped and counted, and the log states how many.
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

// Write implements io.Writer. It neither waits nor fails.
func (q *lineQueue) Write(line []byte) (int, error) {
	select {
	case q.lines <- bytes.Clone(line):
	default:
		q.leftOut.Add(1)
	}
	return len(line), nil
}

// write writes lines until the queue is closed, and then the remaining ones.
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
		fmt.Fprintf(q.out, "mtrace: %d lines of this log were left out: nobody read it in time\n", n)
	}
}

// close waits until all lines are written, for a limited time if the reader does not read. Lines written afterwards are
// lost.
func (q *lineQueue) close() {
	close(q.closing)
	select {
	case <-q.written:
	case <-time.After(linePatience):
	}
}
