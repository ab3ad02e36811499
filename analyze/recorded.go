package analyze

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// RecordedText returns one line that says which parts of the run were recorded; empty if all of it was.
func (s *Source) RecordedText() string {
	texts := []string{s.selectedText(), s.waitsText()}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// waitsText returns a sentence about processes in which waits for locks and signals were not recorded; empty if
// there are no such processes.
func (s *Source) waitsText() string {
	if s.WaitsUnseen == 0 {
		return ""
	}
	return "WAITS FOR LOCKS AND SIGNALS ARE NOT RECORDED in " + Plural(s.WaitsUnseen, "process") +
		": the system does not let the tracer replace functions there, " +
		"and the report cannot show whether threads wait for each other"
}

// selectedText returns one line about what the user chose to record: calls or processes, and time ranges; empty if
// that was everything.
func (s *Source) selectedText() string {
	text := s.timesText()
	if len(s.Selected) == 0 {
		return text
	}
	selected := "RECORDED IN PART, as asked for (" + strings.Join(s.Selected, ", ") + "): "
	if s.LeftOut > 0 {
		selected += fmt.Sprintf("%d records were left out and are missing in the report: "+
			"threads seem to be outside of Metal at these times", s.LeftOut)
	} else {
		selected += "calls that were not selected are missing in the report"
	}
	if text != "" {
		selected += "; " + text
	}
	return selected
}

// timesText returns one line about the recorded time ranges; empty if the whole run was recorded.
func (s *Source) timesText() string {
	if len(s.Recorded) == 0 {
		if s.Asked == "" {
			return ""
		}
		if s.Short != nil {
			return "RECORDED IN PART, as asked for (" + s.Asked + "): the recorded times are not known"
		}
		return "NOTHING WAS RECORDED, as asked for (" + s.Asked + "): the recording was never started"
	}
	at := func(n Nanos) string { return time.Duration(n).Round(100 * time.Microsecond).String() }
	var parts []string
	const most = 4
	for _, r := range s.Recorded[:min(len(s.Recorded), most)] {
		ended := r.Ended
		if ended == "" {
			ended = "the end"
		}
		parts = append(parts, fmt.Sprintf("from %s (%s) to %s (%s)", at(r.From), r.Began, at(r.To), ended))
	}
	if n := len(s.Recorded) - most; n > 0 {
		parts = append(parts, fmt.Sprintf("%d more times", n))
	}
	text := "recorded " + strings.Join(parts, ", ") + ", as asked for; the rest was left out"
	if shown := slices.IndexFunc(s.Recorded, func(r Recorded) bool { return r.Shown }); len(s.Recorded) > 1 &&
		shown >= 0 {
		text += fmt.Sprintf("; this report begins at %s, --from and --to select another range",
			at(s.Recorded[shown].From))
	}
	return text
}
