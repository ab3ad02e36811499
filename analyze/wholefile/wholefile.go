// Package wholefile has the one rule by which every command writes a file that the user names. A name that something
// has already is refused, unless the user asks to replace it. A symbolic link is never followed: replacing it replaces
// the link. A file has its name only when it is whole; what fails, or is killed, leaves an older file as it was. Pipes,
// devices and descriptors are written to as they are.
package wholefile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Suffix ends the name of a file until it is whole.
const Suffix = ".part"

// A File is a file being written. It ends with Commit or Discard.
type File struct {
	*os.File
	path    string // empty for a pipe, a device or a descriptor, which need no name
	part    string // the name until the file is whole
	replace bool
}

// Create begins the file that is to be called path. With replace it may take the place of an older file or link.
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
		f.Chmod(older.Mode().Perm()) // file systems without modes refuse this, and lose nothing
	}
	return &File{f, path, f.Name(), replace}, nil
}

// mostParts bounds the search for a free name: as many leftovers of killed commands are no accident.
const mostParts = 1000

// createPart makes a new file beside path. The name is nobody else's: neither a link that waits there, nor the file of
// another command that writes the same path.
func createPart(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d-%d%s", path, os.Getpid(), n, Suffix)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n == mostParts {
			return f, err
		}
	}
}

// Commit closes the file and gives it its name. When that fails nothing is left of it.
func (f *File) Commit() error {
	if err := f.Close(); err != nil {
		f.Discard()
		return err
	}
	return f.Publish()
}

// Publish gives a file that is closed its name. When that fails nothing is left of it.
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

// Discard removes what was written. It does not close the file, which may be in the middle of a write when a signal
// ends the tool.
func (f *File) Discard() {
	if f.path != "" {
		os.Remove(f.part)
	}
}

// Write makes a file with what fill writes.
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

// RenameToNew gives a file another name that nothing has; otherwise the error is fs.ErrExist. On a file system without
// hard links, two callers at the same instant may both succeed.
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

// Same says whether two paths lead to the same file.
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
