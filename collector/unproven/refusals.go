package unproven

import (
	"sync"
	"time"

	"github.com/rs/zerolog"
)

// linePause is the shortest time between two log lines about refused connections. Without it anyone who can connect
// could fill the log.
const linePause = 10 * time.Second

// Refusals counts refused connections. It logs the first refusal, and then at most one line per linePause.
type Refusals struct {
	log   zerolog.Logger
	now   func() time.Time
	mutex sync.Mutex
	total uint64
	quiet uint64 // connections refused since the last log line
	last  time.Time
	from  string // who made the latest refused connection
	why   error
}

// NewRefusals returns a new count of refused connections that logs to log.
func NewRefusals(log zerolog.Logger) *Refusals { return &Refusals{log: log, now: time.Now} }

// Add counts a refused connection; from says who connected, for the log.
func (r *Refusals) Add(from string, why error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.total++
	r.quiet++
	r.from, r.why = from, why
	if now := r.now(); r.last.IsZero() || now.Sub(r.last) >= linePause {
		r.last = now
		r.line()
	}
}

// line logs the refused connections since the last line, with the reason of the latest. The caller holds the mutex.
func (r *Refusals) line() {
	if r.quiet == 0 {
		return
	}
	event := r.log.Warn().Str("from", r.from).Err(r.why)
	if r.quiet == 1 {
		event.Msg("a connection was refused")
	} else {
		event.Uint64("connections", r.quiet).Msg("connections were refused; this is the latest")
	}
	r.quiet = 0
}

// Total returns the number of connections that were refused so far.
func (r *Refusals) Total() uint64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.total
}

// Finish logs the refused connections since the last line, and returns the total of the recording.
func (r *Refusals) Finish() uint64 {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.line()
	return r.total
}
