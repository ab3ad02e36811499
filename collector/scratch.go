package collector

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// probedSize is how much must fit into the folder for temporary files: less, and it is as good as full.
const probedSize = 4096

// TemporaryFolder is the system's folder for temporary files, or /tmp where nothing can be written to that: TMPDIR may
// name a folder that is missing, read-only or full.
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

// SweepScratch removes the folders that Scratch made for processes of this user that are gone, by the rule that
// collectors have for theirs.
func SweepScratch(prefix string) {
	sweep(TemporaryFolder(), prefix, func(_ int, path string, _ []string, _ string) { os.RemoveAll(path) })
}

// Scratch makes a folder for temporary files that nobody else needs, named by a prefix. Leave removes it; who is killed
// before leaves that to the next SweepScratch.
func Scratch(prefix string) (path string, leave func(), err error) {
	parent := TemporaryFolder()
	for range 10 { // who sweeps may have taken it for abandoned before its lock was
		if path, err = os.MkdirTemp(parent, prefix); err != nil {
			break
		}
		held, failed := lock(filepath.Join(path, "in-use"+lockEnding))
		if err = failed; err == nil {
			return path, func() {
				os.RemoveAll(path)
				held.Close()
			}, nil
		}
		os.RemoveAll(path)
	}
	return "", nil, fmt.Errorf("make a folder for temporary files: %w", err)
}
