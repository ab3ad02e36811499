package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/policy"
)

// screenVerdict writes the line VERDICT, a sentence that explains it, its evidence, the advice, and the other causes.
func screenVerdict(r *Report, w *sheet, rows screenRows) {
	s := &r.Serialization
	fmt.Fprintln(w)
	parts := s.headline()
	for i := range parts[:len(parts)-1] {
		parts[i] += " ·"
	}
	labelled(w, "VERDICT", parts)
	wrap(w, s.Summary, "  ", "  ")
	if line := r.WorkLine(); line != "" {
		wrap(w, line, "  ", "  ")
	}
	if line := s.PhaseLine(); line != "" && rows.remarks >= 1 {
		wrap(w, line, "  ", "  ")
	}
	others := s.Causes
	if s.Share > 0 && len(others) > 0 {
		top := &others[0]
		others = others[1:]
		for _, e := range top.Evidence[:min(rows.evidence, len(top.Evidence))] {
			wrap(w, e, "  - ", "    ")
		}
		if top.SpeedupInterval == nil && top.NotPredicted != "" && rows.remarks >= 2 {
			wrap(w, "the gain is not predicted: "+top.NotPredicted, "  - ", "    ")
		}
		fix := "Fix: " + top.Advice + "."
		fix += top.whereText()
		wrap(w, fix, "  ", "  ")
	}
	s.writeAlso(w, others)
}

// whereText returns the lines of code of a cause for the end of a paragraph; "" if they are not known.
func (c *Cause) whereText() string {
	switch {
	case c.Site != "" && c.HolderSite != "":
		return fmt.Sprintf("  Threads wait at %s; the lock's holder was in %s.", c.Site,
			strings.Join(append([]string{c.HolderSite}, c.HolderCallers[:min(1, len(c.HolderCallers))]...), " from "))
	case c.Site != "":
		return "  At " + c.Site + "."
	}
	return ""
}

// headline returns the phrases of the line VERDICT: the cause's name, its cost, the gain of removing it, and how
// certain it is.
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

// faster formats a predicted speed-up with its interval: "1.42x faster (1.21-1.58)". A gain whose interval includes 1
// is not sure: "perhaps 1.19x faster (0.90-1.57)".
func (g Gain) faster() string {
	text := fmt.Sprintf("%s faster (%s-%s)", FormatSpeedup(g.Estimate), factor(g.Low), factor(g.High))
	if g.Low <= 1 {
		return "perhaps " + text
	}
	return text
}

// FormatSpeedup formats a speed-up in the way of all texts of mtrace: "1.42x".
func FormatSpeedup(x float64) string { return factor(x) + "x" }

// factor formats a number with three significant digits: 1.42, 14.2, 142.
func factor(x float64) string {
	switch {
	case x < 9.995:
		return fmt.Sprintf("%.2f", x)
	case x < 99.95:
		return fmt.Sprintf("%.1f", x)
	}
	return fmt.Sprintf("%.0f", x)
}

// certainty returns how certain the verdict is: "clear", "likely" or "close call". `mtrace explain confidence`
// explains these words.
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

// gains reports whether the whole interval of the prediction says that removing the verdict's cause makes the run
// faster. It is true if nothing was predicted.
func (s *Serialization) gains() bool {
	if s.Verdict == cause.None || len(s.Causes) == 0 || s.Causes[0].SpeedupInterval == nil {
		return true
	}
	return s.Causes[0].SpeedupInterval.Low > 1
}

// mostAlso is the maximum number of other causes that the one-screen report names.
const mostAlso = 2

// writeAlso writes the line "Also:" with the largest other causes, and the gain of removing the two largest causes
// together.
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
		text = fmt.Sprintf("%s %s%s.", text, strings.ToUpper(also[:1]), also[1:])
	}
	wrap(w, text, "  ", "  ")
}
