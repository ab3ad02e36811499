package report

import (
	"strings"
	"testing"

	"mtrace/analyze"
)

// A report mentions that other programs used the processors, if they did, and nothing if that is unknown.
func TestBusyMachine(t *testing.T) {
	for _, c := range []struct {
		had  analyze.Nanos // hundredths of one of two processors
		said string
	}{{-1, ""}, {4, ""}, {124, "other programs used 62"}} {
		p := &analyze.Process{ID: 7}
		trace := &analyze.Trace{Processes: []*analyze.Process{p}, TimeRange: analyze.Interval{End: 1e9},
			Source: analyze.Source{Processors: 2}}
		if c.had >= 0 {
			p.CPUSamples = []analyze.CPUSample{{}, {At: 1e9, Ran: 3e8}}
			p.OfMachine = []analyze.CPUSample{{}, {At: 1e9, Ran: 3e8 + c.had*1e7}}
		}
		r := Build(trace, Options{})
		if known := r.Source.OthersShare != nil; known != (c.had >= 0) || r.Source.Processors != 2 {
			t.Errorf("%d: known %v of %d processors", c.had, known, r.Source.Processors)
		}
		if said := r.Source.Busy(); !strings.HasPrefix(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%d: %q, want %q", c.had, said, c.said)
		}
	}
}
