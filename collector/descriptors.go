package collector

import (
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// mostDescriptors limits the received file descriptors that take has not returned yet. One read can bring two: one
// with the hello, and one with the Rings frame after it.
const mostDescriptors = 2

// A descriptorReader reads a unix socket and stores the file descriptors that arrive with the bytes. After a call of
// `end`, it still reads what is already in the socket, then returns io.EOF. Without
// this call it might wait for ever: the kernel reports no end while a forked child holds the other side open.
type descriptorReader struct {
	conn        *os.File
	ended       atomic.Bool
	mutex       sync.Mutex // held while the deadline is set
	descriptors []int      // at most mostDescriptors are needed; others are closed at once
}

// end makes later reads return the bytes that were already sent, and then io.EOF. It wakes a blocked read.
func (r *descriptorReader) end() {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.ended.Store(true)
	r.conn.SetReadDeadline(aLongTimeAgo)
}

// readUntil sets a deadline for reading; the zero time means none. After end it does nothing.
func (r *descriptorReader) readUntil(deadline time.Time) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	if !r.ended.Load() {
		r.conn.SetReadDeadline(deadline)
	}
}

func (r *descriptorReader) Read(p []byte) (int, error) {
	control := make([]byte, unix.CmsgSpace(4*4))
	n, control, err := r.receive(p, control)
	if len(control) > 0 {
		r.keep(control)
	}
	if n == 0 && err == nil || errors.Is(err, io.EOF) { // io.ReadFull compares errors and does not unwrap them
		err = io.EOF
	}
	return n, err
}

func (r *descriptorReader) receive(p, control []byte) (int, []byte, error) {
	raw, err := r.conn.SyscallConn()
	if err != nil {
		return 0, nil, err
	}
	n, m := 0, 0
	var failed error
	take := func(fd uintptr) {
		for {
			n, m, _, _, failed = unix.Recvmsg(int(fd), p, control, unix.MSG_DONTWAIT|receiveCloseOnExec)
			if failed != unix.EINTR {
				return
			}
		}
	}
	if !r.ended.Load() {
		err = raw.Read(func(fd uintptr) bool { take(fd); return failed != unix.EAGAIN })
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			return max(n, 0), control[:max(m, 0)], errors.Join(err, failed)
		}
	}
	if !r.ended.Load() {
		return 0, nil, os.ErrDeadlineExceeded
	}
	// after the deadline has passed, raw.Read returns without reading. Call take directly, or the bytes that are
	// already in the socket would be lost
	err = raw.Control(take)
	if err == nil && failed == unix.EAGAIN {
		return 0, nil, io.EOF
	}
	return max(n, 0), control[:max(m, 0)], errors.Join(err, failed)
}

// keep stores the file descriptors of a control message, and closes those beyond mostDescriptors.
func (r *descriptorReader) keep(control []byte) {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil {
		return
	}
	for _, m := range messages {
		descriptors, err := syscall.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range descriptors {
			unix.CloseOnExec(fd)
			if len(r.descriptors) == mostDescriptors {
				unix.Close(fd)
				continue
			}
			r.descriptors = append(r.descriptors, fd)
		}
	}
}

// take returns the oldest received descriptor, which the caller must close, or -1 if there is none.
func (r *descriptorReader) take() int {
	if len(r.descriptors) == 0 {
		return -1
	}
	fd := r.descriptors[0]
	r.descriptors = r.descriptors[1:]
	return fd
}
