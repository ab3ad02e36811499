package wiretest

import (
	"os"

	"mtrace/collector/wire"
)

// Memory makes shared memory for a region: a file without a name, which serves as well as what shm_open makes.
func Memory() (*os.File, error) {
	file, err := os.CreateTemp("", "mtrace-")
	if err != nil {
		return nil, err
	}
	os.Remove(file.Name())
	return file, file.Truncate(wire.RegionSize)
}
