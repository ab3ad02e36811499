package profile

import (
	"fmt"
	"os"
	"path/filepath"

	"mtrace/analyze"
	"mtrace/analyze/wholefile"
)

// write writes one profile, compressed, to path. It does not replace an existing file.
func write(kind string, t *analyze.Trace, path string) error {
	p, err := Build(kind, t)
	if err != nil {
		return err
	}
	if err := wholefile.Write(path, false, func(f *os.File) error { return p.Write(f) }); err != nil {
		return fmt.Errorf("writing the %s profile to %s: %w", kind, path, err)
	}
	return nil
}

// writeAll writes profiles as KIND.pb.gz into the folder dir, which it creates if necessary, and returns their paths.
// No kinds means all Types.
func writeAll(kinds []string, t *analyze.Trace, dir string) ([]string, error) {
	if len(kinds) == 0 {
		kinds = Types
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("making the folder for profiles: %w", err)
	}
	var paths []string
	for _, kind := range kinds {
		path := filepath.Join(dir, kind+".pb.gz")
		if err := write(kind, t, path); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}
