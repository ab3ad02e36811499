package main

import (
	"time"

	"mtrace/analyze"
	"mtrace/analyze/report"
)

// mostHeld is how many records an export keeps the command buffers and waits of in memory, about two gigabytes: they are put in order before they
// are written.
var mostHeld int64 = 1 << 24

// profiledRecords is how many records of a long trace are looked at at once for its profiles.
const profiledRecords = 3 << 17

// held says when a part of a trace is too long for an export, and which parts are not.
func (p *part) held(path string) error {
	file, err := openTrace(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if file.Records() <= mostHeld || len(file.Parts(p.options(), mostHeld)) == 1 {
		return nil
	}
	parts := file.Parts(p.options(), mostHeld/2) // each has some more or less
	fits := parts[len(parts)/2]
	if fits.To == 0 {
		fits = parts[len(parts)/2-1]
	}
	return usageError("%s has %d records, and an export holds %d at most in memory: name a part of it, as --from %v --to %v",
		path, file.Records(), mostHeld, short(fits.From), short(fits.To))
}

// short is an instant as people type it.
func short(at analyze.Nanos) time.Duration { return time.Duration(at).Round(time.Millisecond) }

// buildReport makes the report on one trace, or on the part of it that is asked for, however long it is.
func (p *part) buildReport(std stdio, path string, opts report.Options) (*report.Report, *analyze.Trace, error) {
	if !instruments(path) {
		file, err := openTrace(path)
		if err != nil {
			return nil, nil, err
		}
		defer file.Close()
		if asked := p.options(); report.UsualLimits.Long(file, asked) {
			return report.BuildLong(file, asked, opts, showSteps(std, path))
		}
	}
	trace, err := p.load(std, path, nil)
	if err != nil {
		return nil, nil, err
	}
	return report.Build(trace, opts), trace, nil
}
