package show

import (
	"os"
	"path/filepath"

	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// tracesIn replaces folders among the paths by the traces in them, in the order of their names. A folder that is a
// recording of Instruments, or has its exports, is kept.
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
			return nil, cli.UsageError("%s is a folder without a trace (*.mtrace)", path)
		}
	}
	return all, nil
}

// table reports whether the text is one line for each trace: for several traces without --section.
func (v *ReportView) table(paths []string) bool {
	return len(paths) > 1 && v.JSON == "" && len(v.Sections) == 0 && len(v.whatIf) == 0
}

// printRuns prints a table of the traces.
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
