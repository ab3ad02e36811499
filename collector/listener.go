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

// A listener accepts connections on the collector's socket and numbers them in the order in which they were made. If
// two programs of one process connect (before and after exec), the one with the higher number started later. The
// times in their messages cannot decide that, because a clock may be set back.
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

// An arrival is an accepted connection. It counts as identified once its hello (the first message) was read or the
// connection was refused.
type arrival struct {
	conn   *os.File // the connection's socket, non-blocking
	number uint64   // from 1, in the order in which connections were made
	peer
	state tokenState
	err   error         // why the connection's hello could not be read
	heard chan struct{} // closed when the connection is identified
}

// own reports whether the connecting process runs as this user. Such a process may belong to the traced program even
// if its token is missing.
func (a *arrival) own() bool { return a.uid == os.Getuid() }

// openListener listens on the socket of an endpoint. A connection that does not begin with token is only marked; the
// caller decides whether to refuse it.
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

// close stops listening. The kernel then closes the connections that nobody accepted.
func (l *listener) close() {
	l.file.Close()
	l.spare.Close()
}

// refuseRest is for a collector without a free file descriptor: it accepts and closes all waiting connections, and
// returns them so that they can be reported. It uses up the spare descriptor, so it must be the last call before
// close.
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
		// Closing the spare descriptor freed one, but another goroutine took it. So the waiting connections cannot be
		// accepted and identified: report them as one unknown connection of this user.
		if len(some) == 0 {
			return append(all, &arrival{peer: peer{uid: os.Getuid()}})
		}
	}
}

// next waits for a connection and accepts it. After close it returns os.ErrClosed.
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

// hasWaiting reports whether a connection is waiting to be accepted. The error of accept does not tell: Linux reports
// a lack of file descriptors even if nothing is waiting.
func (l *listener) hasWaiting() bool {
	waiting := 0
	l.raw.Control(func(fd uintptr) { waiting, _ = unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0) })
	return waiting > 0
}

// noneLeft reports whether a connection could not be accepted because the process or the machine has no free file
// descriptor.
func noneLeft(err error) bool {
	return errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE)
}

// waiting accepts all connections that wait in the kernel, without blocking. If the file descriptors run out, it
// returns an error and the connections accepted before; the rest continue to wait.
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

// accept accepts the connection that has waited longest, or returns unix.EAGAIN if there is none. If the connection
// cannot be used, the arrival's err says why.
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
	// use os.NewFile: net.FileConn would duplicate the descriptor, and there may be no free one. Reads of a
	// non-blocking file also wait in the runtime's poller, without occupying a thread
	if err := unix.SetNonblock(fd, true); a.err == nil {
		a.err = err
	}
	a.conn = os.NewFile(uintptr(fd), "connection")
	l.arriving[a.pid] = append(l.arriving[a.pid], a)
	return a, nil
}

// acceptCloseOnExec accepts a connection with close-on-exec set. If a program that this process starts inherited it,
// the connection would stay open after the collector closed it.
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

// hear marks a connection as identified: its hello was read, or it was refused. Collector.settle and awaitHeard wait
// for that.
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

// awaitHeard waits until one more connection is identified: its hello was read, or it was refused. A connection
// without a hello, which only tested whether a collector listens, is then closed; that frees a file descriptor.
// awaitHeard returns false if no connection is identified within ten times acceptPause.
func (l *listener) awaitHeard() bool {
	for before, pauses := l.heardCount(), 0; pauses < 10; pauses++ {
		time.Sleep(acceptPause)
		if l.heardCount() != before {
			return true
		}
	}
	return false
}

// heardCount returns how many connections have been identified so far, that is, said hello or were refused.
func (l *listener) heardCount() uint64 {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.heard
}

// of returns the connections of a process that are not identified yet. It includes connections whose process id the
// kernel no longer knows, because they may belong to the same process.
func (l *listener) of(pid int) []*arrival {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return slices.Concat(l.arriving[pid], l.arriving[unknownPID])
}

// acceptPause is the pause before the next attempt when there is no free file descriptor for a connection.
const acceptPause = 10 * time.Millisecond
