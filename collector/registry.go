package collector

import (
	"syscall"
	"time"

	"mtrace/collector/tracefile"
)

// A registry has the processes of a recording, most of them by the kernel's process id. The Collector's mutex guards
// it.
type registry struct {
	running map[int]*running
	newest  map[int]uint64     // the number of the latest connection that said hello
	ended   map[int]*ended     // their exit status may still arrive
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

// A running is a connected process, and the channel that is closed when another program replaces it in the same
// process.
type running struct {
	process  *process
	replaced chan struct{}
}

// ended is a process whose end was written.
type ended struct {
	index tracefile.ProcessIndex
	end   tracefile.End
}

// LivedOn stores the program's processes that are running when the recording is about to end. Close adds those that
// have not used Metal to the trace; the others are already known.
func (c *Collector) LivedOn(living []tracefile.Living) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	c.registry.living = living
}

// Connected returns the processes that have said hello and not ended.
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

// ProcessExited reports how a process that the caller waited for ended, and the processor time of it and of the
// children it waited for. It may be called before or after the process's connection ends.
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

// processBegan notes a process that said hello. replaced is closed when another program, which connected later, says
// hello from the same process, or has done so already: the earlier program is gone.
func (c *Collector) processBegan(p *process) (replaced <-chan struct{}) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	r := &running{p, make(chan struct{})}
	if p.peer == 0 { // from another namespace, whose ids are not visible here
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

// processEnded writes a process's end.
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

// processVanished removes a process that only said hello before another program replaced it.
func (c *Collector) processVanished(p *process) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if r := c.registry.running[p.peer]; r != nil && r.process == p {
		delete(c.registry.running, p.peer)
	}
	c.observer.Vanished(p.trace.hello)
}
