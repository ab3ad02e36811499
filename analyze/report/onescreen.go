package report

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/policy"
)

// The default text of a report fits on one screen: what was traced, the verdict with its evidence, what to do, and
// the largest rows of the most important tables. --all writes every section, --section the named ones.

// mostScreenLines is the maximum number of lines of the one-screen report.
const mostScreenLines = 40

// screenRows limits the number of rows of each part of the one-screen report.
type screenRows struct {
	evidence, targets, helps, threads, kernels, notes, warnings int

	// number of explanatory sentences, the most important first: how the verdict changes over time (1), why no gain is
	// predicted (2), when the GPU is idle between tokens (3)
	remarks int
}

// usualScreenRows are the limits with which a report is first written. If the text is too long for the screen,
// tighter reduces them step by step.
var usualScreenRows = screenRows{evidence: 4, targets: 3, helps: 5, threads: 8, kernels: 5, notes: 4, warnings: 3,
	remarks: 3}

// Rows are removed in two stages: first each part is cut down to fewScreenRows, and only then to leastScreenRows.
var (
	fewScreenRows   = screenRows{evidence: 2, targets: 1, helps: 3, threads: 3, kernels: 1, notes: 2, warnings: 1}
	leastScreenRows = screenRows{evidence: 1, targets: 1, helps: 1, threads: 1, kernels: 1, notes: 1, warnings: 1}
)

// tighter returns the limits with one row less, in the part whose last row matters least; false if every part is at
// its minimum.
func (s screenRows) tighter() (screenRows, bool) {
	least := fewScreenRows
	switch {
	case s.threads > least.threads+2:
		s.threads--
	case s.kernels > least.kernels:
		s.kernels--
	case s.threads > least.threads:
		s.threads--
	case s.notes > least.notes:
		s.notes--
	case s.targets > least.targets:
		s.targets--
	case s.helps > least.helps:
		s.helps--
	case s.notes > leastScreenRows.notes:
		s.notes--
	case s.evidence > least.evidence:
		s.evidence--
	case s.warnings > least.warnings:
		s.warnings--
	case s.remarks > least.remarks:
		s.remarks--
	case s.threads > leastScreenRows.threads:
		s.threads--
	case s.helps > leastScreenRows.helps:
		s.helps--
	case s.evidence > leastScreenRows.evidence:
		s.evidence--
	default:
		return s, false
	}
	return s, true
}

// screenParts writes the parts of the one-screen report, in this order.
var screenParts = []func(r *Report, w *sheet, rows screenRows){
	screenSource, screenHang, screenVerdict, screenExperiment, screenHelps, screenThreads,
	screenGPU, screenSteps, screenNotes, screenEnd,
}

// hungParts writes the parts for a run that hangs: only where it is stuck, because other figures of such a run
// mislead.
var hungParts = []func(r *Report, w *sheet, rows screenRows){screenSource, screenHang, screenEnd}

// writeScreen writes the one-screen report. It writes the text into memory, and again with fewer rows, until it fits.
func writeScreen(w io.Writer, r *Report, opts Options) error {
	rows, parts := usualScreenRows, screenParts
	if r.Hung() {
		parts = hungParts
	}
	for {
		var b bytes.Buffer
		for _, part := range parts {
			part(r, newSheet(&b, opts), rows)
		}
		fewer, possible := rows.tighter()
		if bytes.Count(b.Bytes(), []byte("\n")) <= mostScreenLines || !possible {
			_, err := w.Write(b.Bytes())
			return err
		}
		rows = fewer
	}
}

// screenSource writes what was traced and on which machine, what is missing in the trace, and the first warnings.
func screenSource(r *Report, w *sheet, rows screenRows) {
	s := &r.Source
	if s.Incomplete != nil {
		fmt.Fprintln(w, w.red(s.Incomplete.Text))
	}
	fmt.Fprintln(w, w.bold(cut(s.what(), w.width)))
	if s.RecordedText != "" {
		w.writeSentence(s.RecordedText, w.yellow)
	}
	machine := analyze.Printable(strings.Join(slices.DeleteFunc([]string{s.Device, s.OS},
		func(p string) bool { return p == "" }), ", "))
	if s.Processors > 0 {
		machine += ", " + analyze.Plural(s.Processors, "processor")
	}
	parts := []string{machine, analyze.Nanos(s.WindowNS).String()}
	if len(s.PIDs) > 1 {
		parts = append(parts, fmt.Sprintf("%d processes", len(s.PIDs)))
	}
	parts = append(parts, contentsAndLosses(r, w)...)
	wrapParts(w, slices.DeleteFunc(parts, func(p string) bool { return p == "" }), "", "")
	if s.SoftwareMetal {
		w.writeSentence("Software Metal: times are not a GPU's.", w.yellow)
	}
	if busy := s.Busy(); busy != "" {
		w.writeSentence("Busy machine: "+busy, w.yellow)
	}
	writeSampled(w, r)
	for _, text := range r.Warnings[:min(rows.warnings, len(r.Warnings))] {
		wrap(w, text, "! ", "  ")
	}
	if more := len(r.Warnings) - rows.warnings; more > 0 {
		fmt.Fprintf(w, "! ... and %s: --section warnings\n", analyze.Plural(more, "more warning"))
	}
}

// screenHelps writes the changes with the largest predicted gains: for 25% and 50% less time, and for removal.
func screenHelps(r *Report, w *sheet, rows screenRows) {
	helps, asked := r.Helps(), r.Asked()
	if len(helps) == 0 && asked == "" {
		return
	}
	writeHeading(w, "what would help", r.HelpsTitle())
	if asked != "" {
		wrap(w, asked, "  ", "  ")
	}
	if len(helps) == 0 {
		return
	}
	t := &table{heads: []string{"", "25% shorter", "50% shorter", "gone or done"}, left: 1, most: rows.helps,
		spare: []int{1}}
	for _, h := range helps {
		t.add(h.Title(), h.Gains[1], h.Gains[2], h.Gains[3])
	}
	t.write(w)
}

// screenGPU writes how busy the GPU was, and the kernels with the most GPU time.
func screenGPU(r *Report, w *sheet, rows screenRows) {
	fmt.Fprintln(w)
	g := &r.GPU
	if g.BusyNS == 0 {
		fmt.Fprintln(w, w.bold("GPU")+"  no GPU times in this trace")
		return
	}
	text := g.BusyText()
	if g.IdleNS > 0 {
		gaps := 0
		for _, by := range g.IdleBy {
			gaps += by.Gaps
		}
		text += fmt.Sprintf(" · idle %s in %s between command buffers", ns(g.IdleNS), analyze.Plural(gaps, "gap"))
		if len(g.IdleBy) > 0 {
			longest := g.IdleBy[0]
			text += fmt.Sprintf(", %s of it while %s", ns(longest.NS), idleReason(r, longest))
		}
	}
	labelled(w, "GPU", keepUnits(strings.Fields(text)))
	writeScreenKernels(w, r, rows)
}

// idleReason returns what a thread was doing while the GPU was idle, until that thread's work ended the idle time.
func idleReason(r *Report, by IdleBy) string {
	thread := "the next thread"
	if by.TID != 0 {
		thread = r.NameOf(by.TID)
	}
	doing := by.Doing
	switch {
	case doing == "scheduling":
		return fmt.Sprintf("command buffers of %s were committed and had not started", thread)
	case strings.HasPrefix(doing, "waiting for"):
		return fmt.Sprintf("%s was %s", thread, doing)
	}
	return fmt.Sprintf("%s was %s", thread, doing)
}

// writeScreenKernels writes one line for each of the kernels that may have the most GPU time, up to the limit in
// `rows`.
func writeScreenKernels(w *sheet, r *Report, rows screenRows) {
	label := "KERNELS"
	for i, k := range screenKernels(r.Kernels) {
		if i == rows.kernels {
			fmt.Fprintf(w, "%*s... and %d more: --section kernels\n", labelWidth, "", len(r.Kernels)-i)
			return
		}
		name := k.Name
		if k.Layer != analyze.App && k.Layer != "" {
			name = k.Layer + " / " + name
		}
		text := fmt.Sprintf("%s  %s (%s, %s) · ", titled(cut(analyze.Printable(name), 40), k.Variant), k.GPUCell(),
			k.ShareCell(), k.Source)
		switch {
		case k.Name == kernels.Failed:
			text = fmt.Sprintf("%s  %s (%s) · %s", k.Name, k.GPUCell(), k.ShareCell(),
				analyze.Plural(k.CommandBuffers, "command buffer"))
		case k.Dispatches == 0:
			text += "in " + analyze.Plural(k.CommandBuffers, "command buffer")
		default:
			text += fmt.Sprintf("%s · %s each", analyze.Plural(k.Dispatches, "dispatch"), k.MeanCell())
		}
		labelled(w, label, keepUnits(strings.Fields(text)))
		label = ""
	}
}

// screenKernels returns the kernels in their order, but moves kernels that cannot have a noticeable share of GPU time
// to the end. Otherwise a kernel whose time is known to be 0.1% would hide kernels whose time is not identified and
// may be nearly all of it.
func screenKernels(all []Kernel) []Kernel {
	total := int64(0)
	for _, k := range all {
		total += k.GPUNS
	}
	list := slices.Clone(all)
	small := func(k Kernel) bool { return float64(k.GPUHighNS) < policy.NoticeableKernel*float64(total) }
	slices.SortStableFunc(list, func(a, b Kernel) int {
		switch {
		case small(a) == small(b):
			return 0
		case small(a):
			return 1
		}
		return -1
	})
	return list
}

// screenNotes writes the insights, one line each, with the id that mtrace explain takes.
func screenNotes(r *Report, w *sheet, rows screenRows) {
	found, _ := foundInsights(r)
	label := "NOTES"
	for i, note := range found {
		if i == rows.notes {
			fmt.Fprintf(w, "%*s... and %d more: --section insights\n", labelWidth, "", len(found)-i)
			return
		}
		place := ""
		if len(note.Where) > 0 && note.Where[0].At != "" {
			place = " (" + note.Where[0].At + ")"
		}
		place += " [" + note.ID + "]"
		room := max(20, w.width-labelWidth-len([]rune(place)))
		text := firstClauses(analyze.Printable(note.Title+": "+note.Advice), len([]rune(note.Title)), room) + place
		labelled(w, label, []string{cutEnd(analyze.Printable(text), max(20, w.width-labelWidth))})
		label = ""
	}
}

// labelWidth is the width of labels such as VERDICT; the one-screen report writes its text to the right of them.
const labelWidth = 9

// labelled writes a bold label and words to its right. Further lines are indented to the same column.
func labelled(w *sheet, label string, words []string) {
	blank := strings.Repeat(" ", labelWidth)
	for i, line := range w.lines(words, blank, blank) {
		if i == 0 {
			line = w.bold(label) + strings.TrimPrefix(line, blank[:len(label)])
		}
		fmt.Fprintln(w, line)
	}
}

// screenEnd writes which commands show what the one-screen report leaves out.
func screenEnd(r *Report, w *sheet, _ screenRows) {
	fmt.Fprintln(w)
	more := "mtrace report --all"
	if r.Source.Path != "" {
		more += " " + r.Source.Path
	}
	wrap(w, more+" shows ruled-out causes, waits, critical path, calls, memory, compilation; "+
		"mtrace view the timeline; mtrace explain NAME a verdict or note.", "", "")
}
