package collector

import "golang.org/x/sys/unix"

// A peer identifies the process at the other end of a connection, as the kernel recorded it when the process connected.
type peer struct {
	uid int
	pid int // 0 for a process in a namespace that is not visible here
}

// unknownPID is the pid of a peer whose process the kernel does not report any more.
const unknownPID = -1

// A peerSource asks the kernel for the peer of a socket.
type peerSource struct {
	user    func(fd int) (uid int, err error)
	process func(fd int) (pid int, err error)
}

// of returns the peer of a socket. Only the user must be known, because it decides about trust. macOS forgets the
// process once the peer has closed the connection (LOCAL_PEERPID, ENOTCONN): a process may say hello and end before its
// connection is accepted.
func (s peerSource) of(fd int) (p peer, err error) {
	if p.uid, err = s.user(fd); err != nil {
		return p, err
	}
	if p.pid, err = s.process(fd); err == unix.ENOTCONN {
		p.pid, err = unknownPID, nil
	}
	return p, err
}
