// Package loading opens traces and recordings of Instruments, and the range of them that flags select, for the commands
// that read them.
package loading

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
)

// ProfiledRecords is how many records of a long trace are read at a time for profiles, which bounds the memory. Reports
// read as many, so that a page and mtrace pprof show the same profiles.
const ProfiledRecords = 3 << 16

// Sliced says how long a trace must be to be exported in slices (ranges of time), and how long a slice is.
var Sliced = report.UsualLimits

// CutError returns an error if the trace is cut or damaged. Commands return it after they printed their result, so
// that scripts see that the result is incomplete.
func CutError(t *analyze.Trace) error {
	if t.Source.Short == nil {
		return nil
	}
	return IncompleteFile(t.Source.Path, t.Source.Short.Kind)
}

// An incompleteError says that the output covers only a part of the recording.
type incompleteError struct{ error }

// IncompleteFile returns the error for a cut or damaged trace. It returns nil for a trace that mtrace repair wrote:
// the user already knows that parts of it are missing.
func IncompleteFile(path, kind string) error {
	switch path = filepath.Base(path); kind {
	case analyze.Repaired:
		return nil
	case analyze.Damaged:
		return cli.AsStatus(incompleteError{fmt.Errorf("%s is damaged: the output covers only its readable parts; "+
			"copy it again from the machine that recorded it, "+
			"or let mtrace repair write a new file with the readable parts", path)})
	}
	return cli.AsStatus(incompleteError{fmt.Errorf("%s is cut: the output covers only the data before the cut; "+
		"trace the program again for a complete trace", path)})
}

// LoadTrace reads one trace of mtrace. Its errors name an unfinished FILE.part if only that exists.
func LoadTrace(path string, opts analyze.Options) (*analyze.Trace, error) {
	file, err := OpenTrace(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	trace, err := file.Load(opts)
	if err != nil {
		return nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	return trace, nil
}

// OpenTrace opens one trace of mtrace, and limits the memory for reading it.
func OpenTrace(path string) (*analyze.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, cli.UsageError("%s is a folder, not a trace", path)
	}
	BoundHeap()
	file, err := analyze.Open(path)
	if err != nil {
		return nil, cli.Status{Code: cli.ExitUsage, Err: cli.OrUnfinished(path, err)}
	}
	return file, nil
}

// EachTrace calls `use` for each path. If a trace is incomplete, EachTrace continues with the next one and returns
// the error at the end. Any other error is returned at once.
func EachTrace(paths []string, use func(path string) error) error {
	var incomplete error
	for _, path := range paths {
		err := use(path)
		var short incompleteError
		if errors.As(err, &short) { // the readable part of the trace was used
			incomplete = cmp.Or(incomplete, err)
		} else if err != nil {
			return err
		}
	}
	return incomplete
}
