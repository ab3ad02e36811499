package collector

import (
	"fmt"
	"os"
	"path/filepath"
)

// SweepScratch removes the folders that Scratch made for processes of this user that are gone, by the rule that collectors have for theirs.
func SweepScratch(prefix string) {
	sweep(os.TempDir(), prefix, func(_ int, path string, _ []string, _ string) { os.RemoveAll(path) })
}

// Scratch makes a folder for temporary files that nobody else needs, named by a prefix. Leave removes it; who is killed before leaves that to the next
// SweepScratch.
func Scratch(prefix string) (path string, leave func(), err error) {
	parent := os.TempDir()
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
