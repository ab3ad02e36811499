package cli

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

// An Unfinished is the file of a trace during the recording. It is called FILE.part until it is complete. So an
// existing file is not damaged, and if mtrace is killed, the partial recording has a name that shows what it is.
type Unfinished struct {
	*os.File
	Path string      // of the unfinished file
	info fs.FileInfo // of it, to know it again
	Kept bool        // a pipe or a device, which has its final name already
}

// PartSuffix is the suffix of an unfinished trace's name.
const PartSuffix = wholefile.Suffix

// BeginTrace creates the file for a trace with the final name path. An existing file is not touched; without force it
// is an error, as is an unfinished trace of that name: it may be all that is left of a recording, or belong to one in
// progress.
func BeginTrace(path string, force bool) (*Unfinished, error) {
	use, err := wholefile.Look(path, force)
	if errors.Is(err, fs.ErrExist) {
		return nil, Status{ExitUsage, err}
	}
	if err != nil {
		return nil, err
	}
	if use == wholefile.AsItIs {
		f, err := wholefile.Open(path)
		if err != nil {
			return nil, err
		}
		return &Unfinished{File: f, Path: path, Kept: true}, nil
	}
	if force {
		if err := os.Remove(path + PartSuffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	u, err := newUnfinished(path + PartSuffix)
	if errors.Is(err, fs.ErrExist) {
		return nil, UsageError("%s exists already: it belongs to a recording that was killed, which mtrace report reads, "+
			"or that still runs; move it away, or "+
			"give --force to replace it", path+PartSuffix)
	}
	return u, err
}

func newUnfinished(path string) (*Unfinished, error) {
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
	return &Unfinished{File: f, Path: path, info: info}, nil
}

// BeginUnnamed creates a hidden file for a trace whose name is not known yet.
func BeginUnnamed(dir, base string) (*Unfinished, error) {
	for n := 1; ; n++ {
		u, err := newUnfinished(filepath.Join(dir, "."+Numbered(fmt.Sprintf("%s-%d", base, os.Getpid()), n)+PartSuffix))
		if !errors.Is(err, fs.ErrExist) {
			return u, err
		}
	}
}

// Exists says whether anything has a name.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Numbered returns the n-th possible name for a trace called base.
func Numbered(base string, n int) string {
	if n > 1 {
		base += "-" + strconv.Itoa(n)
	}
	return base + ".mtrace"
}

// NameAfter names the unfinished trace with the first free name derived from base: neither a trace nor an unfinished
// one has it.
func (u *Unfinished) NameAfter(base string) error {
	dir := filepath.Dir(u.Path)
	for n := 1; ; n++ {
		path := filepath.Join(dir, Numbered(base, n))
		if Exists(path) {
			continue
		}
		err := wholefile.RenameToNew(u.Path, path+PartSuffix)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err == nil {
			u.Path = path + PartSuffix
		}
		return err
	}
}

// Finish gives the closed trace its final name, and returns it. It replaces another file only with force. If renaming
// is impossible, it returns the path of the unfinished file.
func (u *Unfinished) Finish(force bool) (path string, err error) {
	if u.Kept {
		return u.Path, nil
	}
	if err := u.check(); err != nil {
		return u.Path, err
	}
	path = u.Path[:len(u.Path)-len(PartSuffix)]
	if force {
		err = os.Rename(u.Path, path)
	} else if err = wholefile.RenameToNew(u.Path, path); errors.Is(err, fs.ErrExist) {
		err = fmt.Errorf("another program created %s in the meantime: the trace is %s", path, u.Path)
	}
	if err != nil {
		return u.Path, err
	}
	return path, nil
}

// FinishNumbered is Finish for a generated name: if the name was taken in the meantime, the next one is used.
func (u *Unfinished) FinishNumbered(base string) (path string, err error) {
	for {
		path, err = u.Finish(false)
		if err == nil || u.check() != nil {
			return path, err
		}
		if err := u.NameAfter(base); err != nil {
			return u.Path, err
		}
	}
}

// check returns an error if the file is no longer at its path: it was moved, removed or replaced.
func (u *Unfinished) check() error {
	info, err := os.Lstat(u.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s does not exist any more: it, or its folder, was moved while it was recorded, or it was "+
			"removed, and its content is lost", u.Path)
	case err != nil:
		return err
	case !os.SameFile(info, u.info):
		return fmt.Errorf("%s was replaced by another file while it was recorded, and its content is lost", u.Path)
	}
	return nil
}

// Discard removes the file of a trace that is not needed.
func (u *Unfinished) Discard() {
	if !u.Kept && u.check() == nil {
		os.Remove(u.Path)
	}
}

// OrUnfinished extends the error of opening a trace: if only an unfinished one of that name exists, it names that.
func OrUnfinished(path string, err error) error {
	if _, there := os.Stat(path + PartSuffix); errors.Is(err, fs.ErrNotExist) && there == nil {
		return fmt.Errorf("%w; there is %s, of a recording that was killed or still runs: mtrace reads it as "+
			"far as it goes", err, path+PartSuffix)
	}
	return err
}
