package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"

	"mtrace/analyze"
)

//go:embed report.html.tmpl
var page string

// A bar is a part of a thread's time in the page.
type bar struct {
	Name, Color, Title string
	Percent            float64
}

var pageTemplate = template.Must(template.New("report").Funcs(template.FuncMap{
	"ns":          ns,
	"nanoseconds": nanoseconds,
	"count":       func(n any) string { return count(toInt(n)) },
	"share":       analyze.FormatShare,
	"bytes":       analyze.FormatBytes,
	"fixed":       func(x float64) string { return fmt.Sprintf("%.2f", x) },
	"number":      func(x *float64) float64 { return *x },
	"bars":        bars,
	"legend":      func() []column { return columns },
	"head":        func(c column) string { return c.head },
	"color":       func(c column) template.CSS { return template.CSS(c.color) },
	"css":         func(s string) template.CSS { return template.CSS(s) },
	"meaning":     func(c column) string { return c.legend },
	"heat":        heat,
	"filled":      func(m Matrix) bool { return largest(m) > 0 },
	"thread":      func(t Thread) string { return threadName(&t) },
	"first":       func(n int, c []Call) []Call { return c[:min(n, len(c))] },
}).Parse(page))

func toInt(n any) int64 {
	switch n := n.(type) {
	case int:
		return int64(n)
	case int64:
		return n
	case uint64:
		return int64(n)
	}
	return 0
}

// bars are the parts of a thread's time, in the order of the columns.
func bars(t Thread) []bar {
	var list []bar
	for _, c := range columns {
		if n := c.of(&t); n > 0 && t.WindowNS > 0 {
			p := 100 * float64(n) / float64(t.WindowNS)
			list = append(list, bar{c.head, c.color, fmt.Sprintf("%s: %s, %.1f %%", c.head, ns(n), p), p})
		}
	}
	return list
}

func largest(m Matrix) int64 {
	most := int64(0)
	for _, row := range m.NS {
		if len(row) > 0 {
			most = max(most, slices.Max(row))
		}
	}
	return most
}

// heat is the background of a cell of the matrix: the redder, the longer.
func heat(m Matrix, n int64) template.CSS {
	most := largest(m)
	if n == 0 || most == 0 {
		return ""
	}
	return template.CSS(fmt.Sprintf("background:rgba(214,39,40,%.2f)", 0.08+0.72*float64(n)/float64(most)))
}

// WriteHTML writes the report as one page that needs nothing else: no script, no other file.
func (r *Report) WriteHTML(w io.Writer) error {
	return pageTemplate.Execute(w, r)
}
