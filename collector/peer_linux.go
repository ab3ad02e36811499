package collector

import (
	"os"

	"golang.org/x/sys/unix"
)

const receiveCloseOnExec = unix.MSG_CMSG_CLOEXEC

// soPeerPidfd is SO_PEERPIDFD of Linux 6.5 (include/uapi/asm-generic/socket.h): it returns a pidfd of the peer.
const soPeerPidfd = 77

// kernelPeer asks the kernel of Linux for the user and the process at the other end of a socket.
var kernelPeer = peerSource{
	user: func(fd int) (int, error) {
		c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil {
			return 0, err
		}
		return int(c.Uid), nil
	},
	process: func(fd int) (int, error) {
		c, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
		if err != nil {
			return 0, err
		}
		return int(c.Pid), nil
	},
}

// watchDeath returns a channel that is closed when the process at the other end has ended with all its threads. The
// channel stays open if the process cannot be watched. The caller must call stop.
func watchDeath(conn *os.File, pid int) (dead <-chan struct{}, stop func()) {
	gone := make(chan struct{})
	fd, err := peerDescriptor(conn, pid)
	if err != nil {
		if err == unix.ESRCH {
			close(gone)
		}
		return gone, func() {}
	}
	// make the pidfd non-blocking, so that the wait happens in the runtime's poller and does not occupy a thread
	unix.SetNonblock(fd, true)
	file := os.NewFile(uintptr(fd), "pidfd")
	raw, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return gone, func() {}
	}
	go func() {
		exited := false
		raw.Read(func(fd uintptr) bool {
			n, _ := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
			exited = n > 0
			return exited
		})
		if exited {
			close(gone)
		}
	}()
	return gone, func() { file.Close() }
}

// peerDescriptor returns a pidfd of the process at the other end. It prefers SO_PEERPIDFD, which cannot name a wrong
// process; the fallback by pid can, if the id was reused.
func peerDescriptor(conn *os.File, pid int) (fd int, err error) {
	err = unix.ENOPROTOOPT
	if raw, e := conn.SyscallConn(); e == nil {
		raw.Control(func(s uintptr) { fd, err = unix.GetsockoptInt(int(s), unix.SOL_SOCKET, soPeerPidfd) })
	}
	if err == nil {
		unix.CloseOnExec(fd)
		return fd, nil
	}
	return unix.PidfdOpen(pid, 0)
}
