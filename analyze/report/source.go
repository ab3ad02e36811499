package report

import (
	"fmt"
	"slices"
	"time"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

func buildSource(r *Report, t *analyze.Trace) {
	s := t.Source
	r.Source = Source{Kind: s.Kind, Path: s.Path, Program: s.Program, Args: append([]string{}, s.Args...), Host: s.Host,
		OS: s.OS, Device: s.Device,
		SoftwareMetal: s.SoftwareMetal, Started: s.Started, WallNS: int64(s.Wall), WindowNS: int64(t.TimeRange.Length()),
		Truncated: s.Truncated}
	r.Source.Processors = s.Processors
	r.Source.NotRecorded = []string{}
	for _, x := range []struct {
		what string
		has  bool
	}{{"waits", s.HasWaits()}, {"locks", s.HasLocks()}, {"calls", s.HasCalls()}, {"kernel-names", s.HasKernelNames()}} {
		if !x.has {
			r.Source.NotRecorded = append(r.Source.NotRecorded, x.what)
		}
	}
	if had, known := t.OthersHad(t.TimeRange); known {
		r.Source.OthersShare = &had
	}
	if s.Short != nil {
		r.Source.Incomplete = &Incomplete{s.Short.Kind, s.Short.Why, int64(s.Short.After), s.Short.Parts,
			analyze.Headline(t)}
	}
	r.Source.Recorded, r.Source.RecordedText = []Recorded{}, s.RecordedText()
	for _, w := range s.Recorded {
		r.Source.Recorded = append(r.Source.Recorded, Recorded{int64(w.From), int64(w.To), w.Began, w.Ended, w.Shown})
	}
	r.Source.Selected, r.Source.LeftOut = append([]string{}, s.Selected...), s.LeftOut
	r.Source.PIDs = []int{}
	for _, p := range t.Processes { // those that used Metal
		if slices.ContainsFunc(t.Threads, func(th *analyze.Thread) bool { return th.Process == p }) {
			r.Source.PIDs = append(r.Source.PIDs, p.ID)
		}
	}
}

// Source is where the trace comes from.
type Source struct {
	Kind          string    `json:"kind"`
	Path          string    `json:"path"`
	Program       string    `json:"program"`
	Args          []string  `json:"args"`
	PIDs          []int     `json:"pids"` // ids of the processes that used Metal
	Host          string    `json:"host"`
	OS            string    `json:"os"`
	Device        string    `json:"device"`
	SoftwareMetal bool      `json:"software_metal"`
	Started       time.Time `json:"started"`
	WallNS        int64     `json:"wall_ns"`
	WindowNS      int64     `json:"window_ns"`
	Truncated     bool      `json:"truncated"`
	Processors    int       `json:"processors"` // number of the machine's processors; 0 when not known
	// the share (0 to 1) of the machine's processor time that programs outside of the trace used; null when not known
	OthersShare *float64 `json:"others_processors_share"`

	// the time ranges that were recorded, if the user requested only parts of the run; empty otherwise
	Recorded []Recorded `json:"recorded"`
	Selected []string   `json:"selected"` // the calls that were requested, flag by flag; empty means all
	LeftOut  int64      `json:"left_out"` // number of records that were left out because the user did not request them
	// one line on which part of the run was recorded, if it was not everything; empty otherwise
	RecordedText string `json:"recorded_text"`

	// data that no trace from this kind of source has: "waits", "locks", "calls", "kernel-names"
	NotRecorded []string `json:"not_recorded"`

	Incomplete *Incomplete `json:"incomplete"` // null if the trace has everything that was recorded
}

// Recorded is a time range of the run that was recorded.
type Recorded struct {
	FromNS int64 `json:"from_ns"` // after the start of the trace
	ToNS   int64 `json:"to_ns"`
	// the event that began the range: "the start", "mark:NAME", "SIGUSR1", a flag
	Began string `json:"began"`
	Ended string `json:"ended"` // the event that ended the range, or "the end"
	Shown bool   `json:"shown"` // the report covers this range
}

// Incomplete describes what is missing in a trace whose file is cut or damaged. Lost counts the records that are
// known to be missing.
type Incomplete struct {
	Kind string `json:"kind"` // "cut", "damaged" or "repaired"
	Why  string `json:"why"`  // the reason, in one line
	// for a file that is cut: the time from the start to the last known event of the recording; 0 if not known
	AfterNS int64  `json:"after_ns"`
	Parts   int    `json:"parts"` // number of parts of the file that could not be read
	Text    string `json:"text"`  // all of it in one line
}

// hasCalls reports whether the source records calls. Sources without calls (Instruments) also lack waits and queues.
func (s *Source) hasCalls() bool { return !slices.Contains(s.NotRecorded, "calls") }

// Busy returns a warning if other programs used so much of the machine's processors that they may have slowed down
// the traced program; "" otherwise.
func (s *Source) Busy() string {
	if s.OthersShare == nil || *s.OthersShare < policy.WorthNaming.Value {
		return ""
	}
	return fmt.Sprintf("other programs used %s of the machine's %s; work on processors is faster without them.",
		analyze.FormatShare(*s.OthersShare),
		analyze.Plural(s.Processors, "processor"))
}

// Contents returns how much data the trace has: "1,234 calls", or command buffers if the source has no calls.
func (r *Report) Contents() string {
	if r.Source.hasCalls() {
		return formatCount(r.Events) + " calls"
	}
	n := 0
	for i := range r.Queues {
		n += r.Queues[i].CommandBuffers
	}
	return formatCount(n) + " command buffers"
}

// Losses returns in a few words how many records are lost, or "none lost"; "" if that is not known.
func (r *Report) Losses() string {
	if !r.Source.hasCalls() && !r.Lost.Some() {
		return "" // the source does not tell
	}
	return r.Lost.Short()
}

func writeSource(w *sheet, r *Report) {
	s := &r.Source
	if s.Incomplete != nil {
		fmt.Fprintln(w, w.red(s.Incomplete.Text)) // never wrapped, because scripts read the first line
	}
	fmt.Fprintln(w, w.bold(cut(s.what(), w.width)))
	if s.RecordedText != "" {
		w.writeSentence(s.RecordedText, w.yellow)
	}
	var parts []string
	for _, p := range []string{s.Device, s.OS, s.Host} {
		if p != "" {
			parts = append(parts, analyze.Printable(p))
		}
	}
	if !s.Started.IsZero() && s.Started.Unix() > 0 {
		parts = append(parts, s.Started.Format("2006-01-02 15:04:05"))
	}
	parts = append(parts, fmt.Sprintf("%v traced", analyze.Nanos(s.WindowNS)))
	if len(s.PIDs) > 1 {
		parts = append(parts, fmt.Sprintf("%d processes", len(s.PIDs)))
	}
	parts = append(parts, contentsAndLosses(r, w)...)
	wrapParts(w, parts, "", "")
	if s.SoftwareMetal {
		w.writeSentence("SOFTWARE METAL: these are the times of a software Metal, not of a GPU.", w.yellow)
	}
	if said := s.Busy(); said != "" {
		w.writeSentence("BUSY MACHINE: "+said, w.yellow)
	}
}

// contentsAndLosses returns phrases for the head of a report: how much was recorded, and what is missing. Losses are
// red; "none lost" is not.
func contentsAndLosses(r *Report, w *sheet) (parts []string) {
	contents := r.Contents()
	switch lost := r.Losses(); {
	case r.Lost.Some():
		contents += ", " + w.red(lost)
	case lost != "":
		contents += ", " + lost
	}
	parts = append(parts, contents)
	if s := r.Coverage.Share; s != nil && *s < 1 {
		parts = append(parts, w.red(analyze.FormatShare(*s)+" OF COMMITS SEEN"))
	}
	for _, part := range r.Lost.Beside() {
		parts = append(parts, w.red(part))
	}
	return parts
}
