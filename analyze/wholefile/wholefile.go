// Package wholefile defines how every command writes a file that the user names. An existing path is refused unless the
// user requests to replace it. A symbolic link is never followed: replacing it replaces the link. A file gets its name
// only when it is complete, so a failed or killed command leaves an older file unchanged. Pipes, devices and
// descriptors are written to directly.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Suffix ends the name of a file until it is complete.
const Suffix = ".part"

// A File is a file being written. It must end with Commit or Discard.
type File struct {
	*os.File
	path    string // empty for a pipe, a device or a descriptor, which are not renamed
	part    string // the name until the file is complete
	replace bool
}

// Create begins a file that will be named path. With replace, it may replace an older file or link.
func Create(path string, replace bool) (*File, error) {
	use, err := Look(path, replace)
	if err != nil {
		return nil, err
	}
	if use == AsItIs {
		f, err := Open(path)
		return &File{File: f}, err
	}
	f, err := createPart(path)
	if err != nil {
		return nil, err
	}
	if older, err := os.Lstat(path); err == nil && older.Mode().IsRegular() {
		f.Chmod(older.Mode().Perm()) // file systems without modes return an error, which does not matter
	}
	return &File{f, path, f.Name(), replace}, nil
}

// mostParts limits the search for a free name: so many leftovers of killed commands are not an accident.
const mostParts = 1000

// createPart creates a new file next to path. Its name does not exist before: neither as a link that someone prepared,
// nor as the file of another command that writes the same path.
func createPart(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d-%d%s", path, os.Getpid(), n, Suffix)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n == mostParts {
			return f, err
		}
	}
}

// Commit closes the file and gives it its name. If that fails, it deletes the file.
func (f *File) Commit() error {
	if err := f.Close(); err != nil {
		f.Discard()
		return err
	}
	return f.Publish()
}

// Publish gives a closed file its name. If that fails, it deletes the file.
func (f *File) Publish() (err error) {
	switch {
	case f.path == "":
		return nil
	case f.replace:
		err = os.Rename(f.part, f.path)
	default:
		if err = RenameToNew(f.part, f.path); errors.Is(err, fs.ErrExist) {
			err = &ExistsError{Path: f.path}
		}
	}
	if err != nil {
		f.Discard()
	}
	return err
}

// Discard deletes the file. It does not close it, because a write may be in progress when a signal ends the program.
func (f *File) Discard() {
	if f.path != "" {
		os.Remove(f.part)
	}
}

// Write creates a file whose content fill writes.
func Write(path string, replace bool, fill func(*os.File) error) error {
	f, err := Create(path, replace)
	if err != nil {
		return err
	}
	if err := fill(f.File); err != nil {
		f.Close()
		f.Discard()
		return err
	}
	return f.Commit()
}

// RenameToNew renames a file. If the new name exists, it returns fs.ErrExist. On a file system without hard links, two
// callers at the same instant may both succeed.
func RenameToNew(from, to string) error {
	err := os.Link(from, to)
	if err == nil {
		return os.Remove(from)
	}
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, there := os.Lstat(to); there == nil {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: fs.ErrExist}
	}
	return os.Rename(from, to)
}

// Same reports whether two paths refer to the same file.
func Same(a, b string) bool {
	var infos [2]fs.FileInfo
	for i, path := range []string{a, b} {
		var err error
		if infos[i], err = os.Stat(path); err != nil {
			return false
		}
	}
	return os.SameFile(infos[0], infos[1])
}
