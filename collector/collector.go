// Package collector receives the records of traced processes and writes them into one trace: over a unix socket while their
// drainers keep up, and out of their shared memory when they do not, or are gone. Every record that was published is in the
// trace exactly once, however its process ended.
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
	// Token, unless it is zero, is what each connection must begin with. It is for the environment of the traced programs, and of no others: see
	// Collector.Environment. With a token and neither Path nor Dir, root's collector also takes processes of other users.
	Token wire.Token
	// Writer is the trace. The Collector closes it.
	Writer *tracefile.Writer
	// Log gets one line for each thing that is not as it should be. The zero value is silent.
	Log zerolog.Logger
	// Accept, when there is one, says which processes to record. It may wait: it is asked once for each, before anything else.
	Accept func(wire.Hello) bool
	// Window, when there is one, says which times are kept. Nil is all.
	Window *Window
	// Selection, when there is one, says which calls are kept. Nil is all.
	Selection *Selection
	// Observer, when there is one, is told what is recorded as it arrives.
	Observer Observer
	// Watch, when there is one, is told several times a second what the threads of each process are at.
	Watch func(tracefile.ProcessIndex, Sight)
	// Failed, when there is one, is called once when the trace cannot be written any more. The recording goes on: from then on
	// what happens is counted, so that the trace can say what it lacks.
	Failed func(error)
	// Behind, when there is one, is called each time a ring was found more than half full of new records: they come faster than they are read.
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
	place    *place
	children children
	door     *door
	unproven *unproven.Connections // of other users
	refused  *unproven.Refusals
	began    wire.ClockSample // of our own, where there are ticks

	shutting    sync.Once
	unreachable string // why programs could not find it any more; known when it has shut
	closing     chan struct{}
	connections sync.WaitGroup // and Serve

	mutex    sync.Mutex // guards what follows; taken after a process's
	closed   bool
	running  map[int]*running // by the kernel's process id
	newest   map[int]uint64   // by the same: the number of the latest connection that said hello
	ended    map[int]*ended   // whose exit status may still come
	exits    map[int]exit
	living   []tracefile.Living // see LivedOn
	used     map[int]bool       // by the kernel's process id: it used Metal and lived on when its part of the trace ended
	failure  error
	result   Result
	finished sync.Once
}

// running is a process that is connected, and how to tell it that another program took its place in the same process id.
type running struct {
	process  *process
	replaced chan struct{}
}

// ended is a process whose end was written.
type ended struct {
	index tracefile.ProcessIndex
	end   tracefile.End
}

// A Result is what a recording amounts to.
type Result struct {
	Processes int    // with those that are not traced
	Events    uint64 // calls and other events in the trace
	Records   uint64 // with the More records that belong to them
	Salvaged  uint64 // of Records, those read from the shared memory of processes that were gone
	Lost      uint64 // records that were made and are not in the trace, whatever the reason
	Bytes     int64  // size of the trace
	// LivedOn are processes of the program that had not used Metal when the recording ended, and still ran.
	LivedOn  []tracefile.Living
	Refused  uint64   // connections that were not believed; their processes are not counted
	Warnings []string // one line each
}

// New makes the socket. From then on connections wait for Serve.
func New(o Options) (*Collector, error) {
	place, err := takePlace(o.Path, o.Dir, !o.Token.IsZero())
	if err != nil {
		return nil, err
	}
	door, err := openDoor(place, o.Token)
	if err != nil {
		place.leave()
		return nil, err
	}
	c := &Collector{
		writer: o.Writer, observer: o.Observer, watch: o.Watch, accept: o.Accept, failed: o.Failed, log: o.Log, place: place, door: door, closing: make(chan struct{}),
		unproven: unproven.New(unprovenPlaces), refused: unproven.NewRefusals(o.Log),
		running: map[int]*running{}, newest: map[int]uint64{}, ended: map[int]*ended{}, exits: map[int]exit{}, used: map[int]bool{},
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
func (c *Collector) Address() string { return c.place.path }

// Environment returns the variables by which the library finds the collector and is believed by it.
func (c *Collector) Environment() []string {
	variables := []string{"MTRACE_SOCKET=" + c.place.path}
	if token := c.door.token; !token.IsZero() {
		variables = append(variables, wire.TokenVariable+"="+token.String())
	}
	return variables
}

// Serve accepts connections until ctx is done, Close is called or the trace cannot be written any more; the last is the error.
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
		arrived, err := c.door.next()
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
	arrived, _ := c.door.waiting()
	for _, a := range arrived {
		c.serve(a)
	}
	for _, a := range c.door.of(pid) {
		<-a.heard
	}
}

// letIn lets in those who stand at the door; false when there is no descriptor for one of them, and none becomes free.
func (c *Collector) letIn() bool {
	for {
		arrived, crowded := c.door.waiting()
		for _, a := range arrived {
			c.serve(a)
		}
		if crowded == nil {
			return true
		}
		if !c.door.hearing() {
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
		// Who comes from now on finds no door: those who stand at it would not be the last while others go on coming.
		c.unreachable = c.place.removed()
		os.Remove(c.place.path)
		if !c.letIn() {
			for _, a := range c.door.lastOnes() {
				c.notHeard(a, "the collector had no descriptor left to hear it by; raise the limit with ulimit -n")
			}
		}
		c.door.close()
		close(c.closing)
	})
}

// Close ends the recording: processes that are still running keep what was recorded of them, and it is said that they were.
// It closes the trace and reports the first failure to write it. Call it once what was traced is gone.
func (c *Collector) Close() (Result, error) {
	c.shut()
	c.connections.Wait()
	c.finished.Do(func() {
		for _, w := range append(c.place.words(), c.children.said()...) {
			c.notTraced(w)
		}
		c.place.leave()
		c.mutex.Lock()
		defer c.mutex.Unlock()
		r := tracefile.Result{Finished: time.Now().UnixNano(), Unreachable: c.unreachable}
		for _, p := range c.living {
			if !c.used[p.PID] {
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
			c.result.Warnings = append(c.result.Warnings, fmt.Sprintf("connections to the collector's socket that were refused, because they are not of the program: %d", n))
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
		c.log.Error().Err(err).Msg("the trace cannot be written any more: from here on calls are counted and not kept; the programs go on")
		if c.failed != nil {
			c.failed(err)
		}
	}
}

// LivedOn notes the processes of the program that run when the recording is about to end; Close writes those that have not used Metal
// into the trace. Those that have are known to the Collector.
func (c *Collector) LivedOn(living []tracefile.Living) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.living = living
}

// Connected returns the processes that have said hello and not ended.
func (c *Collector) Connected() (all []tracefile.Living) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for pid, r := range c.running {
		all = append(all, tracefile.Living{PID: pid, Program: r.process.hello.Program})
	}
	return all
}

// An exit is how a process ended and how much processor time it used.
type exit struct {
	status syscall.WaitStatus
	cpu    time.Duration
}

// ProcessExited says how a process that the caller waited for ended, and the processor time that it and the children it waited
// for used. It may come before or after the process's connection ends.
func (c *Collector) ProcessExited(pid int, status syscall.WaitStatus, cpu time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if e := c.ended[pid]; e != nil && c.running[pid] == nil {
		delete(c.ended, pid)
		setExit(&e.end, exit{status, cpu})
		c.writer.EndProcess(e.index, e.end) // a failure is kept by the writer
		return
	}
	c.exits[pid] = exit{status, cpu}
}

func setExit(end *tracefile.End, e exit) {
	end.ExitKnown, end.CPU = true, int64(e.cpu)
	if e.status.Signaled() {
		end.Signal = int(e.status.Signal())
	} else {
		end.ExitStatus = e.status.ExitStatus()
	}
}

// processBegan notes a process that said hello. replaced is closed when another program, which connected later, says hello from
// the same process id, or has done so already: what connected before is gone.
func (c *Collector) processBegan(p *process) (replaced <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	r := &running{p, make(chan struct{})}
	if p.peer == 0 { // of another namespace, whose numbers are not seen here
		return r.replaced
	}
	if p.number < c.newest[p.peer] {
		close(r.replaced)
		return r.replaced
	}
	c.newest[p.peer] = p.number
	if before := c.running[p.peer]; before != nil {
		close(before.replaced)
	}
	delete(c.ended, p.peer)
	c.running[p.peer] = r
	return r.replaced
}

// processEnded writes a process's end.
func (c *Collector) processEnded(p *process, end tracefile.End) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.running[p.peer]; r != nil && r.process == p {
		delete(c.running, p.peer)
		if status, known := c.exits[p.peer]; known {
			delete(c.exits, p.peer)
			setExit(&end, status)
		} else {
			c.ended[p.peer] = &ended{p.index, end}
		}
	}
	if end.Running {
		c.used[p.peer] = true
	}
	if err := c.writer.EndProcess(p.index, end); err != nil && c.failure == nil {
		c.failure = err
	}
	c.observer.End(p.index, end)
	c.result.add(p, &end)
}

// processVanished forgets a process that said hello and nothing else, and whose place another took.
func (c *Collector) processVanished(p *process) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.running[p.peer]; r != nil && r.process == p {
		delete(c.running, p.peer)
	}
	c.observer.Vanished(p.hello)
}

func (r *Result) add(p *process, end *tracefile.End) {
	r.Processes++
	r.Events += p.events
	r.Records += p.records
	r.Salvaged += end.Salvaged
	r.Lost += end.Lost() + p.missing
	warn := func(format string, args ...any) {
		r.Warnings = append(r.Warnings, fmt.Sprintf("process %d (%s): ", p.hello.PID, p.hello.Program)+fmt.Sprintf(format, args...))
	}
	if end.Note != "" {
		warn("%s", end.Note)
	}
	for _, line := range end.Distrusted {
		warn("%s", line)
	}
	if p.untraced != "" {
		warn("%s", p.untraced)
	}
	if n := end.Lost() - end.Unringed; n > 0 {
		warn("%d records were dropped because its rings were full; try --on-full block", n)
	}
	if n := end.Unringed; n > 0 {
		warn("%d records were dropped of threads beyond the %d of a process that are recorded at once", n, wire.RingCount)
	}
	if p.missing > 0 {
		warn("%d records were handed over and did not arrive", p.missing)
	}
}
