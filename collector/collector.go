// Package collector receives the records of traced processes and writes them into one trace: it reads the rings in
// their shared memory, and receives records over a unix socket where the processes' drainers send them. Every published
// record is in the trace exactly once, however its process ended.
package collector

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"mtrace/collector/tracefile"
	"mtrace/collector/unproven"
	"mtrace/collector/wire"
)

// Options say how a Collector works.
type Options struct {
	// Path is the path of the socket; empty means a socket in Dir. A socket that an ended collector left there is
	// replaced.
	Path string
	// Dir is the directory for the socket. It is created if missing, and must be accessible only to this user. Empty
	// means a new temporary directory.
	Dir string
	// Token, unless it is zero, is a secret with which each connection must begin. Only the environment of the traced
	// programs contains it (Collector.Environment). If a token is set and Path and Dir are empty, a collector that
	// runs as root also accepts processes of other users.
	Token wire.Token
	// Writer is the trace. The Collector closes it.
	Writer *tracefile.Writer
	// Log gets one line for each irregularity, for example a refused connection. The zero value logs nothing.
	Log zerolog.Logger
	// Accept, if set, decides whether to record a process. It is called once for each process, before anything is
	// recorded, and may block: only that process's connection waits.
	Accept func(wire.Hello) bool
	// Window, if set, decides which time ranges of the recording are written to the trace. Nil means the whole
	// recording.
	Window *Window
	// Selection, if set, decides which calls the trace gets, for example only one thread's calls. Nil means all
	// calls.
	Selection *Selection
	// Observer, if set, receives each record as it arrives, before it is written to the trace.
	Observer Observer
	// Watch, if set, receives several times a second what the threads of each process are doing.
	Watch func(tracefile.ProcessIndex, Sight)
	// Failed, if set, is called once, when writing the trace first fails. The recording continues without writing:
	// later records are only counted, so that the report can state how many are missing.
	Failed func(error)
	// Behind, if set, is called when the collector reads too slowly and records may soon be dropped: each time a
	// thread's ring buffer was filled by more than half between two readings.
	Behind func()
}

// A Collector records any number of processes at once into one trace.
type Collector struct {
	writer   *tracefile.Writer
	observer Observer
	watch    func(tracefile.ProcessIndex, Sight) // nil if Options.Watch is not set
	window   *Window                             // nil if the whole recording is written
	selected *Selection                          // nil if all calls are written
	accept   func(wire.Hello) bool
	failed   func(error)
	behind   func()
	log      zerolog.Logger
	endpoint *endpoint
	children children
	listener *listener
	unproven *unproven.Connections // connections of other users that have not sent their token yet
	refused  *unproven.Refusals
	began    wire.ClockSample // a sample of the collector's own clock, on machines with ticks

	shutting    sync.Once
	unreachable string // why programs could not find the collector any more; set when the collector shuts down
	closing     chan struct{}
	connections sync.WaitGroup // connections being served, and calls of Serve

	mutex    sync.Mutex // guards the following fields; locked after a process's mutex
	closed   bool
	registry registry
	failure  error
	result   Result
	finished sync.Once
}

// New creates the collector's socket and listens on it. Programs can connect from now on; their connections wait in
// the kernel until Serve is called.
func New(o Options) (*Collector, error) {
	at, err := takeEndpoint(o.Path, o.Dir, !o.Token.IsZero())
	if err != nil {
		return nil, err
	}
	l, err := openListener(at, o.Token)
	if err != nil {
		at.leave()
		return nil, err
	}
	c := &Collector{
		writer: o.Writer, observer: o.Observer, watch: o.Watch, accept: o.Accept, failed: o.Failed, log: o.Log,
		endpoint: at, listener: l, closing: make(chan struct{}),
		unproven: unproven.New(unprovenPlaces), refused: unproven.NewRefusals(o.Log),
		registry: newRegistry(),
	}
	c.began, _ = sampleClock(wire.ClockTSC)
	c.selected = o.Selection
	if c.window = o.Window; c.window != nil {
		c.window.begin(c)
	}
	if c.observer == nil {
		c.observer = Nobody{}
	}
	if c.behind = o.Behind; c.behind == nil {
		c.behind = func() {}
	}
	return c, nil
}

// Address returns the path of the socket.
func (c *Collector) Address() string { return c.endpoint.path }

// Environment returns the variables that a traced program needs: the socket's path and, if connections must begin
// with a token, the token.
func (c *Collector) Environment() []string {
	variables := []string{"MTRACE_SOCKET=" + c.endpoint.path}
	if token := c.listener.token; !token.IsZero() {
		variables = append(variables, wire.TokenVariable+"="+token.String())
	}
	return variables
}

// Serve accepts connections until ctx is done or Close is called, and then returns nil. If the trace could not be
// written, or connections cannot be accepted, it returns the reason as an error.
func (c *Collector) Serve(ctx context.Context) error {
	c.mutex.Lock()
	if c.closed {
		defer c.mutex.Unlock()
		return c.failure
	}
	c.connections.Add(1) // Close waits for a connection that is being accepted
	c.mutex.Unlock()
	defer c.connections.Done()
	defer context.AfterFunc(ctx, c.shut)()
	for {
		arrived, err := c.listener.next()
		if err != nil {
			c.mutex.Lock()
			closed, failure := c.closed, c.failure
			c.mutex.Unlock()
			switch {
			case closed:
				return failure
			case noneLeft(err), errors.Is(err, syscall.ECONNABORTED):
				c.log.Warn().Err(err).Msg("a connection cannot be accepted now; trying again")
				time.Sleep(acceptPause)
				continue
			}
			return fmt.Errorf("accept connections: %w", err)
		}
		c.serve(arrived)
	}
}

// serve handles a connection in its own goroutine, which c.connections (a WaitGroup) counts. Call it only while
// another connection is counted or before Close waits: otherwise WaitGroup.Add would race with Wait.
func (c *Collector) serve(a *arrival) {
	c.connections.Go(func() { c.serveConnection(a) })
}

// settle waits until the collector has read the first message of every connection that the process has made so far.
// These messages tell whether another program has started in the same process (by exec).
func (c *Collector) settle(pid int) {
	if pid == 0 { // a process of another pid namespace; the kernel does not say which
		return
	}
	arrived, _ := c.listener.waiting()
	for _, a := range arrived {
		c.serve(a)
	}
	for _, a := range c.listener.of(pid) {
		<-a.heard
	}
}

// acceptAll starts to serve every connection that waits in the kernel. It returns false if the collector has no free
// file descriptor for one of them and none becomes free.
func (c *Collector) acceptAll() bool {
	for {
		arrived, crowded := c.listener.waiting()
		for _, a := range arrived {
			c.serve(a)
		}
		if crowded == nil {
			return true
		}
		if !c.listener.awaitHeard() {
			return false
		}
	}
}

// shut stops accepting: it accepts the connections that already wait, refuses later ones, and makes all connections
// finish. Only the first call has an effect.
func (c *Collector) shut() {
	c.shutting.Do(func() {
		c.mutex.Lock()
		c.closed = true
		c.mutex.Unlock()
		// Remove the socket first: while other processes can still connect, new connections keep arriving and
		// acceptAll might never finish.
		c.unreachable = c.endpoint.removed()
		os.Remove(c.endpoint.path)
		if !c.acceptAll() {
			for _, a := range c.listener.refuseRest() {
				c.notHeard(a, "the collector had no free file descriptor for its connection; "+
					"raise the limit with ulimit -n")
			}
		}
		c.listener.close()
		close(c.closing)
	})
}

// Close ends the recording, closes the trace and returns the first error of writing it. Call it once, after the
// traced program has ended. Processes that still run continue untraced, and the trace states that they were running.
func (c *Collector) Close() (Result, error) {
	c.shut()
	c.connections.Wait()
	c.finished.Do(func() {
		for _, w := range append(c.endpoint.notices(), c.children.takeNotices()...) {
			c.notTraced(w)
		}
		c.endpoint.leave()
		c.mutex.Lock()
		defer c.mutex.Unlock()
		r := tracefile.Result{Finished: time.Now().UnixNano(), Unreachable: c.unreachable}
		for _, p := range c.registry.living {
			if !c.registry.used[p.PID] {
				r.LivedOn = append(r.LivedOn, p)
			}
		}
		c.result.LivedOn = r.LivedOn
		if w := c.window; w != nil {
			w.Finish()
			c.writer.Recorded(w.recorded())
		}
		if c.unreachable != "" {
			c.result.Warnings = append(c.result.Warnings, c.unreachable)
		}
		if c.failure != nil {
			r.Note = c.failure.Error()
		}
		if err := c.writer.Close(r); c.failure == nil {
			c.failure = err
		}
		c.result.Bytes = c.writer.Size()
		if n := c.refused.Finish(); n > 0 {
			c.result.Refused = n
			c.result.Warnings = append(c.result.Warnings,
				fmt.Sprintf(
					"%d connections to the collector's socket were refused: they are not from the traced program", n))
		}
		if n, why := c.writer.LeftOut(); n > 0 {
			c.result.Lost += n
			c.result.Warnings = append(c.result.Warnings, fmt.Sprintf("%d records were left out: %v", n, why))
		}
	})
	c.mutex.Lock()
	defer c.mutex.Unlock()
	return c.result, c.failure
}

// written remembers the first error of writing the trace, logs it and calls Failed. It ignores nil and later errors.
func (c *Collector) written(err error) {
	if err == nil {
		return
	}
	c.mutex.Lock()
	first := c.failure == nil
	if first {
		c.failure = err
	}
	c.mutex.Unlock()
	if first {
		c.log.Error().Err(err).Msg("the trace cannot be written any more: from now on calls are only counted; " +
			"the programs continue")
		if c.failed != nil {
			c.failed(err)
		}
	}
}
