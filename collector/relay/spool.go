package relay

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"mtrace/collector/tracefile"
)

// A Spool keeps a trace on disk until a receiver has it, in several files of whole blocks. When space is needed, it
// removes the oldest file, provided the receiver has all of it. Blocks without which the rest of the trace cannot be
// read are copied from it first. So the files together are always a readable trace, and the complete trace if no file
// was removed.
//
// mtrace does not use a library for queues or write-ahead logs: it would wrap each block, although a block
// already has a length and a checksum, and the files could not be read as a trace without unwrapping them.
type Spool struct {
	folder *spoolFolder
	limit  int64        // bytes on disk
	each   int64        // size of a file, in bytes, after which the next begins
	why    func() error // the reason for which the receiver accepts no data, for the error when the spool is full

	mutex     sync.Mutex // guards what follows
	files     []spoolFile
	kept      *os.File // blocks kept from removed files; nil before the first
	keptSize  int64
	written   int64         // bytes of the trace so far
	confirmed int64         // bytes that the receiver has
	ended     bool          // nothing more is written
	more      chan struct{} // gets an element when data was written or the trace ended; wakes the sender
}

// A spoolFile is one file of a spool; it has the bytes of the trace from position start on.
type spoolFile struct {
	*os.File
	start, size int64
}

func (f spoolFile) end() int64 { return f.start + f.size }

// newSpool creates an empty spool in p that takes at most limit bytes on disk. When the spool is full, why is called:
// it returns the reason for which the receiver does not accept data, for the error.
func newSpool(p *spoolFolder, limit int64, why func() error) (*Spool, error) {
	s := &Spool{folder: p, limit: limit, each: min(max(limit/32, 64<<10), 64<<20), why: why,
		more: make(chan struct{}, 1)}
	return s, s.begin()
}

// begin creates the next file of the spool (the copy of the trace on disk), so that older files can be removed.
func (s *Spool) begin() error {
	file, err := os.OpenFile(filepath.Join(s.folder.dir, fmt.Sprintf("%020d", s.written)),
		os.O_RDWR|os.O_CREATE|os.O_EXCL,
		0o600)
	if err != nil {
		return fmt.Errorf("make a spool: %w", err)
	}
	s.files = append(s.files, spoolFile{File: file, start: s.written})
	return nil
}

// first returns the position in the trace of the first byte that the spool still has.
func (s *Spool) first() int64 { return s.files[0].start }

func (s *Spool) onDisk() int64 { return s.keptSize + s.written - s.first() }

// Room makes room for n more bytes by removing files that the receiver has. It returns an error if that is not
// enough. It implements tracefile.Bounded.
func (s *Spool) Room(n int) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for s.onDisk()+int64(n) > s.limit {
		if removed, err := s.removeOldest(); err != nil {
			return err
		} else if !removed {
			return fmt.Errorf("the spool of %s was full: %w", sizeText(s.limit), s.why())
		}
	}
	return nil
}

// removeOldest removes the oldest file if the receiver has all of it. It first copies the blocks without which the
// rest of the trace cannot be read to the file s.kept.
func (s *Spool) removeOldest() (removed bool, err error) {
	oldest := s.files[0]
	if len(s.files) == 1 || s.confirmed < oldest.end() {
		return false, nil
	}
	if s.kept == nil {
		if s.kept, err = os.OpenFile(filepath.Join(s.folder.dir, keptName), os.O_RDWR|os.O_CREATE|os.O_EXCL,
			0o600); err != nil {
			return false, fmt.Errorf("make room in the spool: %w", err)
		}
	}
	err = tracefile.WithoutRecords(s.kept, io.NewSectionReader(oldest, 0, oldest.size))
	if err != nil {
		s.kept.Truncate(s.keptSize)
		return false, fmt.Errorf("make room in the spool: %w", err)
	}
	if s.keptSize, err = s.kept.Seek(0, io.SeekEnd); err != nil {
		return false, fmt.Errorf("make room in the spool: %w", err)
	}
	oldest.Close()
	os.Remove(oldest.Name())
	s.files = s.files[1:]
	return true, nil
}

// Write appends a block. If the disk is full, it removes files that the receiver has, oldest first, and tries again.
func (s *Spool) Write(b []byte) (int, error) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if last := s.files[len(s.files)-1]; last.size > 0 && last.size+int64(len(b)) > s.each {
		if err := s.begin(); err != nil {
			return 0, err
		}
	}
	last := &s.files[len(s.files)-1]
	n, err := last.WriteAt(b, last.size)
	for errors.Is(err, syscall.ENOSPC) {
		removed, failed := s.removeOldest()
		if !removed || failed != nil {
			break
		}
		last = &s.files[len(s.files)-1]
		n, err = last.WriteAt(b, last.size)
	}
	if err != nil {
		last.Truncate(last.size)
		return n, fmt.Errorf("write to the spool: %w", err)
	}
	last.size += int64(n)
	s.written += int64(n)
	s.wake()
	return n, nil
}

// Close marks the trace as ended. Its files stay until remove is called, because the receiver may not have them yet.
func (s *Spool) Close() error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	s.ended = true
	s.wake()
	return nil
}

func (s *Spool) wake() {
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// read reads bytes of the trace into b, beginning at position `from`, which must still be in the spool. If n is 0,
// nothing more was written so far, and ended reports whether the trace is complete.
func (s *Spool) read(b []byte, from int64) (n int, ended bool, err error) {
	s.mutex.Lock()
	defer s.mutex.Unlock() // the file must not be removed while it is read
	for _, f := range s.files {
		if from >= f.start && from < f.end() {
			n, err := f.ReadAt(b[:min(int64(len(b)), f.end()-from)], from-f.start)
			if err != nil {
				err = fmt.Errorf("read the spool: %w", err)
			}
			return n, false, err
		}
	}
	return 0, s.ended, nil
}

// confirm stores how many bytes of the trace the receiver says it has. It returns an error if that number is
// impossible.
func (s *Spool) confirm(have int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if have < s.first() || have > s.written {
		return fmt.Errorf(
			"the collector claims to have %d bytes of the trace, which is impossible: the spool has bytes %d to %d",
			have, s.first(), s.written)
	}
	s.confirmed = have
	return nil
}

// state returns three positions in the trace: of the first byte that the spool still has, of the end of the bytes
// that the receiver confirmed, and of the end of the written bytes.
func (s *Spool) state() (first, confirmed, written int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.first(), s.confirmed, s.written
}

// endsAt reports whether the trace has ended and has exactly n bytes.
func (s *Spool) endsAt(n int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.ended && n == s.written
}

// parts returns the trace as the spool has it on disk: first the blocks that were copied from removed files, because
// the rest cannot be read without them, and then the files in order.
func (s *Spool) parts() io.Reader {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	var parts []io.Reader
	if s.kept != nil {
		parts = append(parts, io.NewSectionReader(s.kept, 0, s.keptSize))
	}
	for _, f := range s.files {
		parts = append(parts, io.NewSectionReader(f, 0, f.size))
	}
	return io.MultiReader(parts...)
}

// remove deletes the spool: its files, which contain the trace on disk, and their folder.
func (s *Spool) remove() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, f := range s.files {
		f.Close()
	}
	if s.kept != nil {
		s.kept.Close()
	}
	s.folder.remove()
}

// sizeText formats a number of bytes.
func sizeText(n int64) string {
	for _, unit := range []string{"bytes", "KiB", "MiB"} {
		if n < 1<<10 || n%(1<<10) != 0 {
			return fmt.Sprintf("%d %s", n, unit)
		}
		n >>= 10
	}
	return fmt.Sprintf("%d GiB", n)
}
