package analyze

import (
	"fmt"

	"mtrace/collector/tracefile"
)

// A Shortfall describes why a trace lacks a part of its recording. Results of such a trace do not hold for the whole
// run.
type Shortfall struct {
	Kind string // one of the constants below
	Why  string // one line
	// for a file that is cut: from the start of the recording to the last known event; 0 if not known
	After Nanos
	Parts int // parts of the file that could not be read
}

// The kinds of shortfalls.
const (
	Cut      = "cut"      // the file, or the recording, ends before the program did
	Damaged  = "damaged"  // parts of the file cannot be read
	Repaired = "repaired" // the file has the intact parts of another file, which was damaged or cut
)

// mostParts is the maximum number of warning lines about parts of the file that cannot be read.
const mostParts = 8

// shortfallOf returns which parts of the recording are missing; nil if it is complete. It must be called after all
// streams were read, because damage is only found by reading.
func shortfallOf(l *loader, r *tracefile.Reader) *Shortfall {
	damage, cut, repaired := r.Damage(), r.Cut(), r.Repaired()
	if len(damage) == 0 && cut == nil && repaired == nil {
		return nil
	}
	s := &Shortfall{Kind: Damaged, Parts: len(damage)}
	lost := &l.trace.Recording.Lost
	for i, d := range damage {
		switch {
		case i < mostParts:
			l.trace.Warnings = append(l.trace.Warnings, r.Text(d))
		case i == mostParts:
			l.trace.Warnings = append(l.trace.Warnings, fmt.Sprintf(
				"%d more parts of the file are damaged and left out",
				len(damage)-i))
		}
		lost.AtLeast = lost.AtLeast || d.Unknown()
		if d.Of && isAsked(l, d.Process) {
			lost.Records += int64(d.Records)
		}
	}
	if len(damage) > 0 {
		s.Why = r.Text(damage[0])
	}
	if cut != nil {
		s.Kind, s.Why = Cut, cut.Why
		lost.AtLeast = lost.AtLeast || !cut.All
		if after := Nanos(cut.At - r.Info().Started); cut.At > 0 && after > 0 && after < longestTime {
			s.After = after
		}
	}
	if repaired != nil && len(damage) == 0 {
		s.Kind, s.Parts = Repaired, len(repaired.Lines)
		lost.AtLeast = lost.AtLeast || !repaired.Wholly
		lost.Records += int64(min(repaired.Records, 1<<44))
		for i, line := range repaired.Lines[:min(len(repaired.Lines), mostParts)] {
			l.trace.Warnings = append(l.trace.Warnings, "before it was repaired: "+line)
			if i == 0 && cut == nil {
				s.Why = line
			}
		}
	}
	return s
}

// isAsked reports whether the user selected the process at this index of the file. A process that the file does not
// list counts as selected.
func isAsked(l *loader, index tracefile.ProcessIndex) bool {
	return int(index) >= len(l.processes) || l.wanted(l.processes[index].ID)
}

// Headline returns one line for the top of a report: that the trace is incomplete, since when, and how much is known
// to be missing. It is empty if the trace is complete.
func Headline(t *Trace) string {
	s := t.Source.Short
	if s == nil {
		return ""
	}
	text := map[string]string{Cut: "CUT", Damaged: "DAMAGED", Repaired: "REPAIRED"}[s.Kind]
	if s.After > 0 {
		text += fmt.Sprintf(" %v after the start", s.After)
	}
	if s.Parts == 1 {
		text += ", a part of the file left out"
	} else if s.Parts > 1 {
		text += fmt.Sprintf(", %d parts of the file left out", s.Parts)
	}
	text += fmt.Sprintf(": %s calls are here, ", FormatCount(t.Events))
	missing, more := t.Recording.Lost.Records, t.Recording.Lost.AtLeast
	switch {
	case missing > 0 && more:
		return text + Plural(missing, "record") + " known to be missing, one or two a call; " +
			"how many more are missing is not known"
	case missing > 0:
		return text + Plural(missing, "record") + " missing, one or two a call"
	case more:
		return text + "and the number of missing calls is not known"
	}
	return text + "and none is missing"
}
