// Package wholefile writes files that can be made again at any time: they take the place of older ones of their name, but only when
// they are whole. What fails, or is killed, leaves the older one as it was.
package wholefile

import (
	"io/fs"
	"os"
	"path/filepath"
)

// Suffix is what a file's name has behind it until it is whole.
const Suffix = ".part"

// A File is a file being written. It ends with Commit or Discard.
type File struct {
	*os.File
	path string // empty when it has its name already: a pipe or a device
}

// Create begins the file that is to be called path. A pipe or a device is written to as it is, a link is followed.
func Create(path string) (*File, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // of a folder it says that it is one
		return &File{File: f}, err
	}
	if target, linked := filepath.EvalSymlinks(path); linked == nil {
		path = target
	}
	f, created := os.Create(path + Suffix)
	if created == nil && err == nil {
		f.Chmod(info.Mode().Perm()) // what the older one allowed; where modes cannot be set there are none
	}
	return &File{f, path}, created
}

// Commit closes the file and gives it its name. When that fails nothing is left of it.
func (f *File) Commit() error {
	err := f.Close()
	if f.path == "" {
		return err
	}
	if err == nil {
		err = os.Rename(f.path+Suffix, f.path)
	}
	if err != nil {
		f.Discard()
	}
	return err
}

// Discard removes what was written. It does not close the file, which may be in the middle of a write when a signal ends the tool.
func (f *File) Discard() {
	if f.path != "" {
		os.Remove(f.path + Suffix)
	}
}

// Write makes a file with what fill writes.
func Write(path string, fill func(*os.File) error) error {
	f, err := Create(path)
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
