package analyze

import "fmt"

// The kinds of shortfalls.
const (
	Cut      = "cut"      // the file, or the recording, ends before the program did
	Damaged  = "damaged"  // parts of the file cannot be read
	Repaired = "repaired" // the file has the intact parts of another file, which was damaged or cut
)

// mostParts is the maximum number of warning lines about parts of the file that cannot be read.
const mostParts = 8

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
		return text + Plural(missing, "record") + " known to be missing (a call has one or two); " +
			"how many more are missing is not known"
	case missing > 0:
		return text + Plural(missing, "record") + " missing (a call has one or two)"
	case more:
		return text + "and the number of missing calls is not known"
	}
	return text + "and none is missing"
}
