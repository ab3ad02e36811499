package collector

import (
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// longestAddress is the longest path of a socket, in bytes: sun_path of macOS, with its NUL. Linux has four more.
const longestAddress = 103

// listen makes a socket that only this user can reach: at path; or in dir, which is made when it is not there and must be
// private; or, when both are empty, in a new directory. remove takes away what was made.
func listen(path, dir string) (l *net.UnixListener, remove func(), err error) {
	remove = func() {}
	if path != "" {
		if err := removeStale(path); err != nil {
			return nil, nil, err
		}
	} else if dir == "" {
		if dir, err = os.MkdirTemp("", "mtrace-"); err == nil && len(dir) > longestAddress-len("/socket") {
			os.Remove(dir)
			dir, err = os.MkdirTemp("/tmp", "mtrace-")
		}
		if err != nil {
			return nil, nil, fmt.Errorf("make a directory for the collector's socket: %w", err)
		}
		made := dir
		remove = func() { os.RemoveAll(made) }
	} else if err = makePrivate(dir); err != nil {
		return nil, nil, err
	}
	if path == "" {
		path = filepath.Join(dir, "socket")
	}
	if len(path) > longestAddress {
		remove()
		return nil, nil, fmt.Errorf("listen on %s: the path is longer than the %d bytes a socket's may have; use a shorter directory", path, longestAddress)
	}
	l, err = net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		if err = os.Chmod(path, 0o600); err != nil {
			l.Close()
		}
	}
	if err != nil {
		remove()
		return nil, nil, fmt.Errorf("listen on %s: %w", path, err)
	}
	return l, remove, nil
}

// removeStale removes a socket on which nobody listens any more.
func removeStale(path string) error {
	stat, err := os.Lstat(path)
	if err != nil || stat.Mode().Type() != os.ModeSocket {
		return nil // what is there, or is not, listening will say
	}
	conn, err := net.Dial("unix", path)
	if err == nil {
		conn.Close()
		return fmt.Errorf("listen on %s: another collector listens there; end it or use another path", path)
	}
	if errors.Is(err, unix.ECONNREFUSED) {
		os.Remove(path)
	}
	return nil
}

// makePrivate makes dir, or checks that it is this user's alone.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the collector's directory: %w", err)
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return fmt.Errorf("look at the collector's directory: %w", err)
	}
	if int(stat.Uid) != os.Getuid() || stat.Mode&0o077 != 0 {
		return fmt.Errorf("the directory %s is open to other users: chmod 700 it, or name another", dir)
	}
	return nil
}
