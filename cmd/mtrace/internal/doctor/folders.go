package doctor

import (
	"net"
	"os"
	"time"
)

// writable returns an error if no file can be created in the folder. It creates one and removes it again.
func writable(folder string) error {
	file, err := os.CreateTemp(folder, ".mtrace-doctor-")
	if err != nil {
		return err
	}
	file.Close()
	return os.Remove(file.Name())
}

// answers reports whether some process accepts connections on the unix socket at path.
func answers(path string) bool {
	connection, err := net.DialTimeout("unix", path, time.Second)
	if err != nil {
		return false
	}
	connection.Close()
	return true
}

// holdsOnlySockets reports whether all paths are sockets. If not, the folder belongs to another program whose folders
// also begin with "mtrace-", and must not be reported as a leftover.
func holdsOnlySockets(paths []string) bool {
	for _, path := range paths {
		if info, err := os.Lstat(path); err != nil || info.Mode()&os.ModeSocket == 0 {
			return false
		}
	}
	return true
}
