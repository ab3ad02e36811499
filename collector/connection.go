package collector

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// helloPatience is how long a connection may take to send its hello.
const helloPatience = 10 * time.Second

// aLongTimeAgo is a deadline that has passed.
var aLongTimeAgo = time.Unix(1, 0)

// serveConnection handles one connection from its hello to the end of its process.
func (c *Collector) serveConnection(a *arrival) {
	defer a.conn.Close()
	r := &descriptorReader{conn: a.conn}
	defer func() {
		for fd := r.take(); fd >= 0; fd = r.take() {
			unix.Close(fd)
		}
	}()
	in := bufio.NewReaderSize(r, 1<<16)
	if p, replaced := c.welcome(a, r, in); p != nil {
		p.serve(a.conn, in, replaced)
	}
}

// errOtherUser is the reason for refusing a connection of another user.
func errOtherUser(uid int) error { return fmt.Errorf("it belongs to user %d", uid) }

// refuse counts a connection that is not trusted. Nothing about it, and nothing it sent, becomes part of the trace.
func (c *Collector) refuse(a *arrival, why error) {
	c.refused.Add(fmt.Sprintf("process %d of user %d", a.pid, a.uid), why)
}

// welcome identifies the process of a connection; it returns nil if the connection must be closed.
func (c *Collector) welcome(a *arrival, r *descriptorReader, in *bufio.Reader) (p *process, replaced <-chan struct{}) {
	defer c.listener.hear(a)
	if a.err != nil {
		c.notHeard(a, "its connection was refused: "+a.err.Error())
		return nil, nil
	}
	hello, err := c.hear(a, r, in)
	if err != nil {
		return nil, nil
	}
	r.readUntil(time.Time{})
	if hello.Children {
		c.children.take(r, hello.Program)
		hello.Children = false
	}
	if c.accept != nil && !c.accept(hello) {
		return nil, nil
	}
	number := a.pid
	if number == unknownPID {
		number = hello.PID
	}
	p = newProcess(c, hello, number)
	p.number, p.reader = a.number, r
	return p, c.processBegan(p)
}

// hear reads the first frames of a connection. It logs errors.
func (c *Collector) hear(a *arrival, r *descriptorReader, in *bufio.Reader) (hello wire.Hello, err error) {
	said := make(chan struct{})
	defer close(said)
	go func() {
		if stillAlive(nil, nil, c.closing, said) {
			select {
			case <-said:
			default:
				r.end()
			}
		}
	}()
	if err = c.prove(a, r); err != nil {
		if err != io.EOF {
			c.refuse(a, err)
		}
		return hello, err
	}
	r.readUntil(time.Now().Add(helloPatience))
	// a connection that ends here only checked whether a collector listens, or its process was killed before it sent
	// its hello
	if hello, err = readHello(in); err == nil || isEnd(err) {
		return hello, err
	}
	c.log.Warn().Int("pid", a.pid).Err(err).Msg("a connection was closed: its first frame was not a valid hello")
	if !errors.Is(err, os.ErrDeadlineExceeded) { // a slow process connects again, or reports that it could not
		c.notTraced(notice{pid: max(a.pid, 0), why: "not traced: " + err.Error()})
	}
	return hello, err
}

// notHeard records that a process is not traced because the collector could not read its connection. It does nothing
// for a process that is known not to belong to the program.
func (c *Collector) notHeard(a *arrival, why string) {
	if !a.own() && (a.state != tokenRight || !c.endpoint.shared) {
		c.refuse(a, errors.New(why))
		return
	}
	c.log.Warn().Int("pid", a.pid).Str("why", why).Msg("a connection was refused")
	c.notTraced(notice{pid: max(a.pid, 0), why: "not traced: " + why})
}

// serve handles the connection of a process that said hello, to the process's end.
func (p *process) serve(conn *os.File, in *bufio.Reader, replaced <-chan struct{}) {
	died, stop := watchDeath(conn, p.peer)
	defer stop()
	over := make(chan bool, 1) // receives whether the process is still alive
	given := make(chan struct{})
	defer close(given)
	go func() {
		over <- stillAlive(died, replaced, p.collector.closing, given) && !gone(p.peer)
		p.reader.end()
	}()
	if failure := p.readFrames(in); failure != nil {
		p.collector.log.Warn().Int("pid", p.peer).Str("program", p.trace.hello.Program).Err(failure).
			Msg("the connection of a process was ended, and its trace with it")
		conn.Close()
		alive := true
		select {
		case <-died:
			alive = false
		default:
		}
		p.end(alive, failure, func() error { return nil })
		return
	}
	// the connection has ended; the process may continue without a drainer
	alive := <-over
	p.collector.settle(p.peer) // another program in the same process may have connected and not been identified
	p.trace.mutex.Lock()
	added := p.trace.added
	p.trace.mutex.Unlock()
	select {
	case <-replaced:
		alive = false
		if !added {
			p.collector.processVanished(p)
			return
		}
	default:
	}
	p.end(alive, nil, func() error { return p.readFrames(in) })
}

// closeGrace is how long the end of a recording waits for processes that are about to end.
const closeGrace = 20 * time.Millisecond

// stillAlive waits for the end of the process, of its program (another program replaced it), of the recording, or of
// the wait itself. It returns true only if the recording ends first.
func stillAlive(died, replaced, closing, given <-chan struct{}) bool {
	select {
	case <-died:
		return false
	case <-replaced:
		return false
	case <-given:
		return true
	case <-closing:
	}
	select {
	case <-died:
		return false
	case <-replaced:
		return false
	case <-time.After(closeGrace):
		return true
	}
}

// gone reports whether no process has a process id any more. Use it before a process is reported as still running: on a
// busy machine its death may be visible here first.
func gone(pid int) bool { return pid != 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
