package analyze

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"mtrace/collector/tracefile"
)

// A Recorded is a time range of the run that was recorded because the user requested only some ranges. Calls outside
// of the ranges were omitted on purpose and do not count as lost.
type Recorded struct {
	From, To     Nanos  // after the start of the trace
	Began, Ended string // what began and ended the range: "the start", "mark:NAME", "SIGUSR1", a flag, "the end"
	Shown        bool   // the trace was loaded from this range
}

// Asked returns the options with the time range to load. If only some ranges of the run were recorded and opts names
// no time, it selects the longest recorded range.
func (f *File) Asked(opts Options) Options {
	if opts.From != 0 || opts.To != 0 || opts.slice != nil {
		return opts
	}
	longest := Recorded{}
	l := f.windowOf(Options{})
	for _, r := range recordedTimes(f.reader, l.trace) {
		if r.To-r.From > longest.To-longest.From {
			longest = r
		}
	}
	switch _, ended := f.reader.Result(); {
	case longest.To > 0:
		opts.From, opts.To = max(1, longest.From), longest.To
	case ended && f.reader.Info().Asked != "": // only lasting records were kept, for a recording that never started
		opts.From = l.trace.Run.Length + 1
	}
	return opts
}

// recordedTimes returns the recorded time ranges of a file, counted from the first call. Run of the trace t must be
// known.
func recordedTimes(r *tracefile.Reader, t *Trace) (list []Recorded) {
	for _, of := range r.Recorded() {
		w := Recorded{From: max(0, Nanos(of.From)-t.Run.Origin), To: Nanos(of.To) - t.Run.Origin, Began: of.Began,
			Ended: of.Ended}
		if of.To == 0 || w.To > t.Run.Length {
			w.To = t.Run.Length + 1
		}
		if of.To == 0 {
			w.Ended = "the end"
		}
		if w.From < w.To {
			list = append(list, w)
		}
	}
	return list
}

// addRecorded stores the recorded time ranges in the trace's Source and marks those that the loaded range overlaps.
func addRecorded(l *loader, r *tracefile.Reader) {
	s := &l.trace.Source
	s.Recorded = recordedTimes(r, l.trace)
	if len(s.Recorded) == 0 {
		s.Asked = r.Info().Asked
	}
	for i := range s.Recorded {
		w := &s.Recorded[i]
		w.Shown = l.trace.Run.Origin+w.From < l.window.End && l.window.Begin < l.trace.Run.Origin+w.To
	}
}

// RecordedText returns one line about what was recorded; empty if everything was.
func (s *Source) RecordedText() string {
	texts := []string{s.selectedText(), s.waitsText()}
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), "; ")
}

// waitsText returns a sentence about processes in which waits for locks and signals were not recorded; empty if there
// are none.
func (s *Source) waitsText() string {
	if s.WaitsUnseen == 0 {
		return ""
	}
	return "WAITS FOR LOCKS AND SIGNALS ARE NOT RECORDED in " + Plural(s.WaitsUnseen, "process") +
		": the system does not let the tracer replace functions there, and the report cannot show whether threads " +
		"wait for each other"
}

// selectedText is RecordedText for what was requested.
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
