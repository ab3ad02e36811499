package tracefile

import (
	"bytes"
	"io"
	"os"
	"runtime"
	"testing"
	"time"

	"mtrace/collector/wire"
)

// stuckFile is a file that takes next to nothing until it is read.
func stuckFile(t *testing.T) (w *Writer, file *os.File) {
	t.Helper()
	file, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	w, err = NewWriter(in, testInfo)
	if err != nil {
		t.Fatal(err)
	}
	w.AddProcess(testHello(7))
	w.Region(0, wire.ClockNanoseconds, 0, 0)
	return w, file
}

// read begins to read a stuck file; the reader is there when its writer is closed.
func read(t *testing.T, file *os.File) func() *Reader {
	var data bytes.Buffer
	failed := make(chan error)
	go func() {
		_, err := io.Copy(&data, file)
		failed <- err
	}()
	return func() *Reader {
		t.Helper()
		if err := <-failed; err != nil {
			t.Fatal(err)
		}
		r, err := NewReader("stuck", bytes.NewReader(data.Bytes()), int64(data.Len()))
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
}

// On a machine with 16 processors a program of 600,000 records a second sometimes lost up to two fifths of them. The
// goroutine that drained its ring wrote the file too, and the file accepted nothing for some hundred milliseconds.
func TestSlowFileHoldsNobodyUp(t *testing.T) {
	w, file := stuckFile(t)
	const rings, parts = 3, 40
	records := workload(1000, 1)
	added := make(chan error)
	go func() {
		for part := range parts {
			for ring := range uint16(rings) {
				if err := w.Records(0, ring, uint64(part*len(records)), records); err != nil {
					added <- err
					return
				}
			}
		}
		added <- nil
	}()
	select {
	case err := <-added:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("records wait for a file that takes nothing")
	}
	if w.Size() > 1<<16 {
		t.Fatalf("%d bytes are in a pipe that nobody reads: this test shows nothing", w.Size())
	}
	whole := read(t, file)
	if err := w.Close(Result{}); err != nil {
		t.Fatal(err)
	}
	r := whole()
	for key, got := range readAll(t, r) {
		if len(got) != parts*len(records) {
			t.Errorf("%v has %d records of %d", key, len(got), parts*len(records))
		}
	}
	if n := len(r.Streams()); n != rings {
		t.Errorf("%d rings of %d", n, rings)
	}
}

// A file that never takes anything costs so much memory and no more: then records stay in their rings.
func TestQueueIsBounded(t *testing.T) {
	w, file := stuckFile(t)
	w.mutex.Lock()
	w.queue.most = 300_000
	w.mutex.Unlock()
	queued := func() int64 {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return w.queue.bytes()
	}
	records := workload(recordsPerBlock, 1)
	const blocks = 30
	added := make(chan int64, 1)
	go func() {
		most := int64(0)
		for i := range blocks {
			w.Records(0, 0, uint64(i*len(records)), records)
			most = max(most, queued())
		}
		added <- most
	}()
	for queued() < 300_000 {
		runtime.Gosched()
	}
	select {
	case <-added:
		t.Fatal("all was taken, by nobody")
	default:
	}
	whole := read(t, file)
	if most := <-added; most > 300_000+int64(len(records))*wire.RecordSize {
		t.Errorf("%d bytes were queued", most)
	}
	if err := w.Close(Result{}); err != nil {
		t.Fatal(err)
	}
	if got := len(readAll(t, whole())[streamKey{0, 0}]); got != blocks*len(records) {
		t.Errorf("%d records of %d", got, blocks*len(records))
	}
}

// With an endless stream of records a flush waited for a queue that was never empty: records of the last second before
// the collector was killed were still in the streams.
func TestFlushEndsWhileRecordsCome(t *testing.T) {
	w, file := stuckFile(t)
	records := workload(recordsPerBlock, 1)
	add := func(i int) { w.Records(0, 0, uint64(i*len(records)), records) }
	add(0)
	flushed := make(chan error)
	go func() { flushed <- w.Flush() }()
	queued := func() int64 {
		w.mutex.Lock()
		defer w.mutex.Unlock()
		return w.queue.bytes()
	}
	one := make([]byte, 1<<10)
	deadline, n := time.Now().Add(time.Minute), 1
	for done := false; !done; {
		select {
		case err := <-flushed:
			if err != nil {
				t.Error(err)
			}
			done = true
		default:
			for queued() < 1<<20 { // from here on there is always more
				add(n)
				n++
			}
			if _, err := file.Read(one); err != nil || time.Now().After(deadline) {
				t.Fatalf("%v; the flush waits for what came after it", err)
			}
		}
	}
	go io.Copy(io.Discard, file)
	if err := w.Close(Result{}); err != nil {
		t.Error(err)
	}
}
