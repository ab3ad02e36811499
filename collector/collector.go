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
	// Path is the path of the socket. A socket of a collector that has ended is replaced. Empty for a socket in Dir.
	Path string
	// Dir is the directory for the socket: created, or accessible only to this user. Empty for a new temporary
	// directory.
	Dir string
	// Token, unless it is zero, must begin each connection. Only the environment of the traced programs may contain it:
	// see Collector.Environment. With a token and neither Path nor Dir, root's collector also accepts processes of
	// other users.
	Token wire.Token
	// Writer is the trace. The Collector closes it.
	Writer *tracefile.Writer
	// Log gets one line for each irregularity. The zero value is silent.
	Log zerolog.Logger
	// Accept, if set, decides whether to record a process. It may block: it is called once for each process, before
	// anything else.
	Accept func(wire.Hello) bool
	// Window, if set, decides which times are kept. Nil keeps all.
	Window *Window
	// Selection, if set, decides which calls are kept. Nil keeps all.
	Selection *Selection
	// Observer, if set, sees each record as it arrives.
	Observer Observer
	// Watch, if set, receives several times a second what the threads of each process are doing.
	Watch func(tracefile.ProcessIndex, Sight)
	// Failed, if set, is called once when the trace can no longer be written. The recording continues: later records
	// are counted, so that the trace can state what it lacks.
	Failed func(error)
	// Behind, if set, is called each time a ring was found more than half full: its records arrive faster than they are
	// read.
	Behind func()
}

// A Collector receives from any number of processes at once.
type Collector struct {
	writer   *tracefile.Writer
	observer Observer
	watch    func(tracefile.ProcessIndex, Sight) // nil when nobody asks
	window   *Window                             // nil when all is kept
	selected *Selection                          // nil when all is kept
	accept   func(wire.Hello) bool
	failed   func(error)
	behind   func()
	log      zerolog.Logger
	endpoint *endpoint
	children children
	listener *listener
	unproven *unproven.Connections // of other users
	refused  *unproven.Refusals
	began    wire.ClockSample // a sample of the collector's own clock, on machines with ticks

	shutting    sync.Once
	unreachable string // why programs could not find the collector any more; known after it has shut down
	closing     chan struct{}
	connections sync.WaitGroup // and Serve

	mutex    sync.Mutex // guards what follows; taken after a process's
	closed   bool
	registry registry
	failure  error
	result   Result
	finished sync.Once
}

// New creates the socket. From then on connections wait for Serve.
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

// Address is the path of the socket.
func (c *Collector) Address() string { return c.endpoint.path }

// Environment returns the variables with which the library finds the collector and proves itself.
func (c *Collector) Environment() []string {
	variables := []string{"MTRACE_SOCKET=" + c.endpoint.path}
	if token := c.listener.token; !token.IsZero() {
		variables = append(variables, wire.TokenVariable+"="+token.String())
	}
	return variables
}

// Serve accepts connections until ctx is done, Close is called or the trace can no longer be written, which is the only
// error.
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
				c.log.Warn().Err(err).Msg("a connection could not be accepted yet")
				time.Sleep(acceptPause)
				continue
			}
			return fmt.Errorf("accept connections: %w", err)
		}
		c.serve(arrived)
	}
}

// serve handles a connection in its own goroutine. The caller must count as a connection, or nobody may be waiting for
// connections yet.
func (c *Collector) serve(a *arrival) {
	c.connections.Go(func() { c.serveConnection(a) })
}

// settle waits until all connections that a process has made so far are identified.
func (c *Collector) settle(pid int) {
	if pid == 0 { // anybody of another namespace
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

// acceptAll serves all waiting connections. It returns false if there is no descriptor for one of them, and none
// becomes free.
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

// shut stops accepting, after the connections that exist already, and makes all connections finish.
func (c *Collector) shut() {
	c.shutting.Do(func() {
		c.mutex.Lock()
		c.closed = true
		c.mutex.Unlock()
		// The socket is removed first: as long as others can connect, the backlog has no end.
		c.unreachable = c.endpoint.removed()
		os.Remove(c.endpoint.path)
		if !c.acceptAll() {
			for _, a := range c.listener.refuseRest() {
				c.notHeard(a, "the collector had no descriptor left to hear it by; raise the limit with ulimit -n")
			}
		}
		c.listener.close()
		close(c.closing)
	})
}

// Close ends the recording. Processes that are still running keep their records, and the trace states that they were
// running. It closes the trace and returns the first failure to write it. It must be called once, after the traced
// program has ended.
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
				fmt.Sprintf("connections to the collector's socket that were refused, because they are not of the program: %d", n))
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

// written notes the first failure to write the trace.
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
