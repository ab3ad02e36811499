package wholefile

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"

	"golang.org/x/sys/unix"
)

// A Use says how a command must write to a path that the user named.
type Use int

const (
	AsANewFile Use = iota // no file has the name, or it may be replaced
	AsItIs                // a pipe, a device or a descriptor
)

// An ExistsError reports that a path exists and the user did not ask to replace it.
type ExistsError struct {
	Path string
	Link bool // the path is a symbolic link
}

func (e *ExistsError) Error() string {
	if e.Link {
		return e.Path + " is a symbolic link, which is not followed: name the file that it leads to, or give " +
			"--force to replace the link"
	}
	return e.Path + " exists already: name another file, or give --force to replace it"
}

// Is makes errors.Is(err, fs.ErrExist) true for an ExistsError.
func (e *ExistsError) Is(target error) bool { return target == fs.ErrExist }

// CheckTarget returns how a command must write to a path, or an error if it must not write there. Commands call it
// before long work, so that a mistake is reported at once.
func CheckTarget(path string, replace bool) (Use, error) {
	if descriptor.MatchString(path) {
		return AsItIs, nil
	}
	info, err := os.Lstat(path)
	if err != nil {
		return AsANewFile, nil // creating the file will return the error
	}
	if there, err := os.Stat(path); err == nil && there.IsDir() {
		return 0, fmt.Errorf("%s is a folder: give the name of a file to write", path)
	}
	link := info.Mode().Type() == fs.ModeSymlink
	switch {
	case !link && !info.Mode().IsRegular():
		if !replace && ofAnotherUser(info) {
			return 0, fmt.Errorf("%s is a pipe or a device of another user, who could read what is written: "+
				"name another file, or give --force", path)
		}
		return AsItIs, nil
	case !replace:
		return 0, &ExistsError{path, link}
	}
	return AsANewFile, nil
}

// ofAnotherUser reports whether a file belongs to another user, who could read what is written to it. Files of root
// do not count.
func ofAnotherUser(info fs.FileInfo) bool {
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && owner.Uid != 0 && int(owner.Uid) != os.Geteuid() && int(owner.Uid) != os.Getuid()
}

// descriptor matches the paths of open descriptors, such as /dev/stdout. Only the system creates these paths, so
// following them is safe.
var descriptor = regexp.MustCompile(`^(?:/dev/(stdout|stderr)|/(?:dev|proc/self)/fd/(\d{1,9})|/proc/\d+/fd/\d+)$`)

// waiting is where Open writes that it waits for a pipe's reader.
var waiting io.Writer = os.Stderr

// Open opens a path for which Look returned AsItIs. If it is a pipe that nobody reads yet, Open reports that and
// waits for a reader.
func Open(path string) (*os.File, error) {
	if m := descriptor.FindStringSubmatch(path); m != nil {
		number, err := strconv.Atoi(m[2])
		switch {
		case m[1] == "stdout":
			number, err = 1, nil
		case m[1] == "stderr":
			number, err = 2, nil
		}
		if err != nil { // the path names a descriptor of another process
			return os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
		}
		// duplicate the descriptor instead of opening the file again: a newly opened one would begin at the start of
		// the file and overwrite what the shell wrote before
		copied, err := unix.FcntlInt(uintptr(number), unix.F_DUPFD_CLOEXEC, 3)
		if err != nil {
			return nil, &fs.PathError{Op: "open", Path: path, Err: err}
		}
		return os.NewFile(uintptr(copied), path), nil
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() == fs.ModeNamedPipe {
		probe, err := unix.Open(path, unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
		if err == unix.ENXIO {
			fmt.Fprintf(waiting, "mtrace: %s is a pipe that nobody reads yet: waiting for its reader\n",
				filepath.Base(path))
		}
		if err == nil {
			defer unix.Close(probe) // only after the file is open, otherwise the reader would see an end of file
		}
	}
	return os.OpenFile(path, os.O_WRONLY|unix.O_NOFOLLOW, 0)
}
