package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mtrace/analyze"
)

// Coverage shows how completely the tracer saw the program's use of Metal. It compares objects counted in internal
// functions of Metal, through which all command buffers pass, with those that the hooks on public methods recorded.
type Coverage struct {
	// the share of all commits that were recorded, 0 to 1; null if there were none, or if Metal has no internal
	// function to count them in
	Share     *float64          `json:"share"`
	Processes []ProcessCoverage `json:"processes"`
}

// ProcessCoverage is the coverage of one process.
type ProcessCoverage struct {
	PID      int             `json:"pid"`
	Classes  []string        `json:"classes_hooked"`
	Unhooked []UnhookedClass `json:"classes_not_hooked"`
	// number of calls that the tracer omits on purpose, because they are made inside another Metal call that represents
	// them; by kind of object
	Nested      map[string]int64 `json:"nested_calls"`
	Commits     Audit            `json:"commits"`
	Completions Audit            `json:"completions"`
	SelfCheck   *SelfCheck       `json:"self_check"` // null when none was made
}

// An UnhookedClass is a class whose objects the program used although the tracer does not record all of its methods,
// or records none.
type UnhookedClass struct {
	Class   string `json:"class"`
	Family  string `json:"family"`
	Methods int    `json:"methods"` // number of methods that are not recorded; 0 means all
}

// An Audit compares two counts: how many objects Metal created (Made), counted in an internal function of Metal that
// every such object passes through, and how many of them the tracer recorded (Seen). If Seen is less, the trace lacks
// objects.
type Audit struct {
	Made int64 `json:"made"`
	Seen int64 `json:"seen"`
}

// SelfCheck is what `mtrace run --self-check` found.
type SelfCheck struct {
	Made  int           `json:"made"`
	Seen  int           `json:"seen"`
	Calls []CheckedCall `json:"calls"`
}

// A CheckedCall is a call that the self-check made on purpose. Made is how often it was made, Seen how often it was
// recorded; the tracer works if both are equal.
type CheckedCall struct {
	Selector string `json:"selector"`
	Made     int    `json:"made"`
	Seen     int    `json:"seen"`
}

func buildCoverage(r *Report, t *analyze.Trace) {
	if share, known := analyze.CommitAudit(t).Share(); known {
		r.Coverage.Share = &share
	}
	r.Coverage.Processes = list(t.Recording.Coverage, func(c analyze.Coverage) ProcessCoverage {
		p := ProcessCoverage{PID: c.Process.ID, Classes: append([]string{}, c.Classes...), Nested: c.Nested,
			Commits: Audit(c.Commits), Completions: Audit(c.Completions)}
		p.Unhooked = list(c.Unhooked, func(u analyze.UnhookedClass) UnhookedClass {
			return UnhookedClass{u.Name, u.Family,
				u.Methods}
		})
		if c.SelfCheck != nil {
			p.SelfCheck = &SelfCheck{Calls: list(c.SelfCheck,
				func(k analyze.CheckedCall) CheckedCall { return CheckedCall(k) })}
			p.SelfCheck.Made, p.SelfCheck.Seen = c.SelfChecked()
		}
		return p
	})
}

// right reports whether the tracer recorded every call of the self-check exactly once.
func (s *SelfCheck) right() bool {
	return !slices.ContainsFunc(s.Calls, func(k CheckedCall) bool { return k.Made != k.Seen })
}

// writeCoverage writes what the tracer knows to have missed, one line for each of the first eight processes.
func writeCoverage(w *sheet, r *Report) {
	const most = 8
	for i, p := range r.Coverage.Processes {
		if i == most {
			wrap(w, fmt.Sprintf("… and %d more processes, see --json", len(r.Coverage.Processes)-most), "  ", "    ")
			return
		}
		who := "coverage"
		if len(r.Coverage.Processes) > 1 {
			who = fmt.Sprintf("coverage of process %d", p.PID)
		}
		wrapParts(w, p.parts(w), "  "+who+": ", "    ")
	}
}

// parts returns phrases about one process: the share of commits and completions that were seen, classes without
// hooks, inner calls left out, and the self-check. Phrases about gaps are red.
func (p *ProcessCoverage) parts(w *sheet) []string {
	audit := func(a Audit, what string) string {
		if a.Made == 0 {
			return ""
		}
		text := fmt.Sprintf("%s of %s %s seen", formatCount(a.Seen), formatCount(a.Made), what)
		if a.Seen < a.Made {
			return w.red(text)
		}
		return text
	}
	parts := []string{audit(p.Commits, "commits"), audit(p.Completions, "completions"),
		analyze.Plural(len(p.Classes), "class") + " hooked"}
	for _, u := range p.Unhooked {
		class := analyze.Printable(u.Class)
		text := class + " not hooked"
		if u.Methods > 0 {
			text = fmt.Sprintf("%s of %s not hooked", analyze.Plural(u.Methods, "method"), class)
		}
		parts = append(parts, w.red(text))
	}
	if len(p.Nested) > 0 {
		inner := []string{}
		for _, family := range slices.Sorted(maps.Keys(p.Nested)) {
			inner = append(inner, formatCount(p.Nested[family])+" "+family)
		}
		parts = append(parts, "inner calls left out: "+strings.Join(inner, ", "))
	}
	if s := p.SelfCheck; s != nil && s.right() {
		parts = append(parts, fmt.Sprintf("self-check: %d of %d calls seen, each once", s.Seen, s.Made))
	} else if s != nil {
		parts = append(parts, w.red(fmt.Sprintf("SELF-CHECK FAILED: %d of %d calls seen, or some more than once",
			s.Seen,
			s.Made)))
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}
