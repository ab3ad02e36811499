package collector

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// helloPatience is how long a connection may take to say who it is.
const helloPatience = 10 * time.Second

// aLongTimeAgo is a deadline that has passed.
var aLongTimeAgo = time.Unix(1, 0)

// serveConnection handles one connection from its hello to the end of its process.
func (c *Collector) serveConnection(a *arrival) {
	if a.conn != nil {
		defer a.conn.Close()
	}
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

// errOtherUser is why a connection of another user is refused where that user may not connect.
func errOtherUser(uid int) error { return fmt.Errorf("it belongs to user %d", uid) }

// refuse counts a connection that is not believed. What it is, and what it wanted to say, is no part of the trace.
func (c *Collector) refuse(a *arrival, why error) {
	c.refused.Add(fmt.Sprintf("process %d of user %d", a.pid, a.uid), why)
}

// welcome finds out whose connection it is; nil when it is to be ended.
func (c *Collector) welcome(a *arrival, r *descriptorReader, in *bufio.Reader) (p *process, replaced <-chan struct{}) {
	defer c.door.hear(a)
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
	p = &process{collector: c, hello: hello, peer: number, number: a.number, began: time.Now(), reader: r, hurry: make(chan struct{}, 1), stopWatching: func() {}}
	return p, c.processBegan(p)
}

// hear reads what a connection has to say first. It says of an error what has to be said.
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
	if hello, err = readHello(in); err == nil || isEnd(err) { // one that ends looked whether we are there, or was killed before it said who it is
		return hello, err
	}
	c.log.Warn().Int("pid", a.pid).Err(err).Msg("a connection was ended: it did not say hello as it should")
	if !errors.Is(err, os.ErrDeadlineExceeded) { // who is too slow comes again, or says that it could not
		c.notTraced(word{pid: max(a.pid, 0), why: "not traced: " + err.Error()})
	}
	return hello, err
}

// notHeard says of a connection that could not be heard, for a reason of ours, that its process is not traced; but not of one that is known to be no
// process of the program.
func (c *Collector) notHeard(a *arrival, why string) {
	if !a.own() && (a.state != tokenRight || !c.place.shared) {
		c.refuse(a, errors.New(why))
		return
	}
	c.log.Warn().Int("pid", a.pid).Str("why", why).Msg("a connection was refused")
	c.notTraced(word{pid: max(a.pid, 0), why: "not traced: " + why})
}

// serve handles the connection of a process that said hello, to the process's end.
func (p *process) serve(conn *net.UnixConn, in *bufio.Reader, replaced <-chan struct{}) {
	died, stop := watchDeath(conn, p.peer)
	defer stop()
	over := make(chan bool, 1) // says whether it is still alive
	given := make(chan struct{})
	defer close(given)
	go func() {
		over <- stillAlive(died, replaced, p.collector.closing, given) && !gone(p.peer)
		p.reader.end()
	}()
	if failure := p.readFrames(in); failure != nil {
		p.collector.log.Warn().Int("pid", p.peer).Str("program", p.hello.Program).Err(failure).Msg("the connection of a process was ended, and its trace with it")
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
	// The connection has ended; the process may go on without a drainer.
	alive := <-over
	p.collector.settle(p.peer) // another program that took its place may have connected and not been heard
	p.mutex.Lock()
	added := p.added
	p.mutex.Unlock()
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

// closeGrace is how long the end of a recording waits for processes that are about to end too.
const closeGrace = 20 * time.Millisecond

// stillAlive waits for the end: of the process, of its program (another took its place), of the recording, or of the wait
// itself. Only when the recording ends first, it is alive.
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

// gone says that no process has a number any more. That one has died may be known here before it has been heard of: on a busy machine a
// program that had ended, and been waited for, was said to be still running.
func gone(pid int) bool { return pid != 0 && errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// readHello reads the hello. A token before it is passed over: where one is asked for, it has been read already.
func readHello(in *bufio.Reader) (hello wire.Hello, err error) {
	h, err := wire.ReadFrameHeader(in)
	if err == nil && h.Kind == wire.FrameToken {
		if _, err = in.Discard(int(h.Length)); err == nil {
			h, err = wire.ReadFrameHeader(in)
		}
	}
	if err != nil {
		return hello, err
	}
	if h.Kind != wire.FrameHello {
		return hello, fmt.Errorf("frame: the first is of kind %d, not a hello", h.Kind)
	}
	payload := make([]byte, h.Length)
	if _, err := io.ReadFull(in, payload); err != nil {
		return hello, err
	}
	return wire.DecodeHello(payload)
}

// readFrames reads frames to the end of the connection or of the process. A frame cut by the end is not an error: its slots
// were not given back. The error says what the peer did wrong.
func (p *process) readFrames(in *bufio.Reader) error {
	var payload []byte
	var records []wire.Record
	for {
		h, err := wire.ReadFrameHeader(in)
		if err == nil {
			if cap(payload) < int(h.Length) {
				payload = make([]byte, max(int(h.Length), 1<<16))
			}
			payload = payload[:h.Length]
			_, err = io.ReadFull(in, payload)
		}
		p.mutex.Lock()
		failure := p.failure
		p.mutex.Unlock()
		switch {
		case failure != nil:
			return failure
		case isEnd(err):
			return nil
		case err != nil:
			return err
		}
		switch h.Kind {
		case wire.FrameRings:
			fd := p.reader.take()
			if p.mapped {
				err = errors.New("a second Rings frame")
			} else if fd < 0 {
				err = errors.New("the Rings frame came without a descriptor: it was not sent, or the collector had none left (raise the limit with ulimit -n)")
			} else {
				err = p.attach(fd)
			}
			if fd >= 0 {
				unix.Close(fd)
			}
		case wire.FrameRecords:
			if records, err = wire.DecodeRecords(records[:0], payload); err == nil {
				err = p.joinRecords(p.ring(h.Ring), h.Position, records)
			}
			select {
			case p.hurry <- struct{}{}: // there is more where these come from
			default:
			}
		case wire.FrameFacts:
			if p.mapped {
				err = p.joinFacts(p.ring(h.Ring), h.Position, payload)
			} else {
				err = p.looseFacts(payload)
			}
		case wire.FrameProcessFacts:
			err = p.looseFacts(payload)
		case wire.FrameClock:
			for ; len(payload) > 0; payload = payload[16:] {
				p.handSamples(wire.ClockSample{Ticks: wire.Ticks(binary.LittleEndian.Uint64(payload)), Nanos: int64(binary.LittleEndian.Uint64(payload[8:]))})
			}
			payload = payload[:0]
		case wire.FrameThreadTimes:
			var times []wire.ThreadTime
			if times, err = wire.DecodeThreadTimes(nil, payload); err == nil {
				p.handThreadTimes(times)
			}
		default:
			err = fmt.Errorf("frame: kind %d in the middle of a connection", h.Kind)
		}
		if err != nil {
			return err
		}
	}
}

// looseFacts takes in facts of no ring, which have no position: those of the process, and what comes before there are rings.
func (p *process) looseFacts(payload []byte) error {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	p.add()
	facts, err := wire.DecodeFacts(payload)
	if err != nil {
		return err
	}
	p.handFacts(facts)
	return p.failure
}

// isEnd says whether an error is the end of a connection and not a fault of the peer.
func isEnd(err error) bool {
	return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, net.ErrClosed)
}
