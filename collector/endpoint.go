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
	// longestAddress is the maximum length of a socket's path in bytes: sun_path has 104 on macOS, including the NUL.
	// Linux has 108, but the same limit applies everywhere.
	longestAddress = 103
	// socketName is the socket's name in a directory that the user chose. In a directory that the collector creates
	// (its name begins with folderPrefix), the socket's name is secret instead: secretLength random characters of
	// five bits each.
	socketName   = "socket"
	secretLength = 20
	folderPrefix = "mtrace-collector-"
	// boundName is the socket's temporary name in a directory that the collector creates: the socket is bound under
	// it and then renamed, because the kernel shows every user the name at binding.
	boundName = "bound"
	// lockEnding is appended to the socket's path for the lock file. interpose/core/session.c tests the same file to
	// see whether the collector is alive, so the two must agree.
	lockEnding = ".lock"
	// lockPatience is how long lockFile retries: another process may hold the lock for a moment only to test it.
	lockPatience = 200 * time.Millisecond
)

// An endpoint is the socket on which a collector listens, with its directory and a lock file. The kernel releases the
// lock when the collector ends, for whatever reason. Programs and other collectors test the lock to see whether the
// collector is alive.
//
// Normally only this user can reach the socket. When root records, other users can enter the directory and connect,
// because programs may drop their privileges before they connect. Three measures protect the socket then: they cannot
// list the directory, the socket's name is a secret that the kernel does not show (see listen), and a connection must
// begin with a token (see Collector.prove).
type endpoint struct {
	path          string // path of the socket
	lock          *os.File
	createdFolder string // the directory, if it was created for the endpoint
	shared        bool   // other users may connect

	socket os.FileInfo // the socket's file when it was created
}

// removed returns a warning if the socket no longer exists, for instance because a cleaner of temporary files removed
// it, and "" otherwise. Programs that start after the removal cannot connect and are not recorded.
func (p *endpoint) removed() string {
	if now, err := os.Lstat(p.path); err == nil && os.SameFile(now, p.socket) {
		return ""
	}
	return "the collector's socket " + p.path +
		" was removed during the recording: processes that began after that are not in the trace"
}

// takeEndpoint returns the endpoint for a socket at path or, if path is empty, in dir, which must be private and is
// created if missing. If both are empty, it creates a new directory, and removes the directories of collectors that
// have ended. If root calls it with hasToken, other users can enter the new directory.
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
	if p.lock, err = lockFile(p.path + lockEnding); errors.Is(err, unix.EWOULDBLOCK) {
		return nil, fmt.Errorf("listen on %s: another collector listens there; end it or use another path", p.path)
	} else if err != nil {
		return nil, fmt.Errorf("listen on %s: %w", p.path, err)
	}
	return p, nil
}

// newEndpoint creates an endpoint in a new directory inside parent. If shared, other users can enter the directory
// but not list it.
func newEndpoint(parent string, shared bool) (p *endpoint, err error) {
	sweep(parent, folderPrefix, removeEndpointFolder)
	for range 10 { // another collector may remove the directory before it is locked
		p = &endpoint{shared: shared}
		if p.createdFolder, err = os.MkdirTemp(parent, folderPrefix); err != nil {
			break
		}
		p.path = filepath.Join(p.createdFolder, rand.Text()[:secretLength])
		if shared {
			if err = os.Chmod(p.createdFolder, 0o711); err != nil {
				os.Remove(p.createdFolder)
				break
			}
		}
		if p.lock, err = lockFile(p.path + lockEnding); err == nil {
			return p, nil
		}
		os.Remove(p.createdFolder)
	}
	return nil, fmt.Errorf("create a directory for the collector's socket: %w", err)
}

// temporaryFolder returns the absolute path of the system's folder for temporary files. It returns /tmp instead if a
// socket's path in that folder would be too long, or if root runs the collector and other users cannot enter the
// folder. The path is absolute because programs may change their working directory before they start others.
func temporaryFolder() string {
	dir, err := filepath.Abs(TemporaryFolder())
	longest := len(dir) + len("/"+folderPrefix+"4294967295/") + secretLength
	if err != nil || longest > longestAddress || os.Getuid() == 0 && !open(dir) {
		return "/tmp"
	}
	return dir
}

// open reports whether every user can enter a folder: the folder and all its parents are executable for others.
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

// leave removes all files that the endpoint created and then releases the lock. Releasing it earlier would let
// another collector take over files that are about to be removed.
func (p *endpoint) leave() {
	os.Remove(p.path + lockEnding)
	if p.createdFolder != "" {
		os.RemoveAll(p.createdFolder)
	}
	p.lock.Close()
}

// listen creates the socket. In a directory that the collector created, the socket is bound under a temporary name
// and then renamed: the kernel shows every user the name under which a socket was bound (/proc/net/unix, netstat),
// which would reveal the secret name.
func (p *endpoint) listen() (l *net.UnixListener, err error) {
	if err := removeStale(p.path); err != nil {
		return nil, err
	}
	bound := p.path
	if p.createdFolder != "" {
		bound = filepath.Join(p.createdFolder, boundName)
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

// lockFile creates a file if needed and locks it; the returned file holds the lock until it is closed. lockFile returns
// unix.EWOULDBLOCK if another process holds the lock for longer than lockPatience.
func lockFile(path string) (file *os.File, err error) {
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
