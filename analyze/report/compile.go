package report

import (
	"fmt"

	"mtrace/analyze"
	"mtrace/analyze/compile"
)

// Compile is what was compiled. HitShare is null when nothing was compiled twice.
type Compile struct {
	Libraries int           `json:"libraries"`
	Functions int           `json:"functions"`
	Pipelines int           `json:"pipelines"`
	Archives  int           `json:"archives"`
	Unique    int           `json:"unique"`
	Repeated  int           `json:"repeated"`
	HitShare  *float64      `json:"hit_share"`
	Late      int           `json:"late"`
	Failed    int           `json:"failed"`
	TotalNS   int64         `json:"total_ns"`
	LostNS    int64         `json:"lost_ns"`
	Items     []CompileItem `json:"items"`
}

// A CompileItem is one thing that was compiled.
type CompileItem struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Count       int    `json:"count"`
	TotalNS     int64  `json:"total_ns"`
	FirstNS     int64  `json:"first_ns"`
	SourceBytes int64  `json:"source_bytes"`
}

// mostItems bounds the compilations that are listed one by one.
const mostItems = 50

func (r *Report) compile(c *compile.Use) {
	r.Compile = Compile{Libraries: c.Libraries, Functions: c.Functions, Pipelines: c.Pipelines, Archives: c.Archives, Unique: c.Unique, Repeated: c.Repeated, Late: c.Late,
		Failed: c.Failed, TotalNS: int64(c.Total), LostNS: int64(c.Lost)}
	if s, known := c.HitShare(); known {
		r.Compile.HitShare = &s
	}
	r.Compile.Items = list(c.Items[:min(len(c.Items), mostItems)], func(i *compile.Item) CompileItem {
		return CompileItem{i.Kind, i.Name, i.Count, int64(i.Total), int64(i.First), i.SourceSize}
	})
}

func (r *Report) writeCompile(w *sheet) {
	c := &r.Compile
	if c.Libraries+c.Pipelines+c.Functions == 0 {
		return
	}
	head(w, "compilation", "")
	wrap(w, c.Text(), "  ", "  ")
	t := &table{heads: []string{"what", "kind", "times", "total", "first"}, left: 2}
	for i, item := range c.Items {
		if i == 6 {
			break
		}
		name := item.Name
		if item.Kind == "library" && item.SourceBytes > 0 {
			name = "source " + name
		}
		t.add(name, item.Kind, count(item.Count), ns(item.TotalNS), ns(item.FirstNS))
	}
	if len(t.rows) > 0 {
		t.write(w)
	}
}

// Text sums up what was compiled.
func (c Compile) Text() string {
	text := fmt.Sprintf("%s, %s and %s in %s; ", plural(c.Libraries, "library"), plural(c.Functions, "function"), plural(c.Pipelines, "pipeline state"), ns(c.TotalNS))
	text += fmt.Sprintf("%s repeated, %s after the first commit", orNone(c.Repeated), orNone(c.Late))
	if c.LostNS > 0 {
		text += fmt.Sprintf(": %s lost to those", ns(c.LostNS))
	}
	if c.HitShare != nil {
		text += fmt.Sprintf("; %s of the repeated ones came from a cache", analyze.FormatShare(*c.HitShare))
	}
	return text
}
