package experiment

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"mtrace/analyze"
	"mtrace/collector/wire"
)

// unit returns the name of a unit of progress, such as "command buffer", in the singular.
func (d *Measurement) unit() string {
	if name, marks := strings.CutPrefix(d.Progress, wire.ProgressMark); marks {
		return analyze.Printable(name) + " (mark)"
	}
	return "command buffer"
}

// Result describes in a few words what the experiment concludes about a target (calls or a lock that it delayed).
func (r *TargetResult) Result() string {
	switch {
	case r.Status == Undecided:
		if r.LongerNS > 0 {
			return "not enough blocks: run " + longer(r.LongerNS) + " longer"
		}
		return "not enough blocks"
	case r.Replay != nil && r.Replay.Disagrees:
		return statusWords[r.Status] + "; the replay disagrees"
	}
	return statusWords[r.Status]
}

var statusWords = map[Status]string{
	Affects: "progress depends on it", Slack: "slack", Opposite: "delays make the program faster",
}

// Finding returns one sentence about the target with this id: "measured: 10.0 µs more in each command buffer (wait)
// cost 9.40 µs (8.70 µs to 10.1 µs); replay: 9.10 µs". It returns "" if there is no such target. The delay in the
// sentence is the sum over all occurrences in a unit of progress.
func (d *Measurement) Finding(id int) string {
	for i := range d.Targets {
		r := &d.Targets[i]
		if r.ID != id {
			continue
		}
		if r.Sensitivity == nil || r.Sensitivity.Low == nil || r.Sensitivity.High == nil {
			return fmt.Sprintf("%s: %s", analyze.Printable(r.Name), r.Result())
		}
		const delay = 10e3
		cost := func(s float64) string { return analyze.Nanos(math.Round(s * delay)).String() }
		text := fmt.Sprintf("measured: %s more in each %s (%s) cost %s (%s to %s)", analyze.Nanos(delay), d.unit(),
			analyze.Printable(r.Name), cost(r.Sensitivity.Estimate), cost(*r.Sensitivity.Low),
			cost(*r.Sensitivity.High))
		if r.Replay != nil && r.Replay.Sensitivity != nil {
			text += "; replay: " + cost(r.Replay.Sensitivity.Estimate)
			if r.Replay.Disagrees {
				text += ", which disagrees"
			}
		}
		if r.Status == Undecided {
			text += "; " + r.Result()
		}
		return text
	}
	return ""
}

// longer formats the additional time that an experiment must run, rounded up.
func longer(ns int64) string {
	const hour = int64(3600e9)
	switch {
	case ns > hour:
		return "more than an hour"
	case ns >= 120e9:
		return fmt.Sprintf("%d min", (ns+60e9-1)/60e9)
	}
	return fmt.Sprintf("%d s", (ns+1e9-1)/1e9)
}

func (i *Estimated) estimate() string {
	if i.open() {
		return "-"
	}
	return twoDigits(i.Estimate)
}

// open reports whether the measurement says nothing about the value: the interval has neither a lower nor an upper
// bound, for instance because noise hides the effect of the delays.
func (i *Estimated) open() bool { return i == nil || i.Low == nil && i.High == nil }

// ends formats the interval as "0.93 to 1.07".
func (i *Estimated) ends() string {
	if i.open() {
		return "-"
	}
	return end(i.Low) + " to " + end(i.High)
}

// Phrase formats the estimate with its interval as "1.02 (0.95 to 1.09)".
func (i *Estimated) Phrase() string {
	if i.open() {
		return "-"
	}
	return i.estimate() + " (" + i.ends() + ")"
}

// shares formats the estimate with its interval in percent, as "1.5% (0.9% to 2.1%)".
func (i *Estimated) shares() string {
	percent := func(x *float64) string {
		if x == nil {
			return "?"
		}
		return fmt.Sprintf("%.1f%%", 100**x)
	}
	return percent(&i.Estimate) + " (" + percent(i.Low) + " to " + percent(i.High) + ")"
}

func end(x *float64) string {
	if x == nil {
		return "?"
	}
	return twoDigits(*x)
}

// twoDigits formats a value with two digits after the point, and never as "-0.00".
func twoDigits(x float64) string {
	if math.Abs(x) < 0.005 {
		x = 0
	}
	return fmt.Sprintf("%.2f", x)
}

// predicted formats the replay's sensitivity for a table; "-" if there is none.
func (r *TargetResult) predicted() string {
	if r.Replay == nil || r.Replay.Sensitivity == nil {
		return "-"
	}
	return r.Replay.Sensitivity.estimate()
}

// delay formats the mean delay of an occurrence for a table; "-" if nothing was delayed.
func (r *TargetResult) delay() string {
	if r.DelayNS == 0 {
		return "-"
	}
	return analyze.Nanos(r.DelayNS).String()
}

// width is the maximum length of lines of text.
const width = 100

// wrap breaks a text into lines of at most width characters. Lines after the first are indented by two more spaces.
func wrap(text string) (lines []string) {
	first := text[:len(text)-len(strings.TrimLeft(text, " "))]
	line, empty := first, true
	for word := range strings.FieldsSeq(text) {
		if !empty && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines = append(lines, line)
			line, empty = first+"  ", true
		}
		if !empty {
			line += " "
		}
		line, empty = line+word, false
	}
	return append(lines, line)
}

// cut shortens a text to the maximum length `most` in characters; the last character is then an ellipsis.
func cut(text string, most int) string {
	if utf8.RuneCountInString(text) <= most {
		return text
	}
	return string([]rune(text)[:most-1]) + "…"
}

// alignColumns aligns the columns of rows. The first `left` columns are left-aligned, and so are those from index
// `last` on. All others are right-aligned.
func alignColumns(rows [][]string, left, last int) (lines []string) {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	for _, row := range rows {
		var b strings.Builder
		for i, cell := range row {
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i < left || i >= last {
				b.WriteString(cell + space)
			} else {
				b.WriteString(space + cell)
			}
			b.WriteString("  ")
		}
		lines = append(lines, strings.TrimRight(b.String(), " "))
	}
	return lines
}
