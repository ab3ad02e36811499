package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mtrace/analyze/wholefile"
)

// A Directory makes files that get their names when all of them are whole: Commit, or Discard.
type Directory struct {
	Path string
	// Partition, when it is not empty, is a path of KEY=VALUE folders, as Hive and its like have them: a table's file is in such a folder of the table's own,
	// TABLE/KEY=VALUE/…, so that those of several runs make one dataset.
	Partition string

	names []string
	made  bool // the directory was not there before
}

// Create makes a file.
func (d *Directory) Create(name string) (io.WriteCloser, error) {
	if _, err := os.Stat(d.Path); err != nil {
		d.made = true
	}
	if d.Partition != "" {
		name = filepath.Join(strings.TrimSuffix(name, filepath.Ext(name)), d.Partition, name)
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Join(d.Path, name)), 0o777); err != nil {
		return nil, err
	}
	d.names = append(d.names, name)
	return os.Create(filepath.Join(d.Path, name+wholefile.Suffix))
}

// Commit gives all files their names, over older ones.
func (d *Directory) Commit() error {
	for _, name := range d.names {
		path := filepath.Join(d.Path, name)
		if err := os.Rename(path+wholefile.Suffix, path); err != nil {
			return fmt.Errorf("naming the tables: %w", err)
		}
	}
	d.names = nil
	return nil
}

// Discard removes what was not committed.
func (d *Directory) Discard() {
	for _, name := range d.names {
		os.Remove(filepath.Join(d.Path, name+wholefile.Suffix))
		for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
			os.Remove(filepath.Join(d.Path, folder)) // stays when something else is in it
		}
	}
	if d.made {
		os.Remove(d.Path) // stays when something else is in it
	}
}
