package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A section is a part of the report that can be asked for by name.
type section struct {
	name  string
	write func(r *Report, w io.Writer, style styler)
}

var sections = []section{
	{"verdict", (*Report).writeVerdict},
	{"help", (*Report).writeWhatIf},
	{"warnings", (*Report).writeWarnings},
	{"insights", (*Report).writeInsights},
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

func (r *Report) writeWarnings(w io.Writer, style styler) {
	if len(r.Warnings) == 0 {
		return
	}
	head(w, style, "warnings", "")
	for _, text := range r.Warnings {
		wrap(w, text, "  ! ", "    ")
	}
}
