package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mtrace/analyze"
	"mtrace/analyze/report"
)

// profiledRecords is how many records of a long trace are looked at at once for its profiles.
const profiledRecords = 3 << 17

// sliced says from when on a trace is exported slice by slice, and how long slices are.
var sliced = report.UsualLimits

// cutError is the error for a cut or damaged trace after its contents were used: scripts must not mistake it for a
// whole one.
func cutError(t *analyze.Trace) error {
	if t.Source.Short == nil {
		return nil
	}
	return incompleteFile(t.Source.Path, t.Source.Short.Kind)
}

// An incompleteError states that the output covers only part of a recording.
type incompleteError struct{ error }

// incompleteFile is the error for an incomplete trace. A repaired trace is not an error.
func incompleteFile(path, kind string) error {
	switch path = filepath.Base(path); kind {
	case analyze.Repaired:
		return nil
	case analyze.Damaged:
		return status{exitUsage, incompleteError{fmt.Errorf("%s is damaged: this covers only what can be read of it; copy "+
			"it again from where it was recorded, or "+
			"keep what mtrace repair makes of it", path)}}
	}
	return status{exitUsage, incompleteError{fmt.Errorf("%s is cut: this covers only what was written before; trace "+
		"the program again for the whole", path)}}
}

// loadTrace loads one trace for a command that reads traces.
func loadTrace(path string, opts analyze.Options) (*analyze.Trace, error) {
	file, err := openTrace(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	trace, err := file.Load(opts)
	if err != nil {
		return nil, status{exitUsage, orUnfinished(path, err)}
	}
	return trace, nil
}

// openTrace opens one trace for a command that reads traces.
func openTrace(path string) (*analyze.File, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return nil, usageError("%s is a folder, not a trace", path)
	}
	boundHeap()
	file, err := analyze.Open(path)
	if err != nil {
		return nil, status{exitUsage, orUnfinished(path, err)}
	}
	return file, nil
}

// eachTrace continues after a trace that is not whole, and returns the first such error.
func eachTrace(paths []string, use func(path string) error) error {
	var incomplete error
	for _, path := range paths {
		err := use(path)
		var short incompleteError
		if errors.As(err, &short) { // it was used as far as it goes
			incomplete = cmp.Or(incomplete, err)
		} else if err != nil {
			return err
		}
	}
	return incomplete
}
