// Package collector receives the records of traced processes and writes them into one trace: over a unix socket while
// their drainers keep up, and out of their shared memory when they do not, or are gone. Every record that was published
// is in the trace exactly once, however its process ended.
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
	// Path is the socket itself; a socket left there by a collector that is gone is replaced. Empty for one in Dir.
	Path string
	// Dir is the directory for the socket: made, or this user's alone. Empty for a new temporary one.
	Dir string
	// Token, unless it is zero, is what each connection must begin with. It is for the environment of the traced
	// programs, and of no others: see Collector.Environment. With a token and neither Path nor Dir, root's collector
	// also takes processes of other users.
	Token wire.Token
	// Writer is the trace. The Collector closes it.
	Writer *tracefile.Writer
	// Log gets one line for each thing that is not as it should be. The zero value is silent.
	Log zerolog.Logger
	// Accept, when there is one, says which processes to record. It may wait: it is asked once for each, before
	// anything else.
	Accept func(wire.Hello) bool
	// Window, when there is one, says which times are kept. Nil is all.
	Window *Window
	// Selection, when there is one, says which calls are kept. Nil is all.
	Selection *Selection
	// Observer, if set, sees each record as it arrives.
	Observer Observer
	// Watch, if set, gets several times a second what the threads of each process are doing.
	Watch func(tracefile.ProcessIndex, Sight)
	// Failed, when there is one, is called once when the trace cannot be written any more. The recording continues: from
	// then on what happens is counted, so that the trace can say what it lacks.
	Failed func(error)
	// Behind, when there is one, is called each time a ring was found more than half full of new records: they come
	// faster than they are read.
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
	began    wire.ClockSample // of our own, where there are ticks

	shutting    sync.Once
	unreachable string // why programs could not find it any more; known when it has shut
	closing     chan struct{}
	connections sync.WaitGroup // and Serve

	mutex    sync.Mutex // guards what follows; taken after a process's
	closed   bool
	registry registry
	failure  error
	result   Result
	finished sync.Once
}

// New makes the socket. From then on connections wait for Serve.
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

// Environment returns the variables by which the library finds the collector and is believed by it.
func (c *Collector) Environment() []string {
	variables := []string{"MTRACE_SOCKET=" + c.endpoint.path}
	if token := c.listener.token; !token.IsZero() {
		variables = append(variables, wire.TokenVariable+"="+token.String())
	}
	return variables
}

// Serve accepts connections until ctx is done, Close is called or the trace cannot be written any more; the last is the
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

// serve handles a connection in a goroutine of its own. The caller counts as a connection, or nobody waits yet.
func (c *Collector) serve(a *arrival) {
	c.connections.Go(func() { c.serveConnection(a) })
}

// settle waits until all connections that a process has made until now are known for what they are.
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

// acceptAll serves all connections that wait. It returns false when there is no descriptor for one of them, and none
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

// shut stops accepting, after those that have connected already, and tells all connections to come to their end.
func (c *Collector) shut() {
	c.shutting.Do(func() {
		c.mutex.Lock()
		c.closed = true
		c.mutex.Unlock()
		// The socket goes first: as long as others can connect, the backlog has no end.
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

// Close ends the recording: processes that are still running keep what was recorded of them, and it is reported that
// they were. It closes the trace and reports the first failure to write it. Call it once what was traced is gone.
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
		c.log.Error().Err(err).Msg("the trace cannot be written any more: from here on calls are counted and not kept; " +
			"the programs continue")
		if c.failed != nil {
			c.failed(err)
		}
	}
}
