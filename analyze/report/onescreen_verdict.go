package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/policy"
)

// screenVerdict writes the verdict line, the sentence behind it, its evidence, and what to do.
func screenVerdict(r *Report, w *sheet, rows screenRows) {
	s := &r.Serialization
	fmt.Fprintln(w)
	parts := s.headline()
	for i := range parts[:len(parts)-1] {
		parts[i] += " ·"
	}
	labelled(w, "VERDICT", parts)
	wrap(w, s.Summary, "  ", "  ")
	if line := s.PhaseLine(); line != "" {
		wrap(w, line, "  ", "  ")
	}
	others := s.Causes
	if s.Share > 0 && len(others) > 0 {
		top := &others[0]
		others = others[1:]
		for _, e := range top.Evidence[:min(rows.evidence, len(top.Evidence))] {
			wrap(w, e, "  - ", "    ")
		}
		if top.SpeedupInterval == nil && top.NotPredicted != "" {
			wrap(w, "the gain is not predicted: "+top.NotPredicted, "  - ", "    ")
		}
		fix := "Fix: " + top.Advice + "."
		if top.Place != "" {
			fix += "  At " + top.Place + "."
		}
		wrap(w, fix, "  ", "  ")
	}
	s.writeAlso(w, others)
}

// headline returns the parts of the verdict line: name, cost, gain, certainty.
func (s *Serialization) headline() []string {
	if s.Confidence == 0 {
		return []string{s.Verdict, "not enough data"}
	}
	parts := []string{s.Named()}
	if s.Share > 0 {
		parts = append(parts, fmt.Sprintf("costs %s of thread time", analyze.FormatShare(s.Share)))
		if top := &s.Causes[0]; top.SpeedupInterval != nil {
			parts = append(parts, "removing it: "+Gain{*top.SpeedupIfRemoved, top.SpeedupInterval.Low,
				top.SpeedupInterval.High}.faster())
		}
	}
	return append(parts, s.certainty())
}

// faster formats a predicted speedup: "1.42x faster (1.21-1.58)".
func (g Gain) faster() string {
	return fmt.Sprintf("%s faster (%s-%s)", FormatSpeedup(g.Estimate), factor(g.Low), factor(g.High))
}

// FormatSpeedup formats a speedup as in all texts of mtrace: "1.42x".
func FormatSpeedup(x float64) string { return factor(x) + "x" }

// factor formats with three significant digits: 1.42, 14.2, 142.
func factor(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// certainty says in a word how certain the verdict is; `mtrace explain confidence` explains the words.
func (s *Serialization) certainty() string {
	switch {
	case len(s.CloseCalls) > 0:
		return "close call"
	case s.Confidence >= policy.ClearVerdict && s.gains():
		return "clear"
	case s.Confidence >= policy.LikelyVerdict:
		return "likely"
	}
	return "close call"
}

// gains reports whether removing the verdict's cause certainly makes the run faster, according to the prediction.
func (s *Serialization) gains() bool {
	if s.Verdict == cause.None || len(s.Causes) == 0 || s.Causes[0].SpeedupInterval == nil {
		return true
	}
	return s.Causes[0].SpeedupInterval.Low > 1
}

// mostAlso is the maximum number of other causes that the one-screen report names.
const mostAlso = 2

// writeAlso names the largest other causes and the gain of removing two.
func (s *Serialization) writeAlso(w *sheet, others []Cause) {
	var also []string
	for i := range others {
		if c := &others[i]; c.Share >= tinyShare && len(also) < mostAlso {
			also = append(also, fmt.Sprintf("%s (%s)", c.Cause, analyze.FormatShare(c.Share)))
		}
	}
	if len(also) == 0 {
		return
	}
	text := "Also: " + strings.Join(also, ", ") + "."
	if t := s.Together; t != nil {
		also := t.Text()
		text += " " + strings.ToUpper(also[:1]) + also[1:] + "."
	}
	wrap(w, text, "  ", "  ")
}
