package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/insight"
	"mtrace/analyze/serial"
)

// A section is a part of the report that can be asked for by name.
type section struct {
	name  string
	write func(r *Report, w io.Writer, style styler)
}

var sections = []section{
	{"verdict", (*Report).writeVerdict},
	{"warnings", (*Report).writeWarnings},
	{"threads", (*Report).writeThreads},
	{"waits", (*Report).writeWaits},
	{"path", (*Report).writePath},
	{"gpu", (*Report).writeGPU},
	{"queues", (*Report).writeQueues},
	{"kernels", (*Report).writeKernels},
	{"scopes", (*Report).writeScopes},
	{"calls", (*Report).writeCalls},
	{"sites", (*Report).writeCallSites},
	{"memory", (*Report).writeMemory},
	{"compile", (*Report).writeCompile},
	{"insights", (*Report).writeInsights},
	{"tracer", (*Report).writeTracer},
}

// Sections are the names that Options.Sections may hold, in the order in which they are written.
func Sections() []string {
	return list(sections, func(s section) string { return s.name })
}

// CheckSections is an error that names the first unknown section, if there is one.
func CheckSections(names []string) error {
	for _, n := range names {
		if !slices.Contains(Sections(), n) {
			return fmt.Errorf("no section %q in a report: there are %s", n, strings.Join(Sections(), ", "))
		}
	}
	return nil
}

// WriteText writes the report for people, at most 100 columns wide: what was traced, the verdict with its evidence, the tables.
func (r *Report) WriteText(w io.Writer, opts Options) error {
	b := bufio.NewWriter(w)
	style := styler(opts.Color)
	r.writeSource(b, style)
	for _, s := range sections {
		if len(opts.Sections) == 0 || slices.Contains(opts.Sections, s.name) {
			s.write(r, b, style)
		}
	}
	return b.Flush()
}

func head(w io.Writer, style styler, title, remark string) {
	fmt.Fprintln(w)
	if remark != "" {
		remark = "  " + style.dim(remark)
	}
	fmt.Fprintln(w, style.bold(strings.ToUpper(title))+remark)
}

func (r *Report) writeSource(w io.Writer, style styler) {
	s := &r.Source
	what := s.Program
	if len(s.Args) > 0 {
		what = strings.Join(s.Args, " ")
	}
	fmt.Fprintln(w, style.bold(cut(analyze.Printable(strings.Join(strings.Fields(what), " ")), width)))
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
	lost := "none lost"
	if r.Lost.Total > 0 {
		lost = style.red(count(r.Lost.Total) + " LOST")
	}
	parts = append(parts, count(r.Events)+" calls, "+lost)
	if s := r.Coverage.Share; s != nil && *s < 1 {
		parts = append(parts, style.red(analyze.FormatShare(*s)+" OF COMMITS SEEN"))
	}
	wrapStyled(w, strings.Join(parts, " · "), "", "")
	if s.SoftwareMetal {
		fmt.Fprintln(w, style.yellow("SOFTWARE METAL: these are the times of a software Metal, not of a GPU."))
	}
}

func (r *Report) writeVerdict(w io.Writer, style styler) {
	v := &r.Serialization
	fmt.Fprintln(w)
	wrap(w, v.Summary, "", "")
	if line := v.PhaseLine(); line != "" {
		wrap(w, line, "", "")
	}
	remark := fmt.Sprintf("%s of the threads' time, confidence %.2f", analyze.FormatShare(v.Share), v.Confidence)
	switch {
	case v.Confidence == 0:
		remark = "not enough data"
	case v.Verdict == serial.None && v.Share > 0:
		remark = fmt.Sprintf("%s of the threads' time lost to another program, confidence %.2f", analyze.FormatShare(v.Share), v.Confidence)
	case v.Verdict == serial.None:
		remark = fmt.Sprintf("confidence %.2f", v.Confidence)
	}
	head(w, style, "verdict: "+v.Verdict, remark)
	causes := v.Causes
	if v.Share > 0 && len(causes) > 0 {
		c := causes[0]
		causes = causes[1:]
		for _, e := range c.Evidence {
			wrap(w, e, "  - ", "    ")
		}
		if s := c.SpeedupInterval; s != nil {
			wrap(w, fmt.Sprintf("without it the run would be %.2f times as fast (%.2f to %.2f), by replay", *c.SpeedupIfRemoved, s.Low, s.High), "  - ", "    ")
		} else if c.NotPredicted != "" {
			wrap(w, "what the run would be without it is not predicted: "+c.NotPredicted, "  - ", "    ")
		}
		wrap(w, "What to do: "+c.Advice+".", "  ", "  ")
	}
	if len(causes) > 0 {
		fmt.Fprintln(w, style.dim("  smaller causes"))
		for _, c := range causes {
			text := fmt.Sprintf("%s (%s of the threads' time)", strings.Join(c.Evidence[:min(1, len(c.Evidence))], ""), analyze.FormatShare(c.Share))
			wrap(w, text, fmt.Sprintf("  %-20s", c.Cause), strings.Repeat(" ", 22))
		}
	}
	if t := v.Together; t != nil {
		wrap(w, fmt.Sprintf("without %s and %s together it would be %.2f times as fast (%.2f to %.2f)", t.Causes[0], t.Causes[1], t.SpeedupIfRemoved,
			t.SpeedupInterval[0], t.SpeedupInterval[1]), "  ", "  ")
	}
	if len(v.RuledOut) > 0 {
		fmt.Fprintln(w, style.dim("  ruled out"))
		for _, c := range v.RuledOut {
			wrap(w, c.Why, fmt.Sprintf("  %-20s", c.Cause), strings.Repeat(" ", 22))
		}
	}
}

func (r *Report) writeWarnings(w io.Writer, style styler) {
	if len(r.Warnings) == 0 {
		return
	}
	head(w, style, "warnings", "")
	for _, text := range r.Warnings {
		wrap(w, text, "  ! ", "    ")
	}
}

func (r *Report) writeInsights(w io.Writer, style styler) {
	if len(r.Insights) == 0 {
		return
	}
	head(w, style, "insights", "")
	unplaced := false
	skipped := map[string][]string{}
	var reasons []string
	for _, i := range r.Insights {
		if i.Severity == insight.Skipped {
			if skipped[i.Evidence] == nil {
				reasons = append(reasons, i.Evidence)
			}
			skipped[i.Evidence] = append(skipped[i.Evidence], i.Title)
			continue
		}
		mark := "  - "
		if i.Severity == insight.Warning {
			mark = "  ! "
		}
		wrap(w, i.Title+": "+i.Evidence+". → "+i.Advice+".", mark, "    ")
		for _, s := range i.Where {
			wrap(w, s.Text, "      at ", "         ")
			unplaced = unplaced || s.At == ""
		}
	}
	for _, why := range reasons {
		wrap(w, why+": "+strings.Join(skipped[why], ", ")+".", "  · ", "    ")
	}
	if unplaced && r.Source.Kind == "mtrace" && r.Overhead.Stacks == 0 {
		wrap(w, "mtrace run --stacks native,python records the functions and lines of these calls.", "  ", "  ")
	}
}

// nanoseconds is a mean, of which a tenth still means something while it is small.
func nanoseconds(n float64) string {
	if n < 100 {
		return fmt.Sprintf("%.1f ns", n)
	}
	return analyze.Nanos(n).String()
}

func (r *Report) writeTracer(w io.Writer, style styler) {
	head(w, style, "the tracer itself", "")
	switch o := &r.Overhead; o.Source {
	case "unknown":
		fmt.Fprintln(w, "  what recording cost is not known for this source")
	default:
		text := fmt.Sprintf("recording took %s a call (%s)", nanoseconds(o.NSPerEvent), o.Source)
		if o.Stacks > 0 {
			text += fmt.Sprintf(" and %s a stack (measured, %s of them)", nanoseconds(o.NSPerStack), count(o.Stacks))
		}
		wrap(w, fmt.Sprintf("%s: %s of the threads' time", text, analyze.FormatShare(o.Share)), "  ", "  ")
	}
	l := &r.Lost
	text := fmt.Sprintf("lost: %s calls, %s names", count(l.Total), count(l.Facts))
	for _, more := range []struct {
		n    int64
		what string
	}{{l.Unnamed, "objects without a number"}, {l.Nested, "inner calls left out on purpose"}, {l.Children, "forked children untraced"}, {l.Rejected, "calls on dying threads and marks without a ring"}} {
		if more.n > 0 {
			text += fmt.Sprintf(", %s %s", count(more.n), more.what)
		}
	}
	wrap(w, text, "  ", "  ")
	r.writeCoverage(w, style)
	for _, m := range r.Missing {
		wrap(w, "not in the trace: "+m.What+": "+m.Why, "  ", "    ")
	}
}
