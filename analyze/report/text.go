package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A section is a part of the report that can be asked for by name.
type section struct {
	name  string
	write func(r *Report, w *sheet)
	needs need
}

// A need is what a section is made of.
type need uint8

const (
	totals need = 1 << iota // what adds up over all of the run
	causes                  // what looks at each event against others
)

var sections = []section{
	{"hang", (*Report).writeHang, totals},
	{"verdict", (*Report).writeVerdict, causes},
	{"help", (*Report).writeWhatIf, causes},
	{"warnings", (*Report).writeWarnings, totals},
	{"insights", (*Report).writeInsights, causes},
	{"threads", (*Report).writeThreads, totals},
	{"waits", (*Report).writeWaits, totals | causes},
	{"path", (*Report).writePath, causes},
	{"gpu", (*Report).writeGPU, totals},
	{"queues", (*Report).writeQueues, totals},
	{"kernels", (*Report).writeKernels, totals | causes},
	{"operations", (*Report).writeOperations, totals},
	{"scopes", (*Report).writeScopes, totals},
	{"calls", (*Report).writeCalls, totals},
	{"sites", (*Report).writeCallSites, totals},
	{"memory", (*Report).writeMemory, totals},
	{"compile", (*Report).writeCompile, totals},
	{"tracer", (*Report).writeTracer, totals},
}

// Sections are the names that Options.Sections may hold, in the order in which they are written.
func Sections() []string {
	return list(sections, func(s section) string { return s.name })
}

// wants says whether something that is to be written is made of that.
func (o *Options) wants(n need) bool {
	if len(o.Sections) == 0 || o.Document || len(o.WhatIf) > 0 {
		return true
	}
	return slices.ContainsFunc(sections, func(s section) bool {
		return s.needs&n != 0 &&
			slices.Contains(o.Sections, s.name)
	})
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

// WriteText writes the report for people: on one screen what was traced, the verdict with its evidence and the largest
// rows of the tables, or the sections that opts names, or everything.
func (r *Report) WriteText(w io.Writer, opts Options) error {
	if !opts.All && len(opts.Sections) == 0 {
		return r.writeScreen(w, opts)
	}
	b := bufio.NewWriter(w)
	page := newSheet(b, opts)
	r.writeSource(page)
	r.writeSampled(page)
	for _, s := range sections {
		if len(opts.Sections) == 0 || slices.Contains(opts.Sections, s.name) {
			s.write(r, page)
		}
	}
	return b.Flush()
}

func head(w *sheet, title, remark string) {
	fmt.Fprintln(w)
	title = strings.ToUpper(title)
	switch {
	case remark == "":
		fmt.Fprintln(w, w.bold(title))
	case utf8.RuneCountInString(title)+2+utf8.RuneCountInString(remark) <= w.width:
		fmt.Fprintln(w, w.bold(title)+"  "+w.dim(remark))
	default:
		fmt.Fprintln(w, w.bold(title))
		wrap(w, remark, "  ", "  ")
	}
}

func (r *Report) writeWarnings(w *sheet) {
	if len(r.Warnings) == 0 {
		return
	}
	head(w, "warnings", "")
	for _, text := range r.Warnings {
		wrap(w, text, "  ! ", "    ")
	}
}
