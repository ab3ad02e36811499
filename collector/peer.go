package collector

import "golang.org/x/sys/unix"

// A peer is the process at the other end of a connection, as the kernel identified it when the connection was made.
type peer struct {
	uid int
	pid int // 0 for a process in a namespace that is not visible here
}

// unknownPID is the pid of a peer whose process the kernel does not report any more.
const unknownPID = -1

// A peerSource asks the kernel for the user and the process at the other end of a socket; tests replace it.
type peerSource struct {
	user    func(fd int) (uid int, err error)
	process func(fd int) (pid int, err error)
}

// of returns the user and the process at the other end of a socket. An unknown user is an error, because trust
// depends on the user; an unknown process is not. macOS forgets the process once it closed its end (ENOTCONN), as
// when a process says hello and ends before its connection is accepted. pid is then unknownPID.
func (s peerSource) of(fd int) (p peer, err error) {
	if p.uid, err = s.user(fd); err != nil {
		return p, err
	}
	if p.pid, err = s.process(fd); err == unix.ENOTCONN {
		p.pid, err = unknownPID, nil
	}
	return p, err
}
