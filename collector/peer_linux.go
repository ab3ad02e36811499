package collector

import (
	"os"

	"golang.org/x/sys/unix"
)

const receiveCloseOnExec = unix.MSG_CMSG_CLOEXEC

// soPeerPidfd is SO_PEERPIDFD of include/uapi/asm-generic/socket.h, Linux 6.5.
const soPeerPidfd = 77

// kernelPeer reads the peer with this kernel's calls.
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

// watchDeath returns a channel that is closed when the peer's process is gone with all its threads, or never if that
// cannot be known. stop ends the watch.
func watchDeath(conn *os.File, pid int) (dead <-chan struct{}, stop func()) {
	gone := make(chan struct{})
	fd, err := peerDescriptor(conn, pid)
	if err != nil {
		if err == unix.ESRCH {
			close(gone)
		}
		return gone, func() {}
	}
	// a non-blocking descriptor waits in the runtime's poller and not in a thread of its own
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

// peerDescriptor returns a descriptor that refers to the process itself, whereas its id may be reused.
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
