package collector

import (
	"os"

	"golang.org/x/sys/unix"
)

// receiveCloseOnExec is 0 because macOS has no such flag for recvmsg; descriptorReader.keep sets close-on-exec
// afterwards.
const receiveCloseOnExec = 0

// kernelPeer asks the kernel of macOS for the user and the process at the other end of a socket.
var kernelPeer = peerSource{
	user: func(fd int) (int, error) {
		c, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
		if err != nil {
			return 0, err
		}
		return int(c.Uid), nil
	},
	process: func(fd int) (int, error) { return unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID) },
}

// watchDeath returns a channel that is closed when the process pid has ended; the channel stays open if the process
// cannot be watched. The caller must call stop.
func watchDeath(_ *os.File, pid int) (dead <-chan struct{}, stop func()) {
	gone := make(chan struct{})
	queue, err := unix.Kqueue()
	if err != nil {
		return gone, func() {}
	}
	unix.CloseOnExec(queue)
	var exit unix.Kevent_t
	unix.SetKevent(&exit, pid, unix.EVFILT_PROC, unix.EV_ADD|unix.EV_ONESHOT)
	exit.Fflags = unix.NOTE_EXIT
	if _, err := unix.Kevent(queue, []unix.Kevent_t{exit}, nil, nil); err != nil {
		unix.Close(queue)
		if err == unix.ESRCH {
			close(gone)
		}
		return gone, func() {}
	}
	stopped := make(chan struct{})
	go func() {
		defer unix.Close(queue)
		events := make([]unix.Kevent_t, 1)
		for {
			n, err := unix.Kevent(queue, nil, events, &unix.Timespec{Sec: 1})
			if n > 0 {
				close(gone)
				return
			}
			if err != nil && err != unix.EINTR {
				return
			}
			select {
			case <-stopped:
				return
			default:
			}
		}
	}()
	return gone, func() { close(stopped) }
}
