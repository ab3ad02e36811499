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

// Suffix is the end of a file's name until the file is complete.
const Suffix = ".part"

// A File is a file that is being written. Commit or Discard must be called at the end, otherwise an incomplete file
// remains under its temporary name.
type File struct {
	*os.File
	path    string // empty for a pipe, a device or a descriptor, which are not renamed
	part    string // the name until the file is complete
	replace bool
}

// Create creates a file that gets the name path when it is complete. With replace, it may replace an existing file or
// link.
func Create(path string, replace bool) (*File, error) {
	use, err := CheckTarget(path, replace)
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

// mostParts limits the search for a free temporary name. Killed commands leave temporary files behind, but never as
// many.
const mostParts = 1000

// createPart creates a temporary file next to path, under a name that does not exist yet. So it never writes through
// a link that another user prepared, nor into the file of another command that writes the same path.
func createPart(path string) (*os.File, error) {
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s.%d-%d%s", path, os.Getpid(), n, Suffix)
		f, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) || n == mostParts {
			return f, err
		}
	}
}

// Commit closes the file and gives it its final name. If that fails, the file is deleted.
func (f *File) Commit() error {
	if err := f.Close(); err != nil {
		f.Discard()
		return err
	}
	return f.Publish()
}

// Publish gives a file, which must be closed already, its final name. If that fails, the file is deleted.
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

// Discard deletes the incomplete file. It does not close the file, because a write may be in progress when a signal
// ends the program.
func (f *File) Discard() {
	if f.path != "" {
		os.Remove(f.part)
	}
}

// Write creates the file at path with the content that fill writes. If fill fails, no file remains.
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

// RenameToNew renames a file, but returns fs.ErrExist if the new name exists. On a file system without hard links
// this is not atomic: two callers at the same instant may both succeed.
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

// Same reports whether two paths refer to the same existing file.
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
