package summary

import (
	"fmt"

	"mtrace/analyze/cause"
)

// Verdict is the verdict that mtrace report would give on this recording, computed by package cause, with the figures
// that support it.
type Verdict struct {
	Verdict    string   `json:"verdict"` // as of the report
	Summary    string   `json:"summary"`
	Evidence   []string `json:"evidence"`
	RuledOut   []string `json:"ruled_out"`
	CannotTell string   `json:"cannot_tell"`
}

// verdict applies the rules of mtrace report to the trace that was built from the recording, and adds figures from the
// summary.
func (m *modeller) verdict(s *Summary) Verdict {
	judged := cause.Analyze(m.trace, cause.Options{}).Verdict
	v := Verdict{Verdict: judged.Cause, Summary: judged.Summary, Evidence: []string{}, RuledOut: []string{},
		CannotTell: "locks, waits and the interpreter: " + cause.Unrecorded}
	say := func(format string, args ...any) { v.Evidence = append(v.Evidence, fmt.Sprintf(format, args...)) }
	if g := s.GPU; g != nil {
		say("the GPU was busy for %s of the window, with the subject's work for %s", percent(g.All.BusyShare),
			percent(g.Own.BusyShare))
	}
	if f := s.InFlight; f != nil {
		say("command buffers in flight: mean %.2f, most %d", f.Mean, f.Max)
	}
	if l := s.Latency.CommitToGPU; l != nil {
		say("from commit to GPU start: median %s", l.P50NS)
	}
	for _, f := range judged.Causes {
		v.Evidence = append(v.Evidence, f.Evidence...)
	}
	for _, f := range judged.RuledOut {
		v.RuledOut = append(v.RuledOut, f.Cause+": "+f.Why)
	}
	return v
}
