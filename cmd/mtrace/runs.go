package main

import (
	"os"
	"path/filepath"

	"mtrace/analyze/report"
)

// tracesIn are the paths with the traces that are in a folder in the place of the folder, in the order of their names.
// A folder that is a recording of Instruments, or has its exports, stays what it is.
func tracesIn(paths []string) (all []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || instruments(path) {
			all = append(all, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, usageError("%w", err)
		}
		before := len(all)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".mtrace" && !e.IsDir() {
				all = append(all, filepath.Join(path, e.Name()))
			}
		}
		if len(all) == before {
			return nil, usageError("%s is a folder without a trace (*.mtrace)", path)
		}
	}
	return all, nil
}

// table reports whether the text is one line for each trace: for several traces without --section.
func (v *reportView) table(paths []string) bool {
	return len(paths) > 1 && v.json == "" && len(v.sections) == 0 && len(v.whatIf) == 0
}

// printRuns prints a table of the traces.
func (v *reportView) printRuns(std stdio, paths []string) error {
	opts, err := v.options(std)
	if err != nil {
		return err
	}
	opts.Sections = []string{"verdict", "gpu"}
	var runs []*report.Report
	incomplete := eachTrace(paths, func(path string) error {
		r, trace, err := v.build(std, path, opts)
		if err != nil {
			return err
		}
		runs = append(runs, r)
		return cutError(trace)
	})
	if len(runs) < len(paths) {
		return incomplete
	}
	if err := report.WriteRuns(std.out, runs, opts); err != nil {
		return err
	}
	return incomplete
}
