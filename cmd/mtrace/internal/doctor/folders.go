package doctor

import (
	"net"
	"os"
	"time"
)

// writable creates and removes a file in a folder.
func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".mtrace-doctor-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// answers reports whether a process listens on a socket.
func answers(path string) bool {
	connection, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

// holdsOnlySockets excludes folders of other programs whose names happen to have the same prefix.
func holdsOnlySockets(paths []string) bool {
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
			return false
		}
	}
	return true
}
