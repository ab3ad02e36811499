package collector

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// probedSize is how many bytes TemporaryFolder writes to test a folder; a folder that cannot take them counts as
// full.
const probedSize = 4096

// TemporaryFolder returns the system's folder for temporary files, or /tmp if a file cannot be written there: TMPDIR
// may name a folder that is missing, read-only or full.
func TemporaryFolder() string {
	dir := os.TempDir()
	probe, err := os.CreateTemp(dir, ".mtrace-probe-")
	if err != nil {
		return "/tmp"
	}
	_, err = probe.Write(make([]byte, probedSize))
	err = errors.Join(err, probe.Close())
	os.Remove(probe.Name())
	if err != nil {
		return "/tmp"
	}
	return dir
}

// SweepScratch removes the temporary folders that Scratch created with this prefix for processes of this user that
// have ended, most likely killed.
func SweepScratch(prefix string) {
	sweep(TemporaryFolder(), prefix, func(_ int, path string, _ []string, _ string) { os.RemoveAll(path) })
}

// Scratch creates a private temporary folder whose name begins with prefix, and locks it. The caller must call leave,
// which removes the folder. If the process is killed, the next SweepScratch removes it.
func Scratch(prefix string) (path string, leave func(), err error) {
	parent := TemporaryFolder()
	for range 10 { // another process may have removed it as abandoned before it was locked
		if path, err = os.MkdirTemp(parent, prefix); err != nil {
			break
		}
		held, failed := lockFile(filepath.Join(path, "in-use"+lockEnding))
		if err = failed; err == nil {
			return path, func() {
				os.RemoveAll(path)
				held.Close()
			}, nil
		}
		os.RemoveAll(path)
	}
	return "", nil, fmt.Errorf("create a folder for temporary files: %w", err)
}
