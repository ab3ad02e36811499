package collector

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/wire"
)

// A listener accepts connections on the collector's socket and numbers them. The kernel returns connections in the
// order in which they were made, so of two connections of one process the one with the higher number is later,
// whichever goroutine runs first. The times that the processes send are unsuitable: their clock may be set back.
type listener struct {
	file  *os.File
	raw   syscall.RawConn
	token wire.Token // each connection must begin with it; zero if none is required
	peers peerSource

	spare    *os.File   // a descriptor that is closed when no other is left; nil if it could not be opened
	mutex    sync.Mutex // held while a connection is accepted, so that numbers follow the order of connections
	last     uint64
	arriving map[int][]*arrival // by the kernel's process id: the connections that are not identified
	heard    uint64             // number of identified connections
}

// An arrival is an accepted connection. It is identified when its hello was read or it was refused.
type arrival struct {
	conn   *os.File // its socket, which does not block
	number uint64   // from 1, in the order in which connections were made
	peer
	state tokenState
	err   error         // why its hello could not be read
	heard chan struct{} // closed when it is identified
}

// own reports whether the connection comes from a process of this user, which may belong to the program even without a
// token.
func (a *arrival) own() bool { return a.uid == os.Getuid() }

// openListener listens on the socket of an endpoint.
func openListener(p *endpoint, token wire.Token) (*listener, error) {
	socket, err := p.listen()
	if err != nil {
		return nil, err
	}
	l := &listener{token: token, peers: kernelPeer, arriving: map[int][]*arrival{}}
	l.spare, _ = os.Open(os.DevNull)
	if l.file, err = socket.File(); err == nil {
		l.raw, err = l.file.SyscallConn()
	}
	socket.SetUnlinkOnClose(err != nil)
	socket.Close()
	if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.path, err)
	}
	return l, nil
}

// close stops listening. The kernel closes connections that were not accepted.
func (l *listener) close() {
	l.file.Close()
	l.spare.Close()
}

// refuseRest accepts and closes the waiting connections when no descriptor is left, and returns them. It uses up the
// spare descriptor, so nothing can be accepted afterwards.
func (l *listener) refuseRest() (all []*arrival) {
	l.mutex.Lock()
	l.spare.Close()
	l.spare = nil
	l.mutex.Unlock()
	for {
		some, err := l.waiting()
		for _, a := range some {
			a.conn.Close()
			l.hear(a)
		}
		all = append(all, some...)
		if err == nil {
			return all
		}
		// another part of the process used the spare descriptor: nothing can be known about the waiting connections
		if len(some) == 0 {
			return append(all, &arrival{peer: peer{uid: os.Getuid()}})
		}
	}
}

// next waits for a connection. The error is os.ErrClosed after close.
func (l *listener) next() (a *arrival, err error) {
	failed := l.raw.Read(func(fd uintptr) bool {
		a, err = l.accept(fd)
		return err != unix.EAGAIN
	})
	if failed != nil {
		return nil, failed
	}
	return a, err
}

// hasWaiting reports whether a connection is waiting to be accepted. Linux reports a lack of descriptors even when none
// is waiting.
func (l *listener) hasWaiting() bool {
	waiting := 0
	l.raw.Control(func(fd uintptr) { waiting, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) })
	return waiting > 0
}

// noneLeft reports whether an error means that there was no descriptor for a connection.
func noneLeft(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// waiting accepts the connections that exist, without waiting for more. It returns an error if there is no descriptor
// for the next one, which then keeps waiting.
func (l *listener) waiting() (all []*arrival, err error) {
	for {
		var a *arrival
		if failed := l.raw.Control(func(fd uintptr) { a, err = l.accept(fd) }); failed != nil {
			return all, nil
		}
		switch {
		case err == nil:
			all = append(all, a)
		case noneLeft(err) && l.hasWaiting():
			return all, err
		case !errors.Is(err, unix.ECONNABORTED):
			return all, nil
		}
	}
}

// accept takes the oldest connection. It returns unix.EAGAIN if there is none. If the hello of the connection cannot be
// read, its err has the reason.
func (l *listener) accept(listener uintptr) (*arrival, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	fd, err := acceptCloseOnExec(int(listener))
	if err != nil {
		return nil, err
	}
	l.last++
	a := &arrival{number: l.last, heard: make(chan struct{})}
	a.peer, a.err = l.peers.of(fd)
	a.state = readToken(fd, l.token)
	// a net.Conn would need another descriptor, and there may be none left; a non-blocking file also waits in the
	// runtime's poller
	if err := unix.SetNonblock(fd, true); a.err == nil {
		a.err = err
	}
	a.conn = os.NewFile(uintptr(fd), "connection")
	l.arriving[a.pid] = append(l.arriving[a.pid], a)
	return a, nil
}

// acceptCloseOnExec accepts a connection that programs started by this process do not inherit.
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

// hear marks a connection as identified.
func (l *listener) hear(a *arrival) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	others := slices.DeleteFunc(l.arriving[a.pid], func(b *arrival) bool { return a == b })
	if l.arriving[a.pid] = others; len(others) == 0 {
		delete(l.arriving, a.pid)
	}
	close(a.heard)
	l.heard++
}

// awaitHeard waits until another arrival is identified, because a connection that only checks for a collector then
// releases its descriptor. It returns false if none is within ten pauses.
func (l *listener) awaitHeard() bool {
	for before, pauses := l.heardCount(), 0; pauses < 10; pauses++ {
		time.Sleep(acceptPause)
		if l.heardCount() != before {
			return true
		}
	}
	return false
}

// heardCount returns how many connections have been identified.
func (l *listener) heardCount() uint64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.heard
}

// of returns the connections of a process that are not identified, and those whose process the kernel does not report
// any more.
func (l *listener) of(pid int) []*arrival {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Concat(l.arriving[pid], l.arriving[unknownPID])
}

// acceptPause is how long to wait for descriptors when there are none.
const acceptPause = 10 * time.Millisecond
