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
	// Partition, when it is not empty, is a path of KEY=VALUE folders, as Hive and its like have them: a table's file is
	// in such a folder of the table's own, TABLE/KEY=VALUE/…, so that those of several runs make one dataset.
	Partition string
	// Replace lets the tables take the place of older files.
	Replace bool

	names []string
	files []*wholefile.File
	made  bool // the directory was not there before
}

// Check is the error for tables of a format that may not be written, because a file is there already.
func (d *Directory) Check(format Format) error {
	for _, t := range tables {
		name := d.inPartition(t.describe().name + "." + string(format))
		if _, err := wholefile.Look(filepath.Join(d.Path, name), d.Replace); err != nil {
			return err
		}
	}
	return nil
}

// inPartition is the path of a table's file in the directory.
func (d *Directory) inPartition(name string) string {
	if d.Partition == "" {
		return name
	}
	return filepath.Join(strings.TrimSuffix(name, filepath.Ext(name)), d.Partition, name)
}

// Create makes a file.
func (d *Directory) Create(name string) (io.WriteCloser, error) {
	if _, err := os.Stat(d.Path); err != nil {
		d.made = true
	}
	name = d.inPartition(name)
	if err := os.MkdirAll(filepath.Dir(filepath.Join(d.Path, name)), 0o777); err != nil {
		return nil, err
	}
	d.names = append(d.names, name)
	f, err := wholefile.Create(filepath.Join(d.Path, name), d.Replace)
	if err != nil {
		return nil, err
	}
	d.files = append(d.files, f)
	return f, nil
}

// Commit gives all files, which are closed, their names.
func (d *Directory) Commit() error {
	for _, f := range d.files {
		if err := f.Publish(); err != nil {
			return fmt.Errorf("naming the tables: %w", err)
		}
	}
	d.names, d.files = nil, nil
	return nil
}

// Discard removes what was not committed.
func (d *Directory) Discard() {
	for _, f := range d.files {
		f.Discard()
	}
	for _, name := range d.names {
		for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
			os.Remove(filepath.Join(d.Path, folder)) // stays when something else is in it
		}
	}
	if d.made {
		os.Remove(d.Path) // stays when something else is in it
	}
}
