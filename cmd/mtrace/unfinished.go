package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"mtrace/analyze/wholefile"
	"mtrace/collector/tracefile"
)

// An unfinished is the file of a trace while it is recorded. It is called FILE.part until it is whole, so that nothing
// that was there is harmed before, and so that whoever kills mtrace finds what was recorded under a name that states
// what it is.
type unfinished struct {
	*os.File
	path string      // of the unfinished file
	info fs.FileInfo // of it, to know it again
	kept bool        // a pipe or a device: it has its name already
}

// partSuffix is what the name of an unfinished trace ends in.
const partSuffix = wholefile.Suffix

// beginTrace makes the file for the trace that is to be called path. What is there already is not touched; without
// force it is an error, as is an unfinished trace of that name: it may be all that is left of a recording, or one that
// is continuing.
func beginTrace(path string, force bool) (*unfinished, error) {
	use, err := wholefile.Look(path, force)
	if errors.Is(err, fs.ErrExist) {
		return nil, status{exitUsage, err}
	}
	if err != nil {
		return nil, err
	}
	if use == wholefile.AsItIs {
		f, err := wholefile.Open(path)
		if err != nil {
			return nil, err
		}
		return &unfinished{File: f, path: path, kept: true}, nil
	}
	if force {
		if err := os.Remove(path + partSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	u, err := newUnfinished(path + partSuffix)
	if errors.Is(err, fs.ErrExist) {
		return nil, usageError("%s is there already: the rest of a recording that was killed, which mtrace report reads, "+
			"or one that still runs; move it away, or "+
			"give --force to replace it", path+partSuffix)
	}
	return u, err
}

func newUnfinished(path string) (*unfinished, error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		f.Close()
		return nil, err
	}
	tracefile.MarkWritten(f)
	return &unfinished{File: f, path: path, info: info}, nil
}

// beginUnnamed makes the file for a trace whose name is not known yet: it is hidden for as long.
func beginUnnamed(dir, base string) (*unfinished, error) {
	for n := 1; ; n++ {
		u, err := newUnfinished(filepath.Join(dir, "."+numbered(fmt.Sprintf("%s-%d", base, os.Getpid()), n)+partSuffix))
		if !errors.Is(err, fs.ErrExist) {
			return u, err
		}
	}
}

// exists says whether anything has a name.
func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// numbered is the n-th name for a trace called base.
func numbered(base string, n int) string {
	if n > 1 {
		base += "-" + strconv.Itoa(n)
	}
	return base + ".mtrace"
}

// nameAfter gives the trace, still unfinished, the first name made of base that nothing has, neither a trace nor an
// unfinished one.
func (u *unfinished) nameAfter(base string) error {
	dir := filepath.Dir(u.path)
	for n := 1; ; n++ {
		path := filepath.Join(dir, numbered(base, n))
		if exists(path) {
			continue
		}
		err := wholefile.RenameToNew(u.path, path+partSuffix)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			u.path = path + partSuffix
		}
		return err
	}
}

// finish gives the trace, which is closed, its name, and returns it: over another file only when force says so. When
// that cannot be, it stays as it is and its path is that of the unfinished one.
func (u *unfinished) finish(force bool) (path string, err error) {
	if u.kept {
		return u.path, nil
	}
	if err := u.check(); err != nil {
		return u.path, err
	}
	path = u.path[:len(u.path)-len(partSuffix)]
	if force {
		err = os.Rename(u.path, path)
	} else if err = wholefile.RenameToNew(u.path, path); errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("%s was made by somebody else meanwhile: the trace is %s", path, u.path)
	}
	if err != nil {
		return u.path, err
	}
	return path, nil
}

// finishNumbered is finish for a name that nobody chose: when it is taken meanwhile, the next one is as good.
func (u *unfinished) finishNumbered(base string) (path string, err error) {
	for {
		path, err = u.finish(false)
		if err == nil || u.check() != nil {
			return path, err
		}
		if err := u.nameAfter(base); err != nil {
			return u.path, err
		}
	}
}

// check says when the file is not where it was made: somebody moved or removed it, or put another in its place.
func (u *unfinished) check() error {
	info, err := os.Lstat(u.path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s is not there any more: it, or its folder, was moved while it was recorded, or it was "+
			"removed, and what it held is lost", u.path)
	case err != nil:
		return err
	case !os.SameFile(info, u.info):
		return fmt.Errorf("%s was replaced by another file while it was recorded, and what it held is lost", u.path)
	}
	return nil
}

// discard removes the file of a trace that nobody needs.
func (u *unfinished) discard() {
	if !u.kept && u.check() == nil {
		os.Remove(u.path)
	}
}

// orUnfinished adds to the error of opening a trace, when only an unfinished one of that name is there, where that is.
func orUnfinished(path string, err error) error {
	if _, there := os.Stat(path + partSuffix); errors.Is(err, fs.ErrNotExist) && there == nil {
		return fmt.Errorf("%w; there is %s, of a recording that was killed or still runs: mtrace reads it as "+
			"far as it goes", err, path+partSuffix)
	}
	return err
}
