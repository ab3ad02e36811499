package show

import (
	"mtrace/analyze"
	"mtrace/analyze/report"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/cmd/mtrace/internal/loading"
)

// BuildReport builds the report on a trace, or on the selected part of it. A trace that is too long for memory is
// read range by range.
func BuildReport(p *loading.Selection, std cli.Stdio, path string, opts report.Options) (*report.Report, *analyze.Trace,
	error) {
	if !loading.Instruments(path) {
		file, err := loading.OpenTrace(path)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		if asked := p.Options(); report.UsualLimits.Long(file, asked) {
			if opts.Progress == nil {
				opts.Progress = loading.ShowSteps(std, path, file, asked)
			}
			return report.BuildLong(file, asked, opts)
		}
	}
	trace, err := p.Load(std, path, nil)
	if err != nil {
		return nil, nil, err
	}
	return report.Build(trace, opts), trace, nil
}
