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

// A Spool keeps a trace on disk until a receiver has it: in files of whole blocks. The oldest files are removed when
// the receiver has them and space is needed; the few blocks without which a trace cannot be read are kept. So the files
// always form a trace: the complete one as long as nothing was removed.
//
// A library for queues or write-ahead logs would frame each block again, although it already has its length and
// checksum, and reading the files as a trace would require unpacking them.
type Spool struct {
	place *place
	limit int64 // bytes on disk
	each  int64 // size of a file, in bytes, after which the next begins
	why   func() error

	mutex     sync.Mutex // guards what follows
	files     []spoolFile
	kept      *os.File // blocks kept from removed files; nil before the first
	keptSize  int64
	written   int64 // bytes of the trace
	confirmed int64 // bytes that the receiver has
	ended     bool  // nothing more is written
	more      chan struct{}
}

// A spoolFile holds bytes of the trace from start on.
type spoolFile struct {
	*os.File
	start, size int64
}

func (f spoolFile) end() int64 { return f.start + f.size }

// newSpool creates an empty spool. why returns the reason why the receiver does not accept the data.
func newSpool(p *place, limit int64, why func() error) (*Spool, error) {
	s := &Spool{place: p, limit: limit, each: min(max(limit/32, 64<<10), 64<<20), why: why, more: make(chan struct{}, 1)}
	return s, s.begin()
}

// begin begins the next file.
func (s *Spool) begin() error {
	file, err := os.OpenFile(filepath.Join(s.place.dir, fmt.Sprintf("%020d", s.written)), os.O_RDWR|os.O_CREATE|os.O_EXCL,
		0o600)
	if err != nil {
		return fmt.Errorf("make a spool: %w", err)
	}
	s.files = append(s.files, spoolFile{File: file, start: s.written})
	return nil
}

// first returns the position of the first byte of the trace that is still in the spool.
func (s *Spool) first() int64 { return s.files[0].start }

func (s *Spool) onDisk() int64 { return s.keptSize + s.written - s.first() }

// Room implements tracefile.Bounded: it removes files that the receiver has until there is space for n more bytes.
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

// removeOldest removes the oldest file, if the receiver has it, except for blocks without which a trace cannot be read.
func (s *Spool) removeOldest() (removed bool, err error) {
	oldest := s.files[0]
	if len(s.files) == 1 || s.confirmed < oldest.end() {
		return false, nil
	}
	if s.kept == nil {
		if s.kept, err = os.OpenFile(filepath.Join(s.place.dir, keptName), os.O_RDWR|os.O_CREATE|os.O_EXCL,
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

// Write appends a block. If the disk is full, it removes files that the receiver has.
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

// Close marks the trace as ended. The files stay.
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

// read reads bytes of the trace from a position that is still in the spool; it returns none if no more were written
// yet. ended is true if no more will be.
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

// confirm records the number of bytes that the receiver reports to have. It returns an error if that is impossible.
func (s *Spool) confirm(have int64) error {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if have < s.first() || have > s.written {
		return fmt.Errorf("the collector claims to have %d bytes of the trace, of which bytes %d to %d are here", have,
			s.first(), s.written)
	}
	s.confirmed = have
	return nil
}

// state returns the first byte in the spool, and how far the trace is confirmed and written.
func (s *Spool) state() (first, confirmed, written int64) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.first(), s.confirmed, s.written
}

// endsAt reports whether the trace has ended with that length.
func (s *Spool) endsAt(n int64) bool {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.ended && n == s.written
}

// parts reads the files in order, each from its beginning.
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

// remove removes all of it.
func (s *Spool) remove() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	for _, f := range s.files {
		f.Close()
	}
	if s.kept != nil {
		s.kept.Close()
	}
	s.place.remove()
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
