package report

import (
	"cmp"
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/experiment"
	"mtrace/analyze/policy"
	"mtrace/collector/wire"
)

// buildExperiment adds the results of an experiment, if the run was one. If the measured results contradict the
// replay's predictions, the verdict's confidence is lowered, because the verdict relies on such predictions.
func buildExperiment(r *Report, x *answers) {
	p := experiment.Of(x.trace)
	if p == nil {
		return
	}
	r.Experiment = experiment.Build(x.trace, p, cmp.Or(x.window, x.causesIn().Replay()))
	slower := ""
	if slowed := r.Experiment.Slowed; slowed > 0 {
		slower = fmt.Sprintf(" (%s slower)", analyze.FormatShare(slowed))
	}
	r.Warnings = append([]string{"Delays were added to this run" + slower + ": " +
		"its times and verdict are not the program's own."}, r.Warnings...)
	if r.Experiment.Disagrees {
		r.Serialization.Confidence = min(r.Serialization.Confidence, policy.DisputedVerdict)
	}
}

// writeExperiment writes the section of an experiment.
func writeExperiment(w *sheet, r *Report) {
	if r.Experiment == nil {
		return
	}
	writeHeading(w, "experiment", "sensitivity of progress to delays that mtrace added")
	for _, line := range r.Experiment.Lines() {
		fmt.Fprintln(w, "  "+line)
	}
}

// screenExperiment writes one line for each of the first targets of an experiment: how delaying it changed the run.
func screenExperiment(r *Report, w *sheet, rows screenRows) {
	if r.Experiment == nil {
		return
	}
	label := "MEASURED"
	for i := range r.Experiment.Targets[:min(rows.targets, len(r.Experiment.Targets))] {
		t := &r.Experiment.Targets[i]
		text := strings.TrimPrefix(r.Experiment.Finding(t.ID), "measured: ")
		if t.Replay != nil && t.Replay.Disagrees && t.Replay.Lacks != "" {
			text += ": perhaps " + t.Replay.Lacks
		}
		labelled(w, label, keepUnits(strings.Fields(text)))
		label = ""
	}
	if more := len(r.Experiment.Targets) - rows.targets; more > 0 {
		fmt.Fprintf(w, "%*s... and %s: --section experiment\n", labelWidth, "", analyze.Plural(more, "more target"))
	}
}

// A sensitivityRow is one target of an experiment on the HTML page. It draws the confidence interval of the target's
// sensitivity on an axis. Positions are percentages of the axis' width.
type sensitivityRow struct {
	Name, Words, Replay, Result string
	Blocks                      int
	Known                       bool
	Low, Width, At              float64
	Marks                       []float64 // positions of 0 and 1 on the axis
}

// sensitivities returns a row for each target that was delayed; virtual speed-ups are left out. All rows share one
// axis, so that they can be compared.
func sensitivities(d *experiment.Measurement) (rows []sensitivityRow) {
	least, most := -0.2, 1.2
	var shown []*experiment.TargetResult
	for i := range d.Targets {
		t := &d.Targets[i]
		if t.Mode == string(wire.ExperimentSpeedup) {
			continue
		}
		shown = append(shown, t)
		if s := t.Sensitivity; s != nil {
			least, most = min(least, s.Estimate), max(most, s.Estimate)
			if s.Low != nil && s.High != nil && *s.High-*s.Low < widestShown { // a wide interval would hide the others
				least, most = min(least, *s.Low), max(most, *s.High)
			}
		}
	}
	place := func(x float64) float64 { return 100 * min(1, max(0, (x-least)/(most-least))) }
	for _, t := range shown {
		row := sensitivityRow{Name: t.Name, Words: t.Sensitivity.Phrase(), Result: t.Result(), Blocks: t.Blocks,
			Marks: []float64{place(0), place(1)}, Replay: "-"}
		if t.Replay != nil && t.Replay.Sensitivity != nil {
			row.Replay = t.Replay.Sensitivity.Phrase()
		}
		if s := t.Sensitivity; s != nil {
			low, high := least, most
			if s.Low != nil {
				low = *s.Low
			}
			if s.High != nil {
				high = *s.High
			}
			row.Known, row.Low, row.Width, row.At = true, place(low), place(high)-place(low), place(s.Estimate)
		}
		rows = append(rows, row)
	}
	return rows
}

// widestShown limits how wide the axis becomes. If an interval is wider than this, the axis does not show all of it,
// because all other intervals would shrink to a point.
const widestShown = 10
