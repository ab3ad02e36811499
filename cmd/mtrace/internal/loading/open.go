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

// ProfiledRecords is the number of records of a long trace that are profiled at a time.
const ProfiledRecords = 3 << 17

// Sliced has the length from which a trace is exported in slices, and the length of slices.
var Sliced = report.UsualLimits

// CutError returns an error for a cut or damaged trace after its contents were used, so that scripts do not mistake it
// for a complete one.
func CutError(t *analyze.Trace) error {
	if t.Source.Short == nil {
		return nil
	}
	return IncompleteFile(t.Source.Path, t.Source.Short.Kind)
}

// An incompleteError states that the output covers only part of a recording.
type incompleteError struct{ error }

// IncompleteFile returns the error for an incomplete trace. A repaired trace is not an error.
func IncompleteFile(path, kind string) error {
	switch path = filepath.Base(path); kind {
	case analyze.Repaired:
		return nil
	case analyze.Damaged:
		return cli.AsStatus(incompleteError{fmt.Errorf("%s is damaged: the output covers only its readable parts; copy it again "+
			"from where it was recorded, or write the readable parts to a new file with mtrace repair", path)})
	}
	return cli.AsStatus(incompleteError{fmt.Errorf("%s is cut: the output covers only the data before the cut; trace the "+
		"program again for the whole", path)})
}

// LoadTrace loads one trace for a command that reads traces.
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

// OpenTrace opens one trace for a command that reads traces.
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

// EachTrace continues after an incomplete trace, and returns the first such error.
func EachTrace(paths []string, use func(path string) error) error {
	var incomplete error
	for _, path := range paths {
		err := use(path)
		var short incompleteError
		if errors.As(err, &short) { // the readable part of it was used
			incomplete = cmp.Or(incomplete, err)
		} else if err != nil {
			return err
		}
	}
	return incomplete
}
