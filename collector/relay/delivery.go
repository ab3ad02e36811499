package relay

import (
	"context"
	"fmt"
	"os"
	"time"

	"mtrace/collector/tracefile"
)

// progressLook is how often Deliver checks whether the receiver got more of the trace.
const progressLook = 10 * time.Millisecond

// Deliver waits until the receiver has the whole trace, which the caller must have finished writing. It gives up
// after the time `wait` without progress, or when ctx is done. The error says why the receiver does not have the
// trace; the spool (the copy on disk) still has it.
func (s *Sender) Deliver(ctx context.Context, wait time.Duration) error {
	select {
	case s.hurry <- struct{}{}:
	default:
	}
	ticker := time.NewTicker(progressLook)
	defer ticker.Stop()
	last, tried, _ := s.progress()
	for since := time.Now(); time.Since(since) < wait && !s.isDone(); {
		select {
		case <-s.done:
		case <-ctx.Done():
			since = time.Time{}
		case <-ticker.C:
			confirmed, attempts, failure := s.progress()
			if confirmed > last {
				last, since = confirmed, time.Now()
			}
			if attempts > tried && hopeless(failure) {
				since = time.Time{}
			}
		}
	}
	_, _, why := s.progress()
	s.cancel()
	<-s.done
	s.mutex.Lock()
	defer s.mutex.Unlock()
	if s.delivered {
		return nil
	}
	if why == nil {
		why = fmt.Errorf("the collector has accepted no data for %v", wait)
	}
	return fmt.Errorf("the collector at %s does not have the whole trace: %w", s.options.Address, why)
}

func (s *Sender) isDone() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Path returns the path of the trace on the receiver's machine. It is empty until Deliver has returned nil.
func (s *Sender) Path() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.path
}

// Save writes the content of the spool (the copy on disk) to file as a trace. The spool may have dropped the
// beginning of the trace: elsewhere is how many bytes only the receiver has. The calls in them are missing in file.
func (s *Sender) Save(file *os.File) (elsewhere int64, err error) {
	note := ""
	if elsewhere, _, _ = s.state(); elsewhere > 0 {
		note = fmt.Sprintf("the first calls of this trace are missing: "+
			"only the collector at %s has them, in the trace %s, which lacks the last calls",
			s.options.Address, s.options.Name)
	}
	if err := tracefile.Assemble(file, s.parts(), note); err != nil {
		return elsewhere, fmt.Errorf("save the trace: %w", err)
	}
	return elsewhere, nil
}

// Discard stops sending and removes the spool (the copy of the trace on disk).
func (s *Sender) Discard() {
	if s.started {
		s.cancel()
		<-s.done
	}
	s.remove()
}

// Dir returns the folder of the spool (the copy of the trace on disk).
func (s *Sender) Dir() string { return s.folder.dir }
