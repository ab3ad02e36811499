package table

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"mtrace/analyze/wholefile"
)

// A Directory creates the files of an export. The files get their final names only when all of them are complete: the
// caller must call Commit, or Discard after an error.
type Directory struct {
	Path string
	// Partition, if not empty, is a path of KEY=VALUE folders in Hive's style. A table's file is then
	// TABLE/KEY=VALUE/…, so that query engines read the files of several runs as one table.
	Partition string
	// Replace lets the tables replace older files.
	Replace bool

	names []string
	files []*wholefile.File
	made  bool // this Directory created the directory
}

// Check returns an error if the file of any table exists already and may not be replaced. It is called before the
// export, because the export may take minutes.
func (d *Directory) Check(format Format) error {
	for _, t := range tables {
		name := d.inPartition(t.describe().name + "." + string(format))
		if _, err := wholefile.CheckTarget(filepath.Join(d.Path, name), d.Replace); err != nil {
			return err
		}
	}
	return nil
}

// inPartition returns the path of a table's file, relative to the directory.
func (d *Directory) inPartition(name string) string {
	if d.Partition == "" {
		return name
	}
	return filepath.Join(strings.TrimSuffix(name, filepath.Ext(name)), d.Partition, name)
}

// Create creates a file.
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

// Commit gives all files their final names. The files must be closed before.
func (d *Directory) Commit() error {
	for _, f := range d.files {
		if err := f.Publish(); err != nil {
			return fmt.Errorf("naming the tables: %w", err)
		}
	}
	d.names, d.files = nil, nil
	return nil
}

// Discard deletes all files that were not committed, and the folders that were made for them.
func (d *Directory) Discard() {
	for _, f := range d.files {
		f.Discard()
	}
	for _, name := range d.names {
		for folder := filepath.Dir(name); folder != "."; folder = filepath.Dir(folder) {
			os.Remove(filepath.Join(d.Path, folder)) // fails, as intended, if it is not empty
		}
	}
	if d.made {
		os.Remove(d.Path) // fails, as intended, if it is not empty
	}
}
