package report

import (
	"cmp"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"mtrace/analyze"
)

var (
	//go:embed report.html.tmpl
	page string
	// Style is the style sheet that all HTML pages of mtrace embed.
	//
	//go:embed style.css
	Style string
)

// A pageData is the input of the template report.html.tmpl.
type pageData struct {
	*Report
	Style         template.CSS
	Pictures      Pictures
	Shown         []Thread // the threads in the table
	More, Hidden  int      // numbers of threads that are not in the table
	Columns       []column // parts of their time
	Found         []Insight
	Skipped       []string
	QueueRows     []queueRow
	SeparateLocks bool // threads also waited for each other in other ways than for locks
}

// A bar is one colored part of a horizontal bar on the page, for instance of a thread's time.
type bar struct {
	Color   template.CSS
	Title   string
	Percent float64
}

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"ns":             ns,
	"count":          func(n any) string { return formatCount(toInt(n)) },
	"plural":         func(n any, noun string) string { return analyze.Plural(toInt(n), noun) },
	"share":          analyze.FormatShare,
	"bytes":          analyze.FormatBytes,
	"fixed":          twoDecimals,
	"exclusionIndex": index,
	"exclusion":      func(what string) string { return cmp.Or(exclusionWords[what], what) },
	"path":           func(what string) string { return cmp.Or(pathWords[what], what) },
	"sum":            joinedByPlus,
	"dots":           coverageText,
	"bars":           bars,
	"head":           func(c column) string { return c.name },
	"color":          func(c column) template.CSS { return template.CSS(c.color) },
	"filled":         func(m Matrix) bool { return m.largest() > 0 },
	"stepPhases":     func(list []StepPhase) []StepPhase { return list[:min(mostListed, len(list))] },
	"scopes":         func(list []Scope) []Scope { return list[:min(mostListed, len(list))] },
	"queues":         func(list []queueRow) []queueRow { return list[:min(mostListed, len(list))] },
	"waited":         func(list []CompileWait) []CompileWait { return list[:min(mostListed, len(list))] },
	"compiled":       func(list []CompileItem) []CompileItem { return list[:min(mostListed, len(list))] },
	"sensitivities":  sensitivities,
	"beyond":         func(listed int) int { return max(0, listed-mostListed) },
	"percent":        func(share float64) float64 { return 100 * min(1, max(0, share)) },
	"kernels":        func(list []Kernel) []Kernel { return list[:min(mostKernels, len(list))] },
	"notIdentified":  notIdentified,
	"more":           func(kernels int) int { return max(0, kernels-mostKernels) },
	"outside":        func(shown []Thread) string { return outsideWords(submitting(shown)) },
	"thread":         func(t Thread) string { return threadName(&t) },
	"operations":     func(list []Operation) []Operation { return list[:min(4*mostRows, len(list))] },
	"calls":          func(list []Call) []Call { return list[:min(4*mostRows, len(list))] },
}).Parse(page))

// mostKernels limits the kernels on the page, and mostListed its other lists, because a page with a million rows does
// not open in a browser.
const (
	mostKernels = 100
	mostListed  = 200
)

func twoDecimals(x float64) string { return fmt.Sprintf("%.2f", x) }

func joinedByPlus(names []string) string { return strings.Join(names, " + ") }

func coverageText(p ProcessCoverage) string { return strings.Join(p.parts(&sheet{}), " · ") }

func toInt(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case *int:
		return int64(*n)
	case int64:
		return n
	case uint64:
		return int64(n)
	}
	return 0
}

// bars returns the colored parts of a thread's bar, in the order of the table's columns.
func bars(t Thread) []bar {
	var list []bar
	for _, c := range columns {
		if n := c.of(&t); n > 0 && t.WindowNS > 0 {
			p := 100 * float64(n) / float64(t.WindowNS)
			list = append(list, bar{template.CSS(c.color), fmt.Sprintf("%s: %s, %.1f%%", c.name, ns(n), p), p})
		}
	}
	return list
}

// Pictures are HTML fragments that package analyze/page adds to the report's page: timeline, flame graph and charts.
// All are empty in a page that has only tables.
type Pictures struct{ Head, Timeline, Flame, Charts, Tail template.HTML }

// Meaning is what a column shows.
func (d pageData) Meaning(c column) string { return meaning(d.Report, c) }

// MoreThreads describes the threads that the page's table leaves out, such as "6 more threads with at most 60 command
// buffers".
func (d pageData) MoreThreads() string { return moreThreads(d.Shown, d.More) }

// WriteHTML writes the report as one HTML page that loads no other file, so that it can be sent by mail.
func (r *Report) WriteHTML(w io.Writer, with Pictures) error {
	data := pageData{Report: r, Style: template.CSS(Style), Pictures: with,
		SeparateLocks: !r.Serialization.LockMatrix.equal(r.Serialization.WaitMatrix)}
	data.Shown, data.More, data.Hidden = shownThreads(r, &sheet{})
	data.Columns = usedColumns(data.Shown)
	data.Found, data.Skipped = foundInsights(r)
	data.QueueRows = queueRows(r)
	return pageTemplate.Execute(w, data)
}
