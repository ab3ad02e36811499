package compare

import (
	"io"
	"time"
)

// silence is how long a benchmark may print nothing before it is ended as hung. No single operation takes nearly as
// long.
const silence = 10 * time.Minute

// A watchdog is a reader that calls a function if its inner reader delivers nothing for the given time.
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
	// timer.Stop returns false if the time limit was exceeded. Do not restart the timer then: watchdog.stop must
	// see that it fired.
	if w.timer.Stop() {
		w.timer.Reset(w.limit)
	}
	return n, err
}

// stop ends the watch and reports whether the time limit had been exceeded.
func (w *watchdog) stop() bool { return !w.timer.Stop() }
