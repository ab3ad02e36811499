package compare

import (
	"io"
	"time"
)

// silence is how long a benchmark may print nothing: much longer than its longest operation.
const silence = 10 * time.Minute

// A watchdog is a reader that acts if it has read nothing for too long.
type watchdog struct {
	in    io.Reader
	limit time.Duration
	timer *time.Timer
}

func watch(in io.Reader, limit time.Duration, act func()) *watchdog {
	return &watchdog{in, limit, time.AfterFunc(limit, act)}
}

func (w *watchdog) Read(p []byte) (int, error) {
	n, err := w.in.Read(p)
	// after the timer has triggered it must not be reset, because stop reports that
	if w.timer.Stop() {
		w.timer.Reset(w.limit)
	}
	return n, err
}

// stop ends the watch and reports whether it had triggered.
func (w *watchdog) stop() bool { return !w.timer.Stop() }
