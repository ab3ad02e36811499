package report

import (
	"fmt"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
)

// Serialization is the verdict.
type Serialization struct {
	Verdict string `json:"verdict"`
	// faults that cannot be told apart from the verdict, because removing them gains about as much, or because they cost
	// about as much
	CloseCalls []string `json:"close_calls"`
	Share      float64  `json:"share"`
	Confidence float64  `json:"confidence"`
	Summary    string   `json:"summary"`
	// the time that shares and predicted gains are about: from the program's first command buffer or wait to its last
	// commit or wait. It is window_ns if the verdict is compile-bound, because compilation at the start counts.
	WorkNS int64   `json:"work_ns"`
	Phases []Phase `json:"phases"` // ranges of the run with verdicts that differ; empty when they do not
	// the verdict's cause first, then other faults, then limits of the machine, each group by cost
	Causes   []Cause    `json:"causes"`
	RuledOut []RuledOut `json:"ruled_out"`
	// the predicted gain of removing the two largest causes at once; null if it was not predicted
	Together        *Together      `json:"together"`
	WaitMatrix      Matrix         `json:"wait_matrix"`
	QueuedMatrix    Matrix         `json:"queued_matrix"`
	LockMatrix      Matrix         `json:"lock_matrix"`
	MutualExclusion []Exclusion    `json:"mutual_exclusion"`
	Interference    []Interference `json:"interference"`
	CriticalPath    CriticalPath   `json:"critical_path"`
	Chains          []Chain        `json:"chains"`
	// how much longer a replay (simulation) of the unchanged run takes than the recorded run, as a share. All
	// predictions come from this replay, so a large error makes them doubtful
	ReplayError float64 `json:"replay_error"`
}

// A Cause is a reason for lost time that the evidence supports.
type Cause struct {
	Cause      string   `json:"cause"`
	Limit      bool     `json:"limit"` // a limit of the machine, not a fault of the program
	LostNS     int64    `json:"lost_ns"`
	Share      float64  `json:"share"`
	Confidence float64  `json:"confidence"`
	Evidence   []string `json:"evidence"`
	Advice     string   `json:"advice"`
	// the line of the program that spends the most time in this cause; "" when stacks were not recorded
	Site string `json:"place"`
	// for locks: the line in which the locks' holders spent most of the time that others waited, and the lines that
	// called it, innermost first; absent when not known
	HolderSite    string   `json:"holder_place,omitempty"`
	HolderCallers []string `json:"holder_callers,omitempty"`
	// for locks: the call at holder_place that overlaps one wait for the lock for the longest time; absent when not known
	HolderCall       *HolderCall `json:"holder_call,omitempty"`
	SpeedupIfRemoved *float64    `json:"speedup_if_removed"` // 2 is twice as fast; null if not predicted
	SpeedupInterval  *Speedup    `json:"speedup_interval"`   // interval around speedup_if_removed
	NotPredicted     string      `json:"not_predicted"`      // why speedup_if_removed is null
}

// A HolderCall identifies a call of a thread that holds a lock.
type HolderCall struct {
	PID     int    `json:"pid"`
	TID     uint64 `json:"tid"`
	BeginNS int64  `json:"begin_ns"` // from the beginning of the trace
}

// A Speedup is the interval around a predicted speed-up; 2 means twice as fast.
type Speedup struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Together is the predicted gain of removing two causes at once.
type Together struct {
	Causes           [2]string  `json:"causes"`
	SpeedupIfRemoved float64    `json:"speedup_if_removed"`
	SpeedupInterval  [2]float64 `json:"speedup_interval"`
}

// RuledOut is a cause that the evidence excludes, and why.
type RuledOut struct {
	Cause string `json:"cause"`
	Why   string `json:"why"`
}

func buildSerialization(r *Report, a *cause.Analysis, opts Options) {
	v := &a.Verdict
	total := a.Working()
	r.Serialization = Serialization{Verdict: v.Cause, CloseCalls: append([]string{}, v.CloseCalls...), Share: v.Share,
		Confidence: v.Confidence, Summary: v.Summary, WorkNS: r.workTime(a),
		WaitMatrix: matrix(a.Totals.Matrices.Waits, opts), QueuedMatrix: matrix(a.Totals.Matrices.Queued, opts),
		LockMatrix: matrix(a.Totals.Matrices.Locks,
			opts),
		MutualExclusion: list(a.Tests.Exclusion, exclusion), Interference: list(a.Tests.Interference, interference),
		CriticalPath: criticalPath(a.Waits.Path), Chains: list(a.Waits.Chains, chain), ReplayError: a.ReplayError}
	r.Serialization.Causes = list(v.Causes, func(f cause.Finding) Cause {
		c := Cause{Cause: f.Cause, Limit: f.Standing == cause.Limit, LostNS: int64(f.Lost), Confidence: f.Confidence,
			Evidence: append([]string{}, f.Evidence...),
			Advice:   f.Advice, Site: f.Site, HolderSite: f.HolderSite, HolderCallers: f.HolderCallers,
			NotPredicted: f.Unpredicted}
		if h := f.HolderCall; h != nil {
			c.HolderCall = &HolderCall{h.Thread.Process.ID, uint64(h.Thread.ID), int64(h.Begin - a.Evidence.Trace.Run.Origin)}
		}
		c.Share = f.Share(total)
		if f.Speedup != nil {
			low, high := f.Speedup.Interval()
			c.SpeedupIfRemoved, c.SpeedupInterval = &f.Speedup.Estimate, &Speedup{low, high}
		}
		return c
	})
	r.Serialization.RuledOut = list(v.RuledOut, func(f cause.Finding) RuledOut { return RuledOut{f.Cause, f.Why} })
	if t := v.Together; t != nil {
		low, high := t.Interval()
		r.Serialization.Together = &Together{t.Causes, t.Estimate, [2]float64{low, high}}
	}
}

func writeVerdict(w *sheet, r *Report) {
	v := &r.Serialization
	fmt.Fprintln(w)
	wrap(w, v.Summary, "", "")
	if line := r.WorkLine(); line != "" {
		wrap(w, line, "", "")
	}
	if line := v.PhaseLine(); line != "" {
		wrap(w, line, "", "")
	}
	title := "verdict: "
	if r.Hung() {
		title = "verdict until it hung: "
	}
	writeHeading(w, title+v.Named(), v.Remark())
	causes := v.Causes
	if v.Share > 0 && len(causes) > 0 {
		causes[0].write(w)
	}
	for _, g := range v.Beside() {
		fmt.Fprintln(w, w.dim("  "+g.Title))
		var tiny []string
		for _, c := range g.Causes {
			if c.Share < tinyShare {
				tiny = append(tiny, c.Cause)
				continue
			}
			writeNamed(w, c.Cause, fmt.Sprintf("%s of the threads' time: %s", analyze.FormatShare(c.Share),
				strings.Join(c.Evidence[:min(1, len(c.Evidence))], "")))
		}
		if len(tiny) > 0 {
			wrap(w, fmt.Sprintf("below %s of the threads' time: %s", analyze.FormatShare(tinyShare),
				strings.Join(tiny, ", ")),
				"  ", "    ")
		}
	}
	if v.Together != nil {
		wrap(w, v.Together.Text(), "  ", "  ")
	}
	if len(v.RuledOut) > 0 {
		fmt.Fprintln(w, w.dim("  ruled out"))
	}
	for _, c := range v.RuledOut {
		writeNamed(w, c.Cause, c.Why)
	}
}

// Named returns the verdict's name, followed by "or" and the causes whose gain or cost is about equal to the
// verdict's.
func (s Serialization) Named() string {
	return strings.Join(append([]string{s.Verdict}, s.CloseCalls...), " or ")
}

// A CauseGroup is a titled group of causes other than the verdict.
type CauseGroup struct {
	Title  string
	Causes []Cause
}

// Heading returns the title as a heading.
func (g CauseGroup) Heading() string { return strings.ToUpper(g.Title[:1]) + g.Title[1:] }

// Beside returns the causes other than the verdict in two groups: faults of the program, and limits of the machine.
// The first group is titled "smaller causes" only if each of its causes costs less than the verdict does.
func (s Serialization) Beside() (groups []CauseGroup) {
	rest := s.Causes
	if s.Share > 0 && len(rest) > 0 {
		rest = rest[1:]
	}
	faults, limits := CauseGroup{Title: "smaller causes"}, CauseGroup{Title: "limits of the machine"}
	for _, c := range rest {
		if c.Limit {
			limits.Causes = append(limits.Causes, c)
			continue
		}
		if faults.Causes = append(faults.Causes, c); c.Share > s.Share {
			faults.Title = "other causes"
		}
	}
	for _, g := range []CauseGroup{faults, limits} {
		if len(g.Causes) > 0 {
			groups = append(groups, g)
		}
	}
	return groups
}

// tinyShare is the share of the threads' time below which a cause is listed by name only, without its evidence.
const tinyShare = 0.005

// write writes the cause's evidence, the predicted gain of removing it, and the advice.
func (c *Cause) write(w *sheet) {
	for _, e := range c.Evidence {
		wrap(w, e, "  - ", "    ")
	}
	if text := c.Prediction(); text != "" {
		wrap(w, text, "  - ", "    ")
	}
	wrap(w, "What to do: "+c.Advice+".", "  ", "  ")
}

// Remark returns the text next to the verdict: the share of the threads' time that it explains, and the confidence.
func (s Serialization) Remark() string {
	switch {
	case s.Confidence == 0:
		return "not enough data"
	case s.Verdict == cause.None && s.Share > 0:
		return fmt.Sprintf("%s of the threads' time lost to another program, confidence %.2f",
			analyze.FormatShare(s.Share),
			s.Confidence)
	case s.Verdict == cause.None:
		return fmt.Sprintf("confidence %.2f", s.Confidence)
	}
	text := fmt.Sprintf("%s of the threads' time, confidence %.2f", analyze.FormatShare(s.Share), s.Confidence)
	if len(s.CloseCalls) > 0 {
		text += ", a close call"
	}
	return text
}

// Prediction returns the predicted gain of removing the cause, or why there is no prediction; "" if neither is known.
func (c Cause) Prediction() string {
	switch s := c.SpeedupInterval; {
	case s != nil:
		return "removing it: " + Gain{*c.SpeedupIfRemoved, s.Low, s.High}.faster()
	case c.NotPredicted != "":
		return "the gain from removing it is not predicted: " + c.NotPredicted
	}
	return ""
}

// Text returns the predicted gain of removing both causes as a sentence.
func (t Together) Text() string {
	return fmt.Sprintf("removing %s and %s together: %s", t.Causes[0], t.Causes[1],
		Gain{t.SpeedupIfRemoved, t.SpeedupInterval[0], t.SpeedupInterval[1]}.faster())
}

// writeNamed writes the name of a cause in a column of its own, and a text to its right.
func writeNamed(w *sheet, cause, text string) {
	wrap(w, text, fmt.Sprintf("  %-20s", cause), strings.Repeat(" ", 22))
}
