package collector

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// longestAddress is the longest path of a socket, in bytes: sun_path of macOS, with its NUL. Linux has four more.
	longestAddress = 103
	// socketName is the socket's name in a given directory. In a directory that the collector creates, the name is a
	// secret of secretLength characters, five bits each. folderPrefix begins the names of such directories.
	socketName   = "socket"
	secretLength = 20
	folderPrefix = "mtrace-collector-"
	// boundName is the name under which the socket is bound in a directory that the collector creates, before it is
	// renamed.
	boundName = "bound"
	// lockEnding is appended to the socket's name for its lock. The library uses the same name
	// (interpose/core/session.c).
	lockEnding = ".lock"
	// lockPatience is how long a process that only tests the lock may hold it.
	lockPatience = 200 * time.Millisecond
)

// An endpoint is a socket on which a collector listens, with its folder and a file that the collector keeps locked. The
// kernel releases the lock when the collector ends, for whatever reason. Programs and other collectors test the lock to
// see whether the collector is alive.
//
// Only this user can reach the socket, with one exception: when root records, programs may drop their privileges before
// they connect. Then other users can enter the directory, which the collector created, and connect to the socket. Its
// name is a secret that they cannot list and that the kernel does not show (see listen), and a connection must begin
// with a token (see Collector.prove).
type endpoint struct {
	path   string // of the socket
	lock   *os.File
	made   string // the directory, if it was created for the endpoint
	shared bool   // other users may connect

	socket os.FileInfo // as it was made
}

// removed returns the reason why programs cannot find the collector any more, or "" if they can: a cleaner of temporary
// files may have removed the socket.
func (p *endpoint) removed() string {
	if now, err := os.Lstat(p.path); err == nil && os.SameFile(now, p.socket) {
		return ""
	}
	return "the collector's socket " + p.path +
		" was removed during the recording: processes that began after that are not in the trace"
}

// takeEndpoint returns the endpoint at path. Without a path it is in dir, which must be private and is created if it
// does not exist. Without both it is in a new directory, and the directories of collectors that have ended are removed.
// The new directory of root's collector is open to other users if that collector has a token.
func takeEndpoint(path, dir string, hasToken bool) (p *endpoint, err error) {
	p = &endpoint{path: path}
	if path == "" && dir == "" {
		return newEndpoint(temporaryFolder(), hasToken && os.Getuid() == 0)
	}
	if path == "" {
		if err = makePrivate(dir); err != nil {
			return nil, err
		}
		p.path = filepath.Join(dir, socketName)
	}
	if len(p.path) > longestAddress {
		return nil, fmt.Errorf("listen on %s: the path is longer than the %d bytes a socket's may have; "+
			"use a shorter directory", p.path, longestAddress)
	}
	if p.lock, err = lock(p.path + lockEnding); errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("listen on %s: another collector listens there; end it or use another path", p.path)
	} else if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.path, err)
	}
	return p, nil
}

// newEndpoint creates an endpoint in a folder for temporary files.
func newEndpoint(parent string, shared bool) (p *endpoint, err error) {
	sweep(parent, folderPrefix, removeEndpointFolder)
	for range 10 { // another collector may remove the directory before it is locked
		p = &endpoint{shared: shared}
		if p.made, err = os.MkdirTemp(parent, folderPrefix); err != nil {
			break
		}
		p.path = filepath.Join(p.made, rand.Text()[:secretLength])
		if shared {
			if err = os.Chmod(p.made, 0o711); err != nil {
				os.Remove(p.made)
				break
			}
		}
		if p.lock, err = lock(p.path + lockEnding); err == nil {
			return p, nil
		}
		os.Remove(p.made)
	}
	return nil, fmt.Errorf("create a directory for the collector's socket: %w", err)
}

// temporaryFolder returns the system's folder for temporary files, or /tmp if a socket's path would be too long
// in it or if processes that drop root's privileges cannot enter it. Its path is absolute, because programs may change
// their working directory before they start others.
func temporaryFolder() string {
	dir, err := filepath.Abs(TemporaryFolder())
	longest := len(dir) + len("/"+folderPrefix+"4294967295/") + secretLength
	if err != nil || longest > longestAddress || os.Getuid() == 0 && !open(dir) {
		return "/tmp"
	}
	return dir
}

// open reports whether every user can enter a folder and its parents.
func open(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	for ; err == nil; dir = filepath.Dir(dir) {
		var stat os.FileInfo
		if stat, err = os.Stat(dir); err == nil && stat.Mode()&0o001 == 0 {
			return false
		}
		if dir == filepath.Dir(dir) {
			return true
		}
	}
	return false
}

// leave removes all files that the endpoint created, the lock last.
func (p *endpoint) leave() {
	os.Remove(p.path + lockEnding)
	if p.made != "" {
		os.RemoveAll(p.made)
	}
	p.lock.Close()
}

// listen creates the socket. It is bound under another name and renamed before it listens: the kernel shows every user
// the name under which a socket was bound (/proc/net/unix, netstat), even in a directory that the user cannot list.
func (p *endpoint) listen() (l *net.UnixListener, err error) {
	if err := removeStale(p.path); err != nil {
		return nil, err
	}
	bound := p.path
	if p.made != "" {
		bound = filepath.Join(p.made, boundName)
	}
	mode := os.FileMode(0o600)
	if p.shared {
		mode = 0o666
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: bound, Net: "unix"})
	if err == nil {
		err = os.Chmod(bound, mode)
	}
	if err == nil && bound != p.path {
		err = os.Rename(bound, p.path)
	}
	if err == nil {
		p.socket, err = os.Lstat(p.path)
	}
	if err != nil {
		if l != nil {
			l.Close()
		}
		return nil, fmt.Errorf("listen on %s: %w", p.path, err)
	}
	return l, nil
}

// lock locks a file, which it creates if needed. It returns unix.EWOULDBLOCK if another process holds the lock.
func lock(path string) (file *os.File, err error) {
	for deadline := time.Now().Add(lockPatience); ; time.Sleep(lockPatience / 20) {
		if file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE|unix.O_NOFOLLOW, 0o600); err != nil {
			return nil, err
		}
		if err = unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err == nil {
			opened, _ := file.Stat()
			if there, e := os.Lstat(path); e == nil && os.SameFile(opened, there) {
				return file, nil
			}
		}
		file.Close() // another process holds the lock, or the previous holder removed the file
		if time.Now().After(deadline) {
			return nil, unix.EWOULDBLOCK
		}
	}
}
