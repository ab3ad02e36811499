package show

import (
	"os"
	"path/filepath"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// tracesIn replaces each folder in paths by the .mtrace files in it, sorted by name. A folder that is a recording of
// Instruments stays.
func tracesIn(paths []string) (all []string, err error) {
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil || !info.IsDir() || loading.Instruments(path) {
			all = append(all, path)
			continue
		}
		entries, err := os.ReadDir(path)
		if err != nil {
			return nil, cli.UsageError("%w", err)
		}
		before := len(all)
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".mtrace" && !e.IsDir() {
				all = append(all, filepath.Join(path, e.Name()))
			}
		}
		if len(all) == before {
			return nil, cli.UsageError("the folder %s has no trace (*.mtrace)", path)
		}
	}
	return all, nil
}

// table reports whether to print one line for each trace in place of whole reports: for several traces, unless flags
// ask for more.
func (v *ReportView) table(paths []string) bool {
	return len(paths) > 1 && v.JSON == "" && len(v.Sections) == 0 && len(v.whatIf) == 0
}

// printRuns prints a table with a line for each trace.
func (v *ReportView) printRuns(std cli.Stdio, paths []string) error {
	opts, err := v.Options(std)
	if err != nil {
		return err
	}
	opts.Sections = []string{"verdict", "gpu"}
	var runs []*report.Report
	incomplete := loading.EachTrace(paths, func(path string) error {
		r, trace, err := v.build(std, path, opts)
		if err != nil {
			return err
		}
		runs = append(runs, r)
		return loading.CutError(trace)
	})
	if len(runs) < len(paths) {
		return incomplete
	}
	if err := report.WriteRuns(std.Out, runs, opts); err != nil {
		return err
	}
	return incomplete
}
