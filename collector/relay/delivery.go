package relay

import (
	"context"
	"fmt"
	"os"
	"time"

	"mtrace/collector/tracefile"
)

// progressLook is how often Deliver checks for progress.
const progressLook = 10 * time.Millisecond

// Deliver waits until the receiver has the whole trace, which must have ended. It waits as long as the receiver makes
// progress, and for wait without progress. Then, or when ctx is done, it stops sending and returns the reason why the
// receiver does not have the trace.
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
		why = fmt.Errorf("it has accepted no data for %v", wait)
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

// Path returns the path of the trace on the receiver's machine, once Deliver has returned nil.
func (s *Sender) Path() string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return s.path
}

// Save writes the spool's content to a file as a trace. It returns the number of the trace's first bytes that only the
// receiver has; their calls are missing in the file.
func (s *Sender) Save(file *os.File) (elsewhere int64, err error) {
	note := ""
	if elsewhere, _, _ = s.state(); elsewhere > 0 {
		note = fmt.Sprintf("the first calls of this trace are only at the collector at %s, in the trace %s, which is cut",
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
