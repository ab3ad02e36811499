package doctor

import (
	"net"
	"os"
	"time"
)

// writable makes and removes a file in a folder.
func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".mtrace-doctor-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// answers tells whether somebody listens on a socket.
func answers(path string) bool {
	connection, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

// holdsOnlySockets keeps folders of other programs, whose name happens to start
// like ours, out of the list.
func holdsOnlySockets(paths []string) bool {
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
			return false
		}
	}
	return true
}
