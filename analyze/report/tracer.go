package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
)

// Lost counts events that happened but are not in the trace, by reason.
type Lost struct {
	Total     int64            `json:"total"`      // number of lost records; a call has one or two records
	PerThread map[string]int64 `json:"per_thread"` // lost records by thread id; threads that lost nothing are left out
	Facts     int64            `json:"facts"`
	Unnamed   int64            `json:"unnamed_objects"`
	Rejected  int64            `json:"rejected_calls"`
	Nested    int64            `json:"nested_calls"` // calls left out on purpose, because an outer call represents them
	Children  int64            `json:"untraced_children"`
	// processes that used Metal but could not be traced; total does not contain their calls
	Processes int64 `json:"untraced_processes"`
	// processes that used Metal and were still running when the recording ended; their later calls are missing
	Running int64 `json:"running_processes"`
	// processes that were still running when the recording ended and had not used Metal; if they do later, those
	// calls are missing
	Unused int64 `json:"running_without_metal"`
	// total is a lower bound: more records may be lost
	AtLeast bool `json:"at_least"`
}

// Overhead is the time that recording took on the calling threads. The cost of stacks is listed separately, because
// the trace has a measurement for each stack.
type Overhead struct {
	NSPerEvent float64 `json:"ns_per_event"` // mean cost of recording one call, without its stack
	Share      float64 `json:"share"`        // cost of recording calls and stacks, as a share of the threads' time
	// where ns_per_event comes from: "measured" in the process, "estimated" from the kind of its clock, or "unknown"
	Source      string  `json:"source"`
	RecordingNS int64   `json:"recording_ns"`
	Stacks      int64   `json:"stacks"`
	StacksNS    int64   `json:"stacks_ns"`
	NSPerStack  float64 `json:"ns_per_stack"`
}

// Missing is something the source cannot tell.
type Missing struct {
	What string `json:"what"`
	Why  string `json:"why"`
}

func buildLosses(r *Report, t *analyze.Trace) {
	l := t.Recording.Lost
	r.Lost = Lost{Total: l.Records, PerThread: map[string]int64{}, Facts: l.Facts, Unnamed: l.Unnamed,
		Rejected: l.Rejected, Nested: l.Nested, Children: l.Children,
		Processes: l.Processes, Running: l.Running, Unused: l.Unused, AtLeast: l.AtLeast}
	for _, th := range t.Threads {
		if th.Lost > 0 {
			r.Lost.PerThread[fmt.Sprint(th.ID)] += th.Lost
		}
	}
}

func buildOverhead(r *Report, t *analyze.Trace) {
	o := &r.Overhead
	o.Source = "unknown"
	if t.Source.Kind != "mtrace" {
		return
	}
	o.Source = "estimated"
	if t.Recording.Overhead.Measured {
		o.Source = "measured"
	}
	o.RecordingNS, o.Stacks, o.StacksNS = int64(t.Recording.Overhead.Took), t.Recording.Stacks.Stacks,
		int64(t.Recording.Stacks.Took)
	o.NSPerEvent = float64(o.RecordingNS) / float64(max(1, t.Events))
	o.NSPerStack = float64(o.StacksNS) / float64(max(1, o.Stacks))
	var time analyze.Nanos
	for _, th := range t.Threads {
		time += th.Active.Length()
	}
	if time > 0 {
		o.Share = min(1, float64(o.RecordingNS+o.StacksNS)/float64(time))
	}
}

func writeTracer(w *sheet, r *Report) {
	writeHeading(w, "the tracer itself", "")
	wrap(w, r.Overhead.Text(), "  ", "  ")
	wrap(w, r.Lost.Text(), "  ", "  ")
	writeCoverage(w, r)
	for _, m := range r.Missing {
		wrap(w, "not in the trace: "+m.What+": "+m.Why, "  ", "    ")
	}
}

// Text describes the overhead of recording.
func (o Overhead) Text() string {
	if o.Source == "unknown" {
		return "the overhead of recording is not known for this source"
	}
	text := fmt.Sprintf("recording took %s a call (%s)", nanoseconds(o.NSPerEvent), o.Source)
	if o.Stacks > 0 {
		text += fmt.Sprintf(" and %s a stack (measured, %s of them)", nanoseconds(o.NSPerStack), formatCount(o.Stacks))
	}
	return fmt.Sprintf("%s: %s of the threads' time", text, analyze.FormatShare(o.Share))
}

// Some reports whether records are, or may be, missing from the trace.
func (l Lost) Some() bool { return l.AtLeast || l.Total > 0 }

// Short returns in a few words how many records are missing from the trace: "12 RECORDS LOST" or "none lost".
func (l Lost) Short() string {
	records := strings.ToUpper(analyze.Plural(l.Total, "record"))
	switch {
	case l.AtLeast && l.Total > 0:
		return records + " OR MORE LOST"
	case l.AtLeast:
		return "LOSSES NOT KNOWN"
	case l.Total > 0:
		return records + " LOST"
	}
	if l.Processes+l.Running+l.Unused > 0 {
		return "none of these lost"
	}
	return "none lost"
}

// Beside returns phrases on data that may be missing although no record was lost: processes that were not traced, or
// that were still running.
func (l Lost) Beside() (parts []string) {
	if l.Processes > 0 {
		parts = append(parts, strings.ToUpper(analyze.Plural(l.Processes, "process")+" not traced"))
	}
	if l.Children > 0 {
		parts = append(parts, analyze.Plural(l.Children, "forked child process")+" UNTRACED")
	}
	if n := l.Running + l.Unused; n > 0 {
		parts = append(parts, strings.ToUpper(analyze.Plural(n, "process")+" still running")+" at the end: "+
			"later calls are not in the trace")
	}
	return parts
}

// Text returns a sentence on what is missing from the trace. Nested calls are left out on purpose and not mentioned.
func (l Lost) Text() string {
	var lost []string
	for _, of := range []struct {
		n    int64
		what string
	}{{l.Total, "record"}, {l.Facts, "name"}, {l.Unnamed, "object number"}, {l.Rejected, "call of a dying thread"}} {
		if of.n > 0 {
			lost = append(lost, analyze.Plural(of.n, of.what))
		}
	}
	text := "nothing was lost"
	if l.Processes > 0 {
		text = "of the traced calls, " + text
	}
	switch {
	case l.AtLeast && len(lost) > 0:
		text = "lost: " + strings.Join(lost, ", ") + ", and an unknown number more"
	case l.AtLeast:
		text = "the number of lost records is not known"
	case len(lost) > 0:
		text = "lost: " + strings.Join(lost, ", ")
	}
	if l.Processes > 0 {
		text += fmt.Sprintf("; %s could not be traced, and its calls are not counted",
			analyze.Plural(l.Processes, "process"))
	}
	if l.Children > 0 {
		text += fmt.Sprintf("; %s untraced: forked without exec", analyze.Plural(l.Children, "child process"))
	}
	if l.Running > 0 {
		text += fmt.Sprintf("; %s used Metal and still ran when the program, and so the recording, ended: "+
			"their later calls are not in the trace", analyze.Plural(l.Running, "process"))
	}
	if l.Unused > 0 {
		text += fmt.Sprintf("; %s outlived the program without using Metal", analyze.Plural(l.Unused, "process"))
	}
	return text
}
