package collector

import (
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A door is the socket that is listened on. It numbers connections as they are accepted. The kernel hands them out in the order
// in which they were made, so of two connections of one process the one with the higher number was made later, whichever of
// their goroutines runs first; the times that the processes themselves tell come from a clock that may be set back.
type door struct {
	file  *os.File
	raw   syscall.RawConn
	token wire.Token // with which each connection must begin; zero is none
	peers peerSource

	spare    *os.File   // a descriptor that is given up when there is no other left; nil when it could not be had
	mutex    sync.Mutex // held while connections are accepted: numbers are in their order
	last     uint64
	arriving map[int][]*arrival // by the kernel's process id: those that have not been heard
	heard    uint64             // how many have been
}

// An arrival is a connection that was accepted.
type arrival struct {
	conn   *net.UnixConn // nil when there was no descriptor for it: err says so
	number uint64        // from 1, in the order in which connections were made
	peer
	state tokenState
	err   error // why it cannot be heard
	heard chan struct{}
}

// own reports whether the connection is of this user, and so may be of one of the program's processes though it has proved nothing.
func (a *arrival) own() bool { return a.uid == os.Getuid() }

// openDoor listens at a place.
func openDoor(p *place, token wire.Token) (*door, error) {
	l, err := p.listen()
	if err != nil {
		return nil, err
	}
	d := &door{token: token, peers: kernelPeer, arriving: map[int][]*arrival{}}
	d.spare, _ = os.Open(os.DevNull) // without one there are none left already
	if d.file, err = l.File(); err == nil {
		d.raw, err = d.file.SyscallConn()
	}
	l.SetUnlinkOnClose(err != nil)
	l.Close()
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.path, err)
	}
	return d, nil
}

// close stops listening. Connections that were not accepted are ended.
func (d *door) close() {
	d.file.Close()
	d.spare.Close()
}

// lastOnes are those who stand at the door when waiting has ended with an error. Nobody is let in after them.
func (d *door) lastOnes() (all []*arrival) {
	d.mutex.Lock()
	d.spare.Close()
	d.spare = nil
	d.mutex.Unlock()
	for {
		some, err := d.waiting()
		for _, a := range some {
			if a.conn != nil {
				a.conn.Close()
			}
			d.hear(a)
		}
		all = append(all, some...)
		if err == nil {
			return all
		}
		if len(some) == 0 { // not even the spare one's place is free: of those nothing can be known
			return append(all, &arrival{peer: peer{uid: os.Getuid()}})
		}
	}
}

// next waits for a connection. The error is os.ErrClosed after close.
func (d *door) next() (a *arrival, err error) {
	failed := d.raw.Read(func(fd uintptr) bool {
		a, err = d.accept(fd)
		return err != unix.EAGAIN
	})
	if failed != nil {
		return nil, failed
	}
	return a, err
}

// crowded says whether somebody stands at the door. Linux looks for a descriptor before it looks who is there.
func (d *door) crowded() bool {
	waiting := 0
	d.raw.Control(func(fd uintptr) { waiting, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) })
	return waiting > 0
}

// noneLeft says that there was no descriptor for a connection.
func noneLeft(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// waiting accepts the connections that were made and not accepted yet, without waiting for more. It ends with an error when there is no
// descriptor for one of them, which then goes on waiting.
func (d *door) waiting() (all []*arrival, err error) {
	for {
		var a *arrival
		if failed := d.raw.Control(func(fd uintptr) { a, err = d.accept(fd) }); failed != nil {
			return all, nil
		}
		switch {
		case err == nil:
			all = append(all, a)
		case noneLeft(err) && d.crowded():
			return all, err
		case !errors.Is(err, unix.ECONNABORTED):
			return all, nil
		}
	}
}

// accept takes the connection that was made first. The error is unix.EAGAIN when there is none. What was taken is never dropped: whose
// it is is known, and why it cannot be heard.
func (d *door) accept(listener uintptr) (*arrival, error) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	fd, err := acceptCloseOnExec(int(listener))
	if err != nil {
		return nil, err
	}
	d.last++
	a := &arrival{number: d.last, heard: make(chan struct{})}
	a.peer, a.err = d.peers.of(fd)
	a.state = readToken(fd, d.token)
	if conn, err := d.connection(os.NewFile(uintptr(fd), "connection")); err == nil {
		a.conn = conn.(*net.UnixConn)
	} else if a.err == nil {
		a.err = err
	}
	d.arriving[a.pid] = append(d.arriving[a.pid], a)
	return a, nil
}

// connection makes a connection of a file, which it closes. For a moment that takes one more descriptor: if need be, the spare one.
func (d *door) connection(file *os.File) (conn net.Conn, err error) {
	if conn, err = net.FileConn(file); noneLeft(err) && d.spare != nil {
		d.spare.Close()
		conn, err = net.FileConn(file)
		file.Close()
		d.spare, _ = os.Open(os.DevNull)
		return conn, err
	}
	file.Close()
	return conn, err
}

// acceptCloseOnExec accepts a connection that no program started here inherits.
func acceptCloseOnExec(listener int) (fd int, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	for {
		if fd, _, err = unix.Accept(listener); err != unix.EINTR {
			break
		}
	}
	if err == nil {
		unix.CloseOnExec(fd)
	}
	return fd, err
}

// hear notes that an arrival has said what it had to say, and that it is known what it is.
func (d *door) hear(a *arrival) {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	others := slices.DeleteFunc(d.arriving[a.pid], func(b *arrival) bool { return a == b })
	if d.arriving[a.pid] = others; len(others) == 0 {
		delete(d.arriving, a.pid)
	}
	close(a.heard)
	d.heard++
}

// hearing waits for the next arrival to be heard: one that only looked whether somebody is there gives its descriptor back then. False when none is
// for ten pauses.
func (d *door) hearing() bool {
	for before, pauses := d.said(), 0; pauses < 10; pauses++ {
		time.Sleep(acceptPause)
		if d.said() != before {
			return true
		}
	}
	return false
}

// said is how many arrivals have been heard.
func (d *door) said() uint64 {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return d.heard
}

// of are the connections that have been accepted and not been heard, and that may be of a process: it may have closed one of them already.
func (d *door) of(pid int) []*arrival {
	d.mutex.Lock()
	defer d.mutex.Unlock()
	return slices.Concat(d.arriving[pid], d.arriving[unknownPID])
}

// acceptPause is how long to wait for descriptors when there are none.
const acceptPause = 10 * time.Millisecond
