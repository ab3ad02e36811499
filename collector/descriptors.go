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

// mostDescriptors is the maximum number of descriptors that may wait: one of a hello and one of the rings frame after
// it, which may come in one read.
const mostDescriptors = 2

// A descriptorReader reads a unix socket and keeps the descriptors that come with the bytes. Once ended is set, it
// reads what is in the socket and then returns io.EOF, even if another process (the child of a fork) still holds the
// other end open.
type descriptorReader struct {
	conn        *os.File
	ended       atomic.Bool
	mutex       sync.Mutex // held while the deadline is set
	descriptors []int      // at most mostDescriptors are needed; others are closed at once
}

// end makes the reader stop after the bytes that were already sent.
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
	// after the deadline raw.Read does not try to read; take reads the data that is in the socket nevertheless
	err = raw.Control(take)
	if err == nil && failed == unix.EAGAIN {
		return 0, nil, io.EOF
	}
	return max(n, 0), control[:max(m, 0)], errors.Join(err, failed)
}

// keep stores the descriptors of a control message.
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

// take returns the first descriptor that was not taken yet, or -1.
func (r *descriptorReader) take() int {
	if len(r.descriptors) == 0 {
		return -1
	}
	fd := r.descriptors[0]
	r.descriptors = r.descriptors[1:]
	return fd
}
