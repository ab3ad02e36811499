package report

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// A section is a part of the report that can be requested by name with --section.
type section struct {
	name  string
	write func(w *sheet, r *Report)
	needs need
}

// A need is a kind of analysis that a section requires. Analyses that no requested section needs are skipped.
type need uint8

const (
	totals need = 1 << iota // values that add up over the whole run
	causes                  // analyses that compare events with each other
	times                   // how threads, queues and the GPU spend their time; it needs totals too
)

var sections = []section{
	{"hang", writeHang, totals},
	{"verdict", writeVerdict, causes},
	{"help", writeWhatIf, causes},
	{"experiment", writeExperiment, causes},
	{"warnings", writeWarnings, totals | times},
	{"insights", writeInsights, causes},
	{"threads", writeThreads, totals | times},
	{"waits", writeWaits, totals | times | causes},
	{"path", writePath, causes},
	{"gpu", writeGPU, totals | times},
	{"queues", writeQueues, totals | times},
	{"kernels", writeKernels, totals | causes},
	{"operations", writeOperations, totals},
	{"scopes", writeScopes, totals},
	{"steps", writeSteps, totals},
	{"calls", writeCalls, totals},
	{"sites", writeCallSites, totals},
	{"memory", writeMemory, totals},
	{"compile", writeCompile, totals},
	{"tracer", writeTracer, totals},
}

// Sections returns the names that --section accepts, in the order in which the sections are written.
func Sections() []string {
	return list(sections, func(s section) string { return s.name })
}

// wants reports whether any requested section needs analyses of kind n, so that others can be skipped.
func (o *Options) wants(n need) bool {
	if len(o.Sections) == 0 || o.Document || len(o.WhatIf) > 0 {
		return true
	}
	return slices.ContainsFunc(sections, func(s section) bool {
		return s.needs&n != 0 &&
			slices.Contains(o.Sections, s.name)
	})
}

// CheckSections returns an error that names the first unknown section in `names`; nil if all are known.
func CheckSections(names []string) error {
	for _, n := range names {
		if !slices.Contains(Sections(), n) {
			return fmt.Errorf("no section %q in a report: there are %s", n, strings.Join(Sections(), ", "))
		}
	}
	return nil
}

// WriteText writes the report as text. The default is one screen with what was traced, the verdict with its evidence
// and the largest rows of the tables. Otherwise it writes the sections that opts names, or all of them.
func (r *Report) WriteText(w io.Writer, opts Options) error {
	if !opts.All && len(opts.Sections) == 0 {
		return writeScreen(w, r, opts)
	}
	b := bufio.NewWriter(w)
	page := newSheet(b, opts)
	writeSource(page, r)
	writeSampled(page, r)
	for _, s := range sections {
		if len(opts.Sections) == 0 || slices.Contains(opts.Sections, s.name) {
			s.write(page, r)
		}
	}
	return b.Flush()
}

func writeHeading(w *sheet, title, remark string) {
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

func writeWarnings(w *sheet, r *Report) {
	if len(r.Warnings) == 0 {
		return
	}
	writeHeading(w, "warnings", "")
	for _, text := range r.Warnings {
		wrap(w, text, "  ! ", "    ")
	}
}
