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

// helloPatience is how long the collector waits for a connection's hello (its first message) before closing it.
const helloPatience = 10 * time.Second

// aLongTimeAgo is a deadline in the past: setting it makes a blocked read return at once.
var aLongTimeAgo = time.Unix(1, 0)

// serveConnection handles one connection: it reads the hello (the first message), then receives records until the
// process ends. It closes the connection and unused descriptors.
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

func errOtherUser(uid int) error { return fmt.Errorf("it belongs to user %d", uid) }

// refuse counts a connection that is not trusted, for example one of another user. Nothing that the connection sent
// is written to the trace.
func (c *Collector) refuse(a *arrival, why error) {
	c.refused.Add(fmt.Sprintf("process %d of user %d", a.pid, a.uid), why)
}

// welcome reads the hello of a connection and registers its process. It returns nil if the caller must close the
// connection. replaced is closed when another program starts in the same process (exec).
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

// hear checks the token of a connection and reads its hello. Errors are logged or counted here; the caller only
// closes the connection.
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
	// A connection that ends before its hello is no error: another collector only checked whether this one listens,
	// or the process was killed.
	if hello, err = readHello(in); err == nil || isEnd(err) {
		return hello, err
	}
	c.log.Warn().Int("pid", a.pid).Err(err).Msg("a connection was closed: its first frame was not a valid hello")
	if !errors.Is(err, os.ErrDeadlineExceeded) { // a slow process connects again, or reports that it could not
		c.notTraced(notice{pid: max(a.pid, 0), why: "not traced: " + err.Error()})
	}
	return hello, err
}

// notHeard adds a process to the trace as not traced, with the reason why its connection could not be read. If the
// connection belongs to another user and has not proved its token, it is only counted as refused.
func (c *Collector) notHeard(a *arrival, why string) {
	if !a.own() && (a.state != tokenRight || !c.endpoint.shared) {
		c.refuse(a, errors.New(why))
		return
	}
	c.log.Warn().Int("pid", a.pid).Str("why", why).Msg("a connection was refused")
	c.notTraced(notice{pid: max(a.pid, 0), why: "not traced: " + why})
}

// serve reads a process's frames until the process has ended, was replaced by another program or the recording ends.
// Then it writes the process's end to the trace.
func (p *process) serve(conn *os.File, in *bufio.Reader, replaced <-chan struct{}) {
	died, stop := watchDeath(conn, p.peer)
	defer stop()
	over := make(chan bool, 1) // receives whether the process is still alive
	given := make(chan struct{})
	defer close(given)
	go func() {
		over <- stillAlive(died, replaced, p.collector.closing, given) && !processGone(p.peer)
		p.reader.end()
	}()
	if failure := p.readFrames(in); failure != nil {
		p.collector.log.Warn().Int("pid", p.peer).Str("program", p.trace.hello.Program).Err(failure).
			Msg("the connection of a process was closed after an error: its later calls are not in the trace")
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
	// The process has sent its last frame. It may still run, for instance if it closed the socket itself;
	// stillAlive waits until that is known.
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

// closeGrace is how long the collector, when the recording ends, waits for processes that are just ending. Without it
// the trace would describe them as still running.
const closeGrace = 20 * time.Millisecond

// stillAlive waits for one of four events: the process ends (`died`), another program replaces it (`replaced`), the
// recording ends (`closing`), or nobody needs the answer any more (`given`). It returns true if the process still
// runs at the end of the recording, and after `given`.
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

// processGone reports whether no process has this id. Call it before reporting a process as still running: on a busy
// machine a process may disappear before watchDeath closes its channel.
func processGone(pid int) bool { return pid != 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
