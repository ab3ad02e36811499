package relay

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"mtrace/collector/tracefile"
)

// A spool is the copy of a trace on disk, until a receiver has it. Each spool has its own folder, inside one folder
// for all spools of the user. A running mtrace keeps its spool's folder locked, and the system releases the lock when
// the process ends. So a folder that is not locked was left by an mtrace that was killed.

const (
	lockName  = "lock"
	aboutName = "about.json"
	keptName  = "kept"

	placePrefix = "run-"
	newPrefix   = "new-"    // prefix of a folder that is being created, before its lock and its about.json exist
	newForgiven = time.Hour // age at which a folder with newPrefix counts as abandoned and is removed
)

// A spoolFolder is the folder of one spool (a trace on disk that is being sent), with its lock.
type spoolFolder struct {
	dir  string
	lock *os.File
}

// About describes who made a spool and for which collector. It is a JSON file in the spool's folder, for Sweep and
// for a user who finds the folder.
type About struct {
	Name    string    `json:"name"`    // name of the trace
	Address string    `json:"address"` // address of the collector that gets the trace
	PID     int       `json:"pid"`     // process id of the mtrace that created the spool
	Started time.Time `json:"started"`
}

// spoolsFolder creates and returns the folder of this user's spools. It prefers the system's folder for caches, which
// is on a disk. The folder for temporary files is often in memory, and a spool could fill it.
func spoolsFolder() (string, error) {
	var failures []error
	folders := []string{filepath.Join(os.TempDir(), fmt.Sprintf("mtrace-spool-%d", os.Getuid()))}
	if caches, err := os.UserCacheDir(); err == nil {
		folders = slices.Insert(folders, 0, filepath.Join(caches, "mtrace", "spool"))
	}
	for _, folder := range folders {
		err := makePrivate(folder)
		if err == nil {
			return folder, nil
		}
		failures = append(failures, err)
	}
	return "", fmt.Errorf("create a folder for the spool: %w", errors.Join(failures...))
}

// makePrivate creates a folder, or checks that an existing one is accessible only to this user, because other users
// must not read traces.
func makePrivate(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	var stat unix.Stat_t
	if err := unix.Lstat(folder, &stat); err != nil {
		return err
	}
	if int(stat.Uid) != os.Getuid() || stat.Mode&unix.S_IFMT != unix.S_IFDIR || stat.Mode&0o077 != 0 {
		return fmt.Errorf("%s is open to other users: chmod 700 it, or remove it", folder)
	}
	return unix.Access(folder, unix.W_OK|unix.X_OK)
}

func newPlace(folder string, about About) (*spoolFolder, error) {
	dir, err := os.MkdirTemp(folder, newPrefix)
	if err != nil {
		return nil, fmt.Errorf("make a spool: %w", err)
	}
	p := &spoolFolder{dir: dir}
	if p.lock, err = lockFolder(dir); err == nil {
		err = os.WriteFile(filepath.Join(dir, aboutName), encode(about), 0o600)
	}
	if err == nil {
		p.dir = filepath.Join(folder, placePrefix+strings.TrimPrefix(filepath.Base(dir), newPrefix))
		err = os.Rename(dir, p.dir)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("make a spool: %w", err)
	}
	return p, nil
}

// lockFolder locks a folder until the returned file is closed. It returns an error if another process holds the lock.
func lockFolder(dir string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(dir, lockName), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

func (p *spoolFolder) remove() {
	os.RemoveAll(p.dir)
	p.lock.Close()
}

// A Recovered trace is the content of a spool whose mtrace was killed: at least the part of the trace that the
// receiver did not get.
type Recovered struct {
	About
	Path string
}

// Sweep looks for spools of killed mtrace processes, saves the content of each as a trace in the same folder, and
// removes the spool. Spools of running mtrace processes are locked and stay.
func Sweep() (all []Recovered, err error) {
	folder, err := spoolsFolder()
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(folder, e.Name())
		switch {
		case !e.IsDir():
		case strings.HasPrefix(e.Name(), newPrefix):
			if info, err := e.Info(); err == nil && time.Since(info.ModTime()) > newForgiven {
				os.RemoveAll(dir)
			}
		case strings.HasPrefix(e.Name(), placePrefix):
			held, locked := lockFolder(dir)
			if locked != nil {
				continue // the mtrace that writes it still runs
			}
			r, found, failed := recoverSpool(folder, dir)
			if err = errors.Join(err, failed); failed == nil {
				os.RemoveAll(dir)
			}
			if found {
				all = append(all, r)
			}
			held.Close()
		}
	}
	return all, err
}

// recoverSpool saves the content of an abandoned spool in dir as a trace in folder. found is false if the spool is
// empty.
func recoverSpool(folder, dir string) (r Recovered, found bool, err error) {
	if text, err := os.ReadFile(filepath.Join(dir, aboutName)); err == nil {
		json.Unmarshal(text, &r.About) // unknown fields stay empty
	}
	parts, closeParts, err := openParts(dir)
	if err != nil || parts == nil {
		return r, false, err
	}
	defer closeParts()
	file, err := createNew(folder, cleanName(r.Name+r.Started.UTC().Format("-20060102T150405Z")))
	if err != nil {
		return r, false, err
	}
	r.Path = file.Name()
	err = errors.Join(tracefile.Assemble(file, parts, "mtrace was killed while it sent this trace to another machine"),
		file.Close())
	if err != nil {
		os.Remove(r.Path)
		return r, false, fmt.Errorf("save the trace of %s that a killed mtrace left in %s: %w", r.Name, dir, err)
	}
	return r, true, nil
}

// openParts opens the files of the spool in dir and returns their concatenated content, or nil if there are none. The
// caller must call closeAll unless there was an error or parts is nil.
func openParts(dir string) (parts io.Reader, closeAll func(), err error) {
	names, err := filepath.Glob(filepath.Join(dir, strings.Repeat("[0-9]", 20)))
	if err != nil || len(names) == 0 {
		return nil, nil, err
	}
	slices.Sort(names)
	if _, err := os.Stat(filepath.Join(dir, keptName)); err == nil {
		names = slices.Insert(names, 0, filepath.Join(dir, keptName))
	}
	var files []*os.File
	var readers []io.Reader
	closeAll = func() {
		for _, f := range files {
			f.Close()
		}
	}
	for _, name := range names {
		file, err := os.Open(name)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		files, readers = append(files, file), append(readers, file)
	}
	return io.MultiReader(readers...), closeAll, nil
}
