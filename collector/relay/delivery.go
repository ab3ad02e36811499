package relay

import (
	"context"
	"fmt"
	"os"
	"time"

	"mtrace/collector/tracefile"
)

// progressLook is how often Deliver looks whether there was progress.
const progressLook = 10 * time.Millisecond

// Deliver waits until the receiver has the trace, which has ended: as long as it takes more of it, and for so long
// after that it took none. Then, or when ctx is done, sending ends, and the error says why the receiver does not have
// it.
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
		why = fmt.Errorf("it has taken nothing more for %v", wait)
	}
	return fmt.Errorf("the collector at %s does not have all of it: %w", s.options.Address, why)
}

func (s *Sender) isDone() bool {
	select {
	case <-s.done:
		return true
	default:
		return false
	}
}

// Path is where the trace is on the receiver's machine, once Deliver has returned nil.
func (s *Sender) Path() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.path
}

// Save writes what is in the spool to a file as a trace. elsewhere is how many of its first bytes are at the receiver
// only; their calls are missing in it.
func (s *Sender) Save(file *os.File) (elsewhere int64, err error) {
	note := ""
	if elsewhere, _, _ = s.state(); elsewhere > 0 {
		note = fmt.Sprintf("the first calls of this trace are at the collector at %s only, in the trace %s, which is cut",
			s.options.Address, s.options.Name)
	}
	if err := tracefile.Assemble(file, s.parts(), note); err != nil {
		return elsewhere, fmt.Errorf("save the trace: %w", err)
	}
	return elsewhere, nil
}

// Discard ends sending and removes the spool.
func (s *Sender) Discard() {
	if s.started {
		s.cancel()
		<-s.done
	}
	s.remove()
}

// Dir is where the spool is.
func (s *Sender) Dir() string { return s.place.dir }
