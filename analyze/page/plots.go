package page

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"regexp"
	"slices"
	"strings"

	"mtrace/analyze/diff"
	"mtrace/analyze/report"
	"mtrace/analyze/scaling"
)

var (
	//go:embed plots.js
	plotsScript string
	//go:embed plots.html.tmpl
	plots string
)

var plotsTemplate = template.Must(template.New("plots").Parse(plots))

// plotsData is what the script of a page of plots draws: the document that --json writes, and data computed from it.
type plotsData struct {
	Sweep  *scaling.Document `json:"sweep,omitempty"`
	Diff   *diff.Document    `json:"diff,omitempty"`
	Curves []curves          `json:"curves,omitempty"` // the lines for the chart of each series of a sweep
	Parts  []Kind            `json:"parts,omitempty"`  // the parts of the threads' time
	// in a comparison: the explanation of the columns A, B and B/A
	Columns string `json:"columns,omitempty"`
}

// curves are the lines in a chart of throughput by threads. All lines have values at the same numbers of threads.
type curves struct {
	Threads []float64 `json:"threads"`
	Lines   []curve   `json:"lines"`
}

type curve struct {
	Name   string    `json:"name"`
	Values []float64 `json:"values"` // operations per second
}

// A plotsPage is the input of the template plots.html.tmpl.
type plotsPage struct {
	Title, Heading, Lead, Text string
	Cost                       string // a comparison's change of the time per unit, shown after Lead; empty in a sweep
	Loud, Remarks              []string
	Onward                     []onward // the compared runs
	Policy                     string
	Style                      template.CSS
	Script, Data               template.JS
}

// onward is one run of a comparison, with links and commands by which the reader can look at that run.
type onward struct {
	Side, Path string
	Page       string   // address of its page; empty if there is none
	Commands   []string // empty for a run that is only a report
}

const softwareNote = "Software Metal: these are the times of a software Metal, not of a GPU."

// WriteSweep writes a sweep over numbers of threads as an HTML page that loads no other file: throughput with the
// fitted laws, and how the threads spent their time.
func WriteSweep(w io.Writer, d *scaling.Document) error {
	data := plotsData{Sweep: d, Parts: drawnParts()}
	for _, s := range d.Series {
		data.Curves = append(data.Curves, curvesOf(s))
	}
	p := plotsPage{Title: "sweep", Heading: d.Source, Lead: "Throughput by threads", Loud: d.Warnings}
	if n := len(d.Verdicts); n > 0 {
		last := d.Verdicts[n-1]
		p.Lead = fmt.Sprintf("With %d threads: %s. %s", last.Threads, last.Verdict, last.Summary)
	}
	if d.Software {
		p.Loud = append([]string{softwareNote}, p.Loud...)
	}
	if d.Counted != "" {
		p.Remarks = append(p.Remarks, "Operations: "+d.Counted+".")
	}
	return p.write(w, data, d.WriteText)
}

// drawnParts returns the parts of the threads' time in the order and colours of the table of threads, each once.
func drawnParts() (list []Kind) {
	for _, p := range report.PartColors() {
		if !slices.Contains(list, Kind(p)) {
			list = append(list, Kind(p))
		}
	}
	return list
}

// curvesOf returns the lines for a chart: perfect scaling from the baseline, and those laws of scaling that fit the
// measurements.
func curvesOf(r scaling.Result) (c curves) {
	const steps = 120
	first, last := float64(r.Rows[0].Threads), float64(r.Rows[len(r.Rows)-1].Threads)
	for i := range steps + 1 {
		c.Threads = append(c.Threads, first+(last-first)*float64(i)/steps)
	}
	c.Threads = slices.Compact(c.Threads)
	add := func(name string, at func(n float64) float64) {
		l := curve{Name: name}
		for _, n := range c.Threads {
			l.Values = append(l.Values, at(n))
		}
		c.Lines = append(c.Lines, l)
	}
	add("perfect scaling", func(n float64) float64 { return r.One * n / float64(r.Baseline) })
	if r.USL != nil {
		add("USL", r.USL.At)
	}
	if r.Amdahl != nil {
		add("Amdahl", r.Amdahl.At)
	}
	return c
}

// WriteDiff writes a comparison of runs as an HTML page that loads no other file: what became slower or faster, with
// intervals. pages maps a run's path to the address of the run's own page; a run without a page is missing in it.
func WriteDiff(w io.Writer, d *diff.Document, pages map[string]string) error {
	count := map[diff.Status]int{}
	for _, c := range d.Changes {
		count[c.Status]++
	}
	oneSided := ""
	if n := count[diff.Added] + count[diff.Removed]; n > 0 {
		oneSided = fmt.Sprintf(", %d on one side only", n)
	}
	p := plotsPage{Title: "comparison", Heading: d.Title(), Loud: d.Warnings, Lead: d.Answer(),
		Cost: d.Cost(), Remarks: []string{fmt.Sprintf(
			"%d slower, %d faster, %d the same, %d too noisy to tell%s; compared with the noise %s.",
			count[diff.Slower], count[diff.Faster], count[diff.Same], count[diff.Unclear], oneSided, d.Noise),
			fmt.Sprintf("Verdict of A: %s; of B: %s.", d.A.Verdict, d.B.Verdict)}}
	if runs := d.Runs(); runs != "" {
		p.Remarks[0] = strings.ToUpper(runs[:1]) + runs[1:] + ". " + p.Remarks[0]
	}
	p.Remarks = append(p.Remarks, d.Summaries()...)
	if tokens := d.Tokens(); tokens != "" {
		p.Remarks = append([]string{strings.ToUpper(tokens[:1]) + tokens[1:] + "."}, p.Remarks...)
	}
	p.Onward = append(runsOf("A", d.A.Paths, pages), runsOf("B", d.B.Paths, pages)...)
	return p.write(w, plotsData{Diff: d, Columns: d.Columns()}, d.WriteText)
}

// runsOf returns the runs of a side.
func runsOf(side string, paths []string, pages map[string]string) (list []onward) {
	for _, path := range paths {
		run := onward{Side: side, Path: path, Page: pages[path]}
		if !strings.HasSuffix(path, ".json") {
			run.Commands = []string{"mtrace view " + quoted(path), "mtrace report " + quoted(path)}
		}
		list = append(list, run)
	}
	return list
}

var plainPath = regexp.MustCompile(`^[\w./:@%+,=-]+$`)

// quoted returns a path as a word for a shell.
func quoted(path string) string {
	if plainPath.MatchString(path) {
		return path
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

func (p plotsPage) write(w io.Writer, data plotsData, text func(io.Writer) error) error {
	list, err := json.Marshal(data) // which leaves no < in it
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := text(&b); err != nil {
		return err
	}
	script := uplotScript + figuresScript + plotsScript
	p.Text, p.Data, p.Script, p.Policy = b.String(), template.JS(list), template.JS(script), policy(script)
	p.Style = template.CSS(report.Style + uplotStyle + style)
	return plotsTemplate.Execute(w, p)
}
