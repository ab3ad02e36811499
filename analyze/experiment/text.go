package experiment

import (
	"fmt"
	"io"
	"strings"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// mostRows is how many targets the text lists; more would not fit on a screen.
const mostRows = 20

// WriteText writes the results as text of at most one screen.
func (d *Measurement) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, line := range d.Lines() {
		b.WriteString(line)
		b.WriteByte('\n')
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Lines returns the results of the experiment as text, one element for each line.
func (d *Measurement) Lines() (lines []string) {
	add := func(format string, args ...any) { lines = append(lines, wrap(fmt.Sprintf(format, args...))...) }
	add("Experiment: %s", d.Summary())
	if d.Software {
		add("Software Metal: times are not a GPU's.")
	}
	for _, warning := range d.Warnings {
		add("! %s", warning)
	}
	rows := [][]string{{"target", "sensitivity", "95% interval", "replay", "blocks", "delay", "result"}}
	left := 0
	for i := range d.Targets {
		r := &d.Targets[i]
		if r.Mode == string(wire.ExperimentSpeedup) {
			continue
		}
		if len(rows) > mostRows {
			left++
			continue
		}
		rows = append(rows, []string{cut(analyze.Printable(r.Name), 34), r.Sensitivity.estimate(), r.Sensitivity.ends(),
			r.predicted(), fmt.Sprint(r.Blocks), r.delay(), r.Result()})
	}
	if len(rows) > 1 {
		add("")
		lines = append(lines, alignColumns(rows, 1, 6)...)
		add("Sensitivity: additional ns that a %s takes, for each ns of delay added to it.", d.unit())
		add("1: on the critical path; 0: slack; above 1: other threads wait for it too.")
		if spun := d.spun(); spun != "" {
			add("Delays of %s spin: they take processor time, as more code would.", spun)
		}
	}
	if left > 0 {
		add("... and %s, which --json lists", analyze.Plural(left, "more target"))
	}
	if curves := d.SpeedupLines(); curves != nil {
		lines = append(append(lines, ""), curves...)
	}
	for _, text := range d.Disputes() {
		add("")
		add("%s", text)
	}
	if d.LongerNS > 0 {
		add("")
		add("The experiment was too short to decide about every target: run it %s longer.", longer(d.LongerNS))
	}
	return lines
}

// spun lists the targets (calls or locks) whose delays are too short to sleep, so that the delayed threads spin.
func (d *Measurement) spun() string {
	var names []string
	for i := range d.Targets {
		if r := &d.Targets[i]; r.Mode != string(wire.ExperimentSpeedup) && r.Delays > 0 && !r.Sleeps {
			names = append(names, analyze.Printable(r.Name))
		}
	}
	return strings.Join(names, ", ")
}

// Summary tells in one or two sentences what was done to the program and how much it was slowed down.
func (d *Measurement) Summary() string {
	text := fmt.Sprintf("delays in %d of %d blocks in %s, the rest are baselines (seed %d).", d.Blocks-d.Baselines,
		d.Blocks, analyze.Nanos(d.WallNS), d.Seed)
	if d.UnitNS > 0 {
		text += fmt.Sprintf(" A %s takes a thread %s without delays (%s); "+
			"the delays slowed the program down by %s (budget %s).",
			d.unit(), analyze.Nanos(d.UnitNS), analyze.Plural(d.Threads, "thread"),
			analyze.FormatShare(d.Slowed), analyze.FormatShare(d.Budget))
	}
	return text
}

// Disputes returns a paragraph for each delayed call or lock for which the measurement contradicts the replay's
// prediction.
func (d *Measurement) Disputes() (texts []string) {
	for i := range d.Targets {
		if r := &d.Targets[i]; r.Replay != nil && r.Replay.Disagrees {
			texts = append(texts, fmt.Sprintf("The replay disagrees about %s: sensitivity %s measured, %s predicted. "+
				"Do not rely on the replay's predictions for this target. Perhaps %s.",
				analyze.Printable(r.Name), r.Sensitivity.Phrase(),
				r.Replay.Sensitivity.Phrase(), r.Replay.Lacks))
		}
	}
	return texts
}

// SpeedupLines returns a table with a heading that shows how much time would be saved if a target (a call or a lock)
// took less time. The experiment measures that by pausing all other threads (virtual speed-ups). Without such
// measurements it returns nothing.
func (d *Measurement) SpeedupLines() (lines []string) {
	var rows [][]string
	columns := 1
	for i := range d.Targets {
		r := &d.Targets[i]
		if r.Mode != string(wire.ExperimentSpeedup) {
			continue
		}
		row := []string{cut(analyze.Printable(r.Name), 34)}
		for _, p := range r.Curve {
			saved := "not enough blocks"
			if p.Saved != nil {
				saved = p.Saved.shares()
			}
			row = append(row, fmt.Sprintf("%.0f%%: %s", 100*p.Removed, saved))
		}
		if len(row) == 1 {
			row = append(row, "not enough blocks")
		}
		columns = max(columns, len(row))
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil
	}
	for i := range rows {
		for len(rows[i]) < columns {
			rows[i] = append(rows[i], "")
		}
	}
	lines = []string{"Virtual speed-ups: time of a " + d.unit() + " saved if the target took so much less time"}
	return append(lines, alignColumns(rows, columns, columns)...)
}
