package report

import (
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/cause"
	"mtrace/analyze/evidence"
	"mtrace/analyze/hang"
)

// untilHang restricts the analysis of causes to the time before a hang, because the time of a hang does not show how
// the program worked. Totals still cover the whole run.
func (x *answers) untilHang(opts Options) {
	if !x.hang.Hung() || opts.Range == nil || !opts.wants(causes) {
		return
	}
	before, err := opts.Range(0, x.hang.Hangs[0].Since-x.trace.Run.Origin)
	if err != nil || before.Empty() {
		return
	}
	x.before = cause.Analyze(before, cause.Options{Seed: opts.Seed})
	x.analysis = &cause.Analysis{Totals: evidence.Measure(x.trace)}
}

// warnings returns the trace's warnings. Warnings about threads that the hang report already describes are left out.
func (x *answers) warnings() []string {
	all := append([]string{}, x.trace.Warnings...)
	if !x.hang.Hung() {
		return all
	}
	stuck := map[*analyze.Thread]bool{}
	for i := range x.hang.Hangs {
		for _, s := range x.hang.Hangs[i].Stuck {
			stuck[s.Thread] = true
		}
	}
	unfinished := analyze.UnfinishedWarnings(x.trace, nil)
	all = slices.DeleteFunc(all, func(line string) bool { return slices.Contains(unfinished, line) })
	return append(all, analyze.UnfinishedWarnings(x.trace, stuck)...)
}

// causesIn returns the analysis from which the report takes the causes of slowness: of the run before the hang if the
// program hangs at the end, otherwise of the whole run.
func (x *answers) causesIn() *cause.Analysis {
	if x.before != nil {
		return x.before
	}
	return x.analysis
}

// buildHang fills in whether programs hang.
func buildHang(r *Report, found *hang.Document) {
	if found != nil && len(found.Hangs)+len(found.Pauses) > 0 {
		r.Hang = found
	}
}

// Hung reports whether a process stopped making progress before the end of the run.
func (r *Report) Hung() bool { return r.Hang != nil && len(r.Hang.Hangs) > 0 }

// writeHang writes which threads made no progress and what they wait for. It comes before any verdict, because a hung
// program has no other problem.
func writeHang(w *sheet, r *Report) {
	if r.Hang == nil {
		return
	}
	if r.Hung() {
		writeHeading(w, "hang", r.Hang.Title())
		for _, l := range r.Hang.Lines() {
			indent := l.Text[:len(l.Text)-len(strings.TrimLeft(l.Text, " "))]
			wrap(w, l.Text, "  "+indent, "  "+l.Then)
		}
	}
	for i := range r.Hang.Pauses {
		fmt.Fprintln(w)
		wrap(w, r.Hang.Pauses[i].Line()+".", "", "  ")
	}
}

// screenHang writes the hang for the one-screen report, and one line with the verdict on the run before the hang.
func screenHang(r *Report, w *sheet, _ screenRows) {
	writeHang(w, r)
	if !r.Hung() {
		return
	}
	v := r.Serialization
	text := "There is too little data from before the hang for a verdict."
	if v.Confidence > 0 {
		text = fmt.Sprintf("Until then: %s (%s of thread time).", v.Verdict, analyze.FormatShare(v.Share))
	}
	wrap(w, text+" mtrace report --all shows the run before the hang.", "  ", "  ")
}
