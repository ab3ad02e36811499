package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// A Directory makes files that get their names when all of them are whole: Commit, or Discard.
type Directory struct {
	Path  string
	names []string
	made  bool // the directory was not there before
}

const partSuffix = ".part"

// Create makes a file.
func (d *Directory) Create(name string) (io.WriteCloser, error) {
	if _, err := os.Stat(d.Path); err != nil {
		if err := os.MkdirAll(d.Path, 0o777); err != nil {
			return nil, err
		}
		d.made = true
	}
	d.names = append(d.names, name)
	return os.Create(filepath.Join(d.Path, name+partSuffix))
}

// Commit gives all files their names, over older ones.
func (d *Directory) Commit() error {
	for _, name := range d.names {
		path := filepath.Join(d.Path, name)
		if err := os.Rename(path+partSuffix, path); err != nil {
			return fmt.Errorf("naming the tables: %w", err)
		}
	}
	d.names = nil
	return nil
}

// Discard removes what was not committed.
func (d *Directory) Discard() {
	for _, name := range d.names {
		os.Remove(filepath.Join(d.Path, name+partSuffix))
	}
	if d.made {
		os.Remove(d.Path) // stays when something else is in it
	}
}
