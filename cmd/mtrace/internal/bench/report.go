package bench

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"mtrace/analyze"
)

// Schema is the "schema" of the document that mtrace bench --json prints.
const Schema = "mtrace.bench/1"

// Conditions describe the machine and settings of a run. They are printed above its results: figures of different
// machines or sizes cannot be compared.
type Conditions struct {
	Host    Host      `json:"host"`
	CPUs    int       `json:"cpus"`
	Started time.Time `json:"started"`
	Quick   bool      `json:"quick"`
	Traced  bool      `json:"traced"`
	Tool    string    `json:"tool"` // version of mtrace
}

// A Run is one execution of a benchmark, with its parameters and results.
type Run struct {
	Bench      *Bench
	Parameters Parameters
	Results    *Results
	Wall       time.Duration
	Traces     []string // paths of the traces, if the benchmark ran under the tracer
}

// A Report has the results of all benchmarks that one `mtrace bench` command ran.
type Report struct {
	Conditions Conditions
	Runs       []Run
	Scorecard  *Scorecard // nil without claims
}

// softwareWarning is printed above the results if Metal is emulated on the CPU, so that nobody takes them for a
// GPU's.
const softwareWarning = "SOFTWARE METAL: kernels run on this machine's CPU. No figure here was measured on a GPU."

// lines returns the lines about machine and settings that are printed above the tables.
func (c Conditions) lines() []string {
	h := c.Host
	lines := []string{fmt.Sprintf("%s · %s %s %s · %s · %s", h.Device, h.OS, h.Release, h.Machine,
		analyze.Plural(c.CPUs, "CPU"), c.Started.Format("2006-01-02 15:04 MST"))}
	kind := "full sizes"
	if c.Quick {
		kind = "quick: small sizes and few operations, for a first impression only"
	}
	if c.Traced {
		kind += "; run under the tracer, so every figure includes the tracer's overhead"
	}
	lines = append(lines, kind+fmt.Sprintf("; reading the clock takes %s", duration(h.ClockNS)))
	if h.Software {
		lines = append([]string{softwareWarning}, lines...)
	}
	return lines
}

// parts returns the run's tables, and the lines that follow them: wrong results, skipped cases, paths of traces.
func (r *Run) parts() ([]Table, []string) {
	var remarks []string
	var compared uint64
	worst := 0.0
	for _, c := range r.Results.Checks {
		compared += c.Compared
		worst = math.Max(worst, c.Worst)
		if !c.OK {
			remarks = append(remarks, fmt.Sprintf("WRONG RESULT: %s %s: %s (error %.3g, allowed %.3g)", c.Bench, c.Case,
				c.Detail, c.Worst, c.Tolerance))
		}
	}
	for _, s := range r.Results.Skipped {
		remarks = append(remarks, fmt.Sprintf("SKIPPED: %s: %s", s.Part, s.Reason))
	}
	if compared > 0 {
		remarks = append(remarks, fmt.Sprintf("Results checked: %s values, largest error %.2g.",
			formatCount(float64(compared)),
			worst))
	}
	for _, t := range r.Traces {
		remarks = append(remarks, fmt.Sprintf("Trace: %s (mtrace report %s)", t, t))
	}
	return r.Bench.Tables(r.Results), remarks
}

// WriteText writes the report for a terminal.
func (r *Report) WriteText(w io.Writer) error {
	return r.write(w, "", (*Table).WriteText, "  %s\n")
}

// WriteMarkdown writes the report in Markdown.
func (r *Report) WriteMarkdown(w io.Writer) error {
	return r.write(w, "- ", (*Table).WriteMarkdown, "- %s\n")
}

func (r *Report) write(w io.Writer, bullet string, table func(*Table, io.Writer) error, remark string) error {
	var b strings.Builder
	for _, line := range r.Conditions.lines() {
		b.WriteString(bullet + line + "\n")
	}
	b.WriteString("\n")
	for i := range r.Runs {
		tables, remarks := r.Runs[i].parts()
		for j := range tables {
			if err := table(&tables[j], &b); err != nil {
				return err
			}
		}
		for _, line := range remarks {
			fmt.Fprintf(&b, remark, line)
		}
		b.WriteString("\n")
	}
	if r.Scorecard != nil {
		t := r.Scorecard.table()
		if err := table(&t, &b); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// A figure is the JSON form of a Summary. Values in nanoseconds are rounded; a bound that is unknown is left out.
type figure struct {
	Samples   int      `json:"samples"`
	Rounds    int      `json:"rounds"`
	Min       *float64 `json:"min"`
	Mean      *float64 `json:"mean"`
	Median    *float64 `json:"median"`
	Max       *float64 `json:"max"`
	Low       *float64 `json:"median_low,omitempty"`
	High      *float64 `json:"median_high,omitempty"`
	Variation *float64 `json:"variation_share,omitempty"`
}

func figureOf(metric string, s Summary) figure {
	value := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		if strings.HasSuffix(metric, "_ns") {
			v = math.Round(v)
		}
		return &v
	}
	f := figure{s.Samples, s.Rounds, value(s.Min), value(s.Mean), value(s.Median), value(s.Max), value(s.Low),
		value(s.High), nil}
	if !math.IsNaN(s.Variation) {
		f.Variation = &s.Variation
	}
	return f
}

type caseJSON struct {
	Case       map[string]string `json:"case"`
	Flop       float64           `json:"flop,omitempty"`
	Bytes      float64           `json:"bytes,omitempty"`
	Dispatches int               `json:"dispatches,omitempty"`
	Warmup     int64             `json:"warmup"`
	Metrics    map[string]figure `json:"metrics"`
}

type tableJSON struct {
	Title   string     `json:"title"`
	Columns []string   `json:"columns"`
	Rows    [][]string `json:"rows"`
	Notes   []string   `json:"notes,omitempty"`
}

type runJSON struct {
	Name       string      `json:"name"`
	Summary    string      `json:"summary"`
	Parameters Parameters  `json:"parameters"`
	WallNS     int64       `json:"wall_ns"`
	Cases      []caseJSON  `json:"cases"`
	Tables     []tableJSON `json:"tables"`
	Checks     []Check     `json:"checks"`
	Skipped    []Skipped   `json:"skipped"`
	Traces     []string    `json:"traces,omitempty"`
}

// document is a Report as JSON.
type document struct {
	Schema     string     `json:"schema"`
	Conditions Conditions `json:"conditions"`
	Benches    []runJSON  `json:"benches"`
	Scorecard  *Scorecard `json:"scorecard,omitempty"`
}

// WriteJSON writes the report as one JSON document: every metric of every case, and the tables as they would be
// printed.
func (r *Report) WriteJSON(w io.Writer) error {
	document := document{Schema, r.Conditions, []runJSON{}, r.Scorecard}
	for i := range r.Runs {
		document.Benches = append(document.Benches, r.Runs[i].json())
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(document)
}

func (r *Run) json() runJSON {
	out := runJSON{
		Name: r.Bench.Name, Summary: r.Bench.Summary, Parameters: r.Parameters, WallNS: r.Wall.Nanoseconds(),
		Cases: []caseJSON{}, Tables: []tableJSON{}, Checks: append([]Check{}, r.Results.Checks...),
		Skipped: append([]Skipped{}, r.Results.Skipped...), Traces: r.Traces,
	}
	for _, c := range r.Results.Cases {
		j := caseJSON{c.Keys, c.Flop, c.Bytes, c.Dispatches, c.Warmup, map[string]figure{}}
		for metric, series := range c.metrics {
			if s := series.Summarize(); s.Known() {
				j.Metrics[metric] = figureOf(metric, s)
			}
		}
		out.Cases = append(out.Cases, j)
	}
	tables, _ := r.parts()
	for _, t := range tables {
		out.Tables = append(out.Tables, tableJSON{t.Title, t.Columns, append([][]string{}, t.Rows...), t.Notes})
	}
	return out
}
