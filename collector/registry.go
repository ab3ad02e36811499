package collector

import (
	"strings"
	"syscall"
	"time"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A registry holds the processes of a recording. Most of its maps are indexed by the process id that the kernel
// reported. The Collector's mutex guards it.
type registry struct {
	running map[int]*running
	newest  map[int]uint64     // the number of the latest connection that said hello
	ended   map[int]*ended     // processes that ended; their exit status may still arrive
	exits   map[int]exit       // by process id: how processes ended whose end is not written yet
	used    map[int]bool       // processes that used Metal and were running when their part of the trace ended
	living  []tracefile.Living // see LivedOn
}

func newRegistry() registry {
	return registry{
		running: map[int]*running{}, newest: map[int]uint64{}, ended: map[int]*ended{}, exits: map[int]exit{},
		used: map[int]bool{},
	}
}

// A running is a connected process. replaced is closed when another program starts in the same process (exec).
type running struct {
	process  *process
	replaced chan struct{}
}

// An ended is a process whose end was written. It is kept because the process's exit status may arrive later, and is
// then added.
type ended struct {
	index tracefile.ProcessIndex
	end   tracefile.End
}

// LivedOn stores which processes of the program still run just before the recording ends. Processes that used Metal
// are already in the trace; Close adds the remaining ones.
func (c *Collector) LivedOn(living []tracefile.Living) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.registry.living = living
}

// Connected returns the processes that have connected and not ended.
func (c *Collector) Connected() (all []tracefile.Living) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	for pid, r := range c.registry.running {
		all = append(all, tracefile.Living{PID: pid, Program: r.process.trace.hello.Program})
	}
	return all
}

// An exit describes how a process ended and how much processor time it used.
type exit struct {
	status syscall.WaitStatus
	cpu    time.Duration
}

// ProcessExited stores the exit status of a process that the caller waited for, and the processor time of that
// process and its children. It may be called before or after the process's connection ends.
func (c *Collector) ProcessExited(pid int, status syscall.WaitStatus, cpu time.Duration) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if e := c.registry.ended[pid]; e != nil && c.registry.running[pid] == nil {
		delete(c.registry.ended, pid)
		setExit(&e.end, exit{status, cpu})
		c.writer.EndProcess(e.index, e.end) // the writer keeps the error
		return
	}
	c.registry.exits[pid] = exit{status, cpu}
}

func setExit(end *tracefile.End, e exit) {
	end.ExitKnown, end.CPU = true, int64(e.cpu)
	if e.status.Signaled() {
		end.Signal = int(e.status.Signal())
	} else {
		end.ExitStatus = e.status.ExitStatus()
	}
}

// processBegan registers a process that said hello. It returns a channel that is closed when a later connection from
// the same process says hello: another program has started in it (exec). If that has already happened, the channel is
// returned closed.
func (c *Collector) processBegan(p *process) (replaced <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	r := &running{p, make(chan struct{})}
	if p.peer == 0 { // a process of another pid namespace, whose id is not visible here
		return r.replaced
	}
	if p.number < c.registry.newest[p.peer] {
		close(r.replaced)
		return r.replaced
	}
	c.registry.newest[p.peer] = p.number
	if before := c.registry.running[p.peer]; before != nil {
		close(before.replaced)
	}
	delete(c.registry.ended, p.peer)
	c.registry.running[p.peer] = r
	return r.replaced
}

// processEnded writes the end of a process to the trace, with its exit status if that is known already, and adds it
// to the result.
func (c *Collector) processEnded(p *process, end tracefile.End) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.registry.running[p.peer]; r != nil && r.process == p {
		delete(c.registry.running, p.peer)
		if status, known := c.registry.exits[p.peer]; known {
			delete(c.registry.exits, p.peer)
			setExit(&end, status)
		} else {
			c.registry.ended[p.peer] = &ended{p.trace.index, end}
		}
	}
	if end.Running {
		c.registry.used[p.peer] = true
	}
	if err := c.writer.EndProcess(p.trace.index, end); err != nil && c.failure == nil {
		c.failure = err
	}
	c.observer.End(p.trace.index, end)
	c.result.add(p, &end)
}

// processVanished forgets a process that connected and recorded nothing before another program took its place (exec):
// the trace does not list it.
func (c *Collector) processVanished(p *process) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.registry.running[p.peer]; r != nil && r.process == p {
		delete(c.registry.running, p.peer)
	}
	c.observer.Vanished(p.trace.hello)
}

// notTraced adds a process without records to the trace, with the reason why it is not traced. The process counts in
// Result.Processes.
func (c *Collector) notTraced(w notice) {
	p := newProcess(c, wire.Hello{Version: wire.Version, PID: w.pid, Program: w.program}, 0)
	p.trace.mutex.Lock()
	p.trace.add()
	p.trace.handFacts([]wire.Fact{{Kind: wire.FactWarning, Key: wire.NotTraced, Text: strings.ToValidUTF8(w.why, "?")}})
	p.trace.mutex.Unlock()
	c.processEnded(p, tracefile.End{Unix: time.Now().UnixNano()})
}
