package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
)

// A Phase is a range of the run whose verdict differs from the neighbouring ranges' verdicts.
type Phase struct {
	BeginNS    int64   `json:"begin_ns"` // from the beginning of the window
	EndNS      int64   `json:"end_ns"`
	Verdict    string  `json:"verdict"`
	Share      float64 `json:"share"`
	Confidence float64 `json:"confidence"`
	Summary    string  `json:"summary"`
}

const (
	phaseBuffers    = 40   // command buffers that a phase must have
	phaseConfidence = 0.55 // minimum confidence of the phase's verdict
	phaseShare      = 0.2  // minimum share of the threads' time that the phase's cause must explain
	phaseNone       = 0.1  // maximum share that a cause may explain in a phase whose verdict is that there is none
)

// buildPhases splits the run where the threads' use of time changes, and analyses each range separately. Phases are
// only reported if their verdicts differ and all are well supported. They are needed if causes alternate over time:
// the verdict on the whole run names only the most expensive cause, and not when it applies.
func buildPhases(r *Report, a *cause.Analysis, opts Options) {
	r.Serialization.Phases = []Phase{}
	shifts := evidence.Shifts(a.Evidence.Work, &a.Evidence.Times, a.Evidence.Blocked)
	if opts.Range == nil || len(shifts) == 0 {
		return
	}
	t := a.Evidence.Trace
	begin := t.TimeRange.Begin
	var found []Phase
	for _, end := range append(shifts, t.TimeRange.End) {
		part, err := opts.Range(begin-t.Run.Origin, end-t.Run.Origin)
		if err != nil {
			return // the trace was read from a stream and cannot be read again
		}
		if len(part.CommandBuffers) < phaseBuffers {
			return
		}
		v := cause.Analyze(part, cause.Options{Seed: opts.Seed}).Verdict
		p := Phase{int64(begin - t.TimeRange.Begin), int64(end - t.TimeRange.Begin), v.Cause, v.Share, v.Confidence,
			v.Summary}
		if !p.supported() {
			return
		}
		if n := len(found); n > 0 && found[n-1].Verdict == p.Verdict {
			found[n-1].EndNS = p.EndNS
		} else {
			found = append(found, p)
		}
		begin = end
	}
	if len(found) > 1 {
		r.Serialization.Phases = found
	}
}

func (p *Phase) supported() bool {
	if p.Verdict == cause.None {
		return p.Share < phaseNone
	}
	return p.Confidence >= phaseConfidence && p.Share >= phaseShare
}

// PhaseLine returns one line on how the verdict changes during the run; empty if the run has no phases.
func (s Serialization) PhaseLine() string {
	var parts []string
	for i, p := range s.Phases {
		what := p.Verdict
		if what != cause.None {
			what = fmt.Sprintf("%s (%s of the threads' time)", what, analyze.FormatShare(p.Share))
		}
		if i < len(s.Phases)-1 {
			what += fmt.Sprintf(" until %s", analyze.Nanos(p.EndNS))
		}
		parts = append(parts, what)
	}
	if len(parts) == 0 {
		return ""
	}
	return "It changes over time: " + strings.Join(parts, ", then ") + "."
}
