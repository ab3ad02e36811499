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

// An Unfinished is the file of a trace that is still being recorded. It is named FILE.part until it is complete, so
// an older FILE stays intact, and after a crash the name shows that the recording is partial.
type Unfinished struct {
	*os.File
	Path string      // path of the unfinished file
	info fs.FileInfo // identity of the file, to notice if another file replaced it
	Kept bool        // the path is a pipe or a device: it is not renamed
}

// PartSuffix is appended to a trace's name while it is being recorded.
const PartSuffix = wholefile.Suffix

// BeginTrace creates PATH.part for a trace that will be named path. Without force it fails if path or PATH.part
// exists: PATH.part may be all that is left of a recording, or another mtrace may still be writing it.
func BeginTrace(path string, force bool) (*Unfinished, error) {
	use, err := wholefile.CheckTarget(path, force)
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
		return nil, UsageError("%s exists already: its recording was killed, or still runs. "+
			"Look at it with mtrace report, then move it away, or give --force to replace it", path+PartSuffix)
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

// BeginUnnamed creates a hidden file for a trace whose final name is chosen later, by NameAfter.
func BeginUnnamed(dir, base string) (*Unfinished, error) {
	for n := 1; ; n++ {
		u, err := newUnfinished(filepath.Join(dir, "."+Numbered(fmt.Sprintf("%s-%d", base, os.Getpid()), n)+PartSuffix))
		if !errors.Is(err, fs.ErrExist) {
			return u, err
		}
	}
}

// Exists reports whether a file, folder or symbolic link (even a broken one) has this name.
func Exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// Numbered returns the name of the n-th trace called base: base.mtrace, base-2.mtrace and so on.
func Numbered(base string, n int) string {
	if n > 1 {
		base += "-" + strconv.Itoa(n)
	}
	return base + ".mtrace"
}

// NameAfter renames the unfinished trace to the first of base, base-2, ... that neither a trace nor another
// unfinished trace uses.
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

// Finish renames the trace from FILE.part to FILE and returns its path. It replaces an existing FILE only with force.
// On an error it returns the path that the trace still has.
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
		err = fmt.Errorf("another program created %s during the recording: the trace is complete, but named %s",
			path, u.Path)
	}
	if err != nil {
		return u.Path, err
	}
	return path, nil
}

// FinishNumbered is Finish for a name that mtrace chose: if another program has created that file meanwhile, the
// trace gets the next number.
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

// check returns an error if the file was moved, removed or replaced during the recording: Finish would otherwise
// rename a file that is not this trace.
func (u *Unfinished) check() error {
	info, err := os.Lstat(u.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s was moved or removed during the recording (or its folder was): "+
			"look for it where it was moved; if it was removed, the trace is lost", u.Path)
	case err != nil:
		return err
	case !os.SameFile(info, u.info):
		return fmt.Errorf("%s was replaced by another file during the recording: the trace is lost", u.Path)
	}
	return nil
}

// Discard removes the file of a trace that is not needed, unless somebody has replaced it.
func (u *Unfinished) Discard() {
	if !u.Kept && u.check() == nil {
		os.Remove(u.Path)
	}
}

// OrUnfinished extends the error of opening a trace that does not exist: if there is an unfinished recording
// FILE.part, the message names it.
func OrUnfinished(path string, err error) error {
	if _, there := os.Stat(path + PartSuffix); errors.Is(err, fs.ErrNotExist) && there == nil {
		return fmt.Errorf("%w; %s exists, of a recording that was killed or still runs: "+
			"open that file to see what was recorded so far", err, path+PartSuffix)
	}
	return err
}
