package main

import (
	"mtrace/analyze"
	"mtrace/analyze/report"
)

// buildReport makes the report on one trace, or on the part of it that is asked for, however long it is.
func buildReport(p *part, std stdio, path string, opts report.Options) (*report.Report, *analyze.Trace, error) {
	if !instruments(path) {
		file, err := openTrace(path)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		if asked := p.options(); report.UsualLimits.Long(file, asked) {
			return report.BuildLong(file, asked, opts, showSteps(std, path, file, asked))
		}
	}
	trace, err := p.load(std, path, nil)
	if err != nil {
		return nil, nil, err
	}
	return report.Build(trace, opts), trace, nil
}
