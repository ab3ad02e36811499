package collector

import (
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// removeStale removes the socket at path if no process listens on it. It returns an error if another collector does.
func removeStale(path string) error {
	stat, err := os.Lstat(path)
	if err != nil || stat.Mode().Type() != os.ModeSocket {
		return nil // listening reports other errors
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

// makePrivate creates dir, or checks that only this user can access it: otherwise another user could replace the
// socket and receive the records.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("make the collector's directory: %w", err)
	}
	var stat unix.Stat_t
	if err := unix.Stat(dir, &stat); err != nil {
		return fmt.Errorf("examine the collector's directory: %w", err)
	}
	if int(stat.Uid) != os.Getuid() || stat.Mode&0o077 != 0 {
		return fmt.Errorf("the directory %s is open to other users: chmod 700 it, or name another", dir)
	}
	return nil
}
