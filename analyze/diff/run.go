// Package diff compares runs of a program, one or several per side: which calls, kernels and threads became slower or
// faster, which were added or removed, and whether the difference is significant. The noise is the variation between
// repeated runs if there are any, and otherwise the variation within the run.
package diff

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/kernels"
	"mtrace/analyze/report"
	"mtrace/analyze/statistics"
)

// A Kind is the kind of a compared item, such as a kernel or a call.
type Kind string

// The kinds.
const (
	KindToken  Kind = "token"  // time for each token of a language model, and its parts
	KindRun    Kind = "run"    // the program as a whole: time for each command buffer
	KindThread Kind = "thread" // time between successive commits of a thread
	KindKernel Kind = "kernel" // GPU time for each dispatch
	KindCall   Kind = "call"   // time for each call of a selector, nested calls included
)

// A Key identifies a compared quantity.
type Key struct {
	Kind Kind
	Name string
}

// A measure is what was measured of one item, such as a kernel, in one run.
type measure struct {
	count int64
	mean  float64            // nanoseconds
	usual float64            // the median of all values; 0 if not known
	share float64            // of the threads' time, or of the GPU's; 1 for threads and the run
	bins  *bins              // its values over time; nil if the run does not have them
	parts map[string]float64 // parts of the mean, nanoseconds by name; nil if not known

	// perBuffer is the time per command buffer of the run, in nanoseconds. For a call it is the exclusive time on
	// submitting threads, or on all threads if a report has only their sum; for a kernel it is GPU time.
	perBuffer float64
}

// typical returns the usual value in the run: the median of the means of short time ranges, which start-up and rare
// events hardly change. It returns the median of all values if that is known, and the mean if nothing else is known.
func (m *measure) typical() float64 {
	switch {
	case m.usual > 0:
		return m.usual
	case m.bins == nil:
		return m.mean
	}
	return statistics.Median(m.bins.stretches())
}

// A Run is one side's run of the program, measured for the comparison: it comes from a trace, or from a report of a
// trace.
type Run struct {
	Path     string
	Report   *report.Report
	measures map[Key]*measure
	// GPU time of kernels whose own times are not identified, per command buffer, in nanoseconds
	unidentified float64
	whole        bool // true for a trace: it shows the variation within the run, which a report lacks
}

// Read reads the trace or the report (written by `mtrace report --json`) at path and measures it.
func Read(path string) (*Run, error) {
	if doc, err := readReport(path); doc != nil || err != nil {
		if err != nil {
			return nil, err
		}
		r := &Run{Path: path, Report: doc, measures: map[Key]*measure{}}
		r.fromReport()
		return r, nil
	}
	f, err := analyze.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	c := &overTime{}
	if report.UsualLimits.Long(f, analyze.Options{}) {
		return c.long(f, path)
	}
	trace, err := f.Load(analyze.Options{Visit: c.visit})
	if err != nil {
		return nil, err
	}
	r := measured(path, report.Build(trace, report.Options{}))
	c.add(trace)
	c.give(r)
	return r, nil
}

// measured returns a Run with the sums of doc, a report that was built from a trace.
func measured(path string, doc *report.Report) *Run {
	r := &Run{Path: path, Report: doc, measures: map[Key]*measure{}, whole: true}
	r.fromReport()
	return r
}

// Of returns the measured Run of a trace that is already loaded and has no recorded calls, such as a recording of
// Instruments. path names the trace in messages.
func Of(path string, trace *analyze.Trace) *Run {
	r := measured(path, report.Build(trace, report.Options{}))
	var c overTime
	c.add(trace)
	c.give(r)
	return r
}

// readReport reads a report. It returns nil without an error if the file is not JSON, so that the caller reads it as
// a trace.
func readReport(path string) (*report.Report, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("opening a run to compare: %w", err)
	}
	defer f.Close()
	var first [1]byte
	for {
		if _, err := io.ReadFull(f, first[:]); err != nil {
			return nil, nil // the reader of traces reports the error
		}
		if !strings.ContainsRune(" \t\r\n", rune(first[0])) {
			break
		}
	}
	if first[0] != '{' {
		return nil, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("reading %s: %w", path, err)
	}
	return decodeReport(f, path)
}

func decodeReport(r io.Reader, path string) (*report.Report, error) {
	var doc report.Report
	if err := json.NewDecoder(r).Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading %s: it is not a report that `mtrace report --json` wrote: %w", path, err)
	}
	if doc.Schema != report.Schema {
		return nil, fmt.Errorf("reading %s: its schema is %q, but a comparison needs traces or reports with schema %s",
			path, doc.Schema, report.Schema)
	}
	return &doc, nil
}

func (r *Run) measure(kind Kind, name string) *measure {
	k := Key{kind, name}
	if r.measures[k] == nil {
		r.measures[k] = &measure{}
	}
	return r.measures[k]
}

// wholeRun is the name of the only item of KindRun.
const wholeRun = "time for each command buffer"

// The names of the items of KindToken: the time from token to token, and its two parts.
const (
	eachToken = "time for each token"
	tokenWork = "GPU work of a token"
	tokenIdle = "GPU idle in a token"
)

// fromReport takes the sums from a report.
func (r *Run) fromReport() {
	doc := r.Report
	var threadTime, gpuTime, committed int64
	for _, t := range doc.Threads {
		threadTime += t.WindowNS
		committed += int64(t.CommandBuffers)
	}
	for _, k := range doc.Kernels {
		gpuTime += k.GPUNS
	}
	totals := map[string]int64{}
	for _, c := range doc.Calls {
		m := r.measure(KindCall, c.Selector)
		m.count += c.Count
		totals[c.Selector] += c.TotalNS
		m.mean, m.share = ratio(totals[c.Selector], m.count), ratio(totals[c.Selector], threadTime)
		m.perBuffer += ratio(c.ExclusiveNS, committed)
	}
	for _, k := range doc.Kernels {
		if k.Source == kernels.NotIdentified { // without this kernel's time, its change is unknown, too
			r.unidentified += ratio(k.GPUNS, committed)
			continue
		}
		m := r.measure(KindKernel, k.Title())
		// a kernel without dispatches is other GPU work, such as copies; it is counted by command buffers
		m.count = int64(cmp.Or(k.Dispatches, k.CommandBuffers))
		m.mean, m.share = ratio(k.GPUNS, m.count), ratio(k.GPUNS, gpuTime)
		m.perBuffer = ratio(k.GPUNS, committed)
	}
	r.tokens(doc.Steps.Generation, committed)
	var buffers, sum int64
	parts := map[string]int64{}
	names := threadNames(doc.Threads)
	for i, t := range doc.Threads {
		if t.CommandBuffers == 0 {
			continue
		}
		m := r.measure(KindThread, names[i])
		m.count, m.mean, m.share = int64(t.CommandBuffers), ratio(t.WindowNS, int64(t.CommandBuffers)), 1
		m.parts = map[string]float64{}
		buffers += int64(t.CommandBuffers)
		for part, ns := range t.Time {
			m.parts[part] = ratio(ns, int64(t.CommandBuffers))
			parts[part] += ns
			sum += ns
		}
	}
	if buffers > 0 {
		m := r.measure(KindRun, wholeRun)
		m.count, m.mean, m.share = buffers, ratio(doc.Source.WindowNS, buffers), 1
		m.parts = map[string]float64{}
		for part, ns := range parts { // thread time, scaled to the run's time
			m.parts[part] = m.mean * ratio(ns, sum)
		}
	}
}

// tokens takes the times of a language model's tokens from a report; g is nil without tokens.
func (r *Run) tokens(g *report.Generation, committed int64) {
	if g == nil || g.TokenNS.Count == 0 {
		return
	}
	for name, q := range map[string]report.Quantiles{eachToken: g.TokenNS, tokenWork: g.GPUNS, tokenIdle: g.IdleNS} {
		if q.P50NS <= 0 {
			continue
		}
		m := r.measure(KindToken, name)
		m.count, m.mean, m.usual, m.share = q.Count, float64(q.MeanNS), float64(q.P50NS), 1
		m.perBuffer = ratio(q.P50NS*q.Count, committed)
	}
	m := r.measure(KindToken, eachToken)
	m.parts = map[string]float64{"GPU work": float64(g.GPUNS.P50NS), "GPU idle": float64(g.IdleNS.P50NS)}
}

func ratio(a, b int64) float64 {
	if b == 0 {
		return 0
	}
	return float64(a) / float64(b)
}

// threadNames returns names for threads by which the threads of two runs can be matched: the name and a number, such
// as "worker #2". IDs differ between runs; names, and the order of threads of one name, do not.
func threadNames(threads []report.Thread) []string {
	names := make([]string, len(threads))
	seen := map[string]int{}
	for i, t := range threads {
		name := t.Name
		if name == "" {
			name = "thread"
		}
		seen[name]++
		names[i] = fmt.Sprintf("%s #%d", name, seen[name])
	}
	for i := range names {
		base, numbered := strings.CutSuffix(names[i], " #1")
		if numbered && seen[base] == 1 && threads[i].Name != "" {
			names[i] = base
		}
	}
	return names
}
