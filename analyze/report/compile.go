package report

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/compile"
)

// Compile sums up the compilations of the run. HitShare is the share of repeated compilations that a cache served; it
// is null if nothing was compiled twice.
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

	// waits for child processes that compiled. The part that counts as compilation is also included in compile_ns of
	// the waiting threads
	Waited    []CompileWait    `json:"waited"`
	Processes []CompileProcess `json:"processes"` // the processes that compiled
}

// A CompileWait is the time that a thread waited for child processes that compiled, in calls of one kind.
type CompileWait struct {
	TID        uint64 `json:"tid"`
	PID        int    `json:"pid"`
	Thread     string `json:"thread"`
	How        string `json:"how"`     // the call that waited
	Program    string `json:"program"` // the children's program; "" if it is not known
	Count      int    `json:"count"`
	TotalNS    int64  `json:"total_ns"`
	CompiledNS int64  `json:"compiled_ns"` // the part of the wait in which at least one child compiled
	CountedNS  int64  `json:"counted_ns"`  // the part of the wait that counts as compilation of the thread
}

// A CompileProcess is what one process compiled.
type CompileProcess struct {
	PID     int    `json:"pid"`
	Parent  int    `json:"parent"`
	Program string `json:"program"`
	Count   int    `json:"count"` // number of libraries and pipeline states that the process compiled
	TotalNS int64  `json:"total_ns"`
}

// A CompileItem is one library, function or pipeline state, with all its compilations.
type CompileItem struct {
	Kind        string `json:"kind"`
	Name        string `json:"name"`
	Count       int    `json:"count"`
	TotalNS     int64  `json:"total_ns"`
	FirstNS     int64  `json:"first_ns"`
	SourceBytes int64  `json:"source_bytes"`

	Functions []string `json:"functions"` // for a library: the functions that were looked up in it
}

// Title returns the item's name in tables. A library made from source has only a hash as its name, so it is named by
// the functions that were looked up in it, if known.
func (i CompileItem) Title() string {
	switch {
	case i.Kind != "library" || i.SourceBytes == 0:
		return i.Name
	case len(i.Functions) == 0:
		return "source " + i.Name
	}
	text := "source of " + strings.Join(i.Functions[:min(len(i.Functions), titleFunctions)], ", ")
	if more := len(i.Functions) - titleFunctions; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Listed returns the items that tables show. Functions with the name of a pipeline state are left out, because that
// pipeline state's row shows them.
func (c *Compile) Listed() (items []CompileItem) {
	states := map[string]bool{}
	for _, item := range c.Items {
		states[item.Name] = states[item.Name] || item.Kind == "pipeline"
	}
	for _, item := range c.Items {
		if item.Kind != "function" || !states[item.Name] {
			items = append(items, item)
		}
	}
	return items
}

// titleFunctions is the maximum number of functions that a library's title names.
const titleFunctions = 3

// mostItems is the maximum number of compilations that the document lists one by one.
const mostItems = 50

func buildCompile(r *Report, c *compile.Use) {
	r.Compile = Compile{Libraries: c.Libraries, Functions: c.Functions, Pipelines: c.Pipelines, Archives: c.Archives,
		Unique: c.Unique, Repeated: c.Repeated, Late: c.Late,
		Failed: c.Failed, TotalNS: int64(c.Total), LostNS: int64(c.Lost)}
	if s, known := c.HitShare(); known {
		r.Compile.HitShare = &s
	}
	r.Compile.Waited = list(c.Waited, func(w *compile.Waited) CompileWait {
		x := CompileWait{TID: uint64(w.Thread.ID), Thread: w.Thread.Name, How: w.How, Program: w.Program,
			Count:      w.Count,
			TotalNS:    int64(w.Total),
			CompiledNS: int64(w.Compiled), CountedNS: int64(w.Counted)}
		if w.Thread.Process != nil {
			x.PID = w.Thread.Process.ID
		}
		return x
	})
	r.Compile.Processes = list(c.Compilers, func(p *compile.Compiler) CompileProcess {
		return CompileProcess{p.Process.ID, p.Process.Parent, p.Process.Program, p.Count, int64(p.Total)}
	})
	r.Compile.Items = list(c.Items[:min(len(c.Items), mostItems)], func(i *compile.Item) CompileItem {
		return CompileItem{i.Kind, i.Name, i.Count, int64(i.Total), int64(i.First), i.SourceSize,
			append([]string{}, i.Functions...)}
	})
}

func writeCompile(w *sheet, r *Report) {
	c := &r.Compile
	if c.Libraries+c.Pipelines+c.Functions+len(c.Waited) == 0 {
		return
	}
	writeHeading(w, "compilation", "")
	wrap(w, c.Text(), "  ", "  ")
	t := &table{heads: []string{"what", "kind", "times", "total", "first"}, left: 2}
	for _, item := range c.Listed() {
		if len(t.rows) == 6 {
			break
		}
		t.add(item.Title(), item.Kind, formatCount(item.Count), ns(item.TotalNS), ns(item.FirstNS))
	}
	if len(t.rows) > 0 {
		t.write(w)
	}
	c.writeWaits(w)
}

// writeWaits writes a table of threads that waited for compiling child processes, and a table of these processes.
func (c *Compile) writeWaits(w *sheet) {
	if len(c.Waited) == 0 {
		return
	}
	t := &table{heads: []string{"waited for children that compile", "by", "times", "total", "they compiled"}, left: 2,
		most: mostRows}
	for _, x := range c.Waited {
		t.add(x.Title(), x.By(), formatCount(x.Count), ns(x.TotalNS), ns(x.CompiledNS))
	}
	t.write(w)
	t = &table{heads: []string{"compiled in", "process", "times", "total"}, left: 1, most: mostRows}
	for _, p := range c.Processes {
		t.add(filepath.Base(p.Program), strconv.Itoa(p.PID), formatCount(p.Count), ns(p.TotalNS))
	}
	t.write(w)
}

// Title names the thread that waited.
func (x CompileWait) Title() string { return fmt.Sprintf("thread %d of process %d", x.TID, x.PID) }

// By returns what the thread waited in and for: the call, and the child's program if it is known.
func (x CompileWait) By() string {
	if x.Program == "" {
		return x.How
	}
	return x.How + " " + x.Program
}

// Text sums up what was compiled.
func (c Compile) Text() string {
	text := fmt.Sprintf("%s, %s and %s in %s; ", analyze.Plural(c.Libraries, "library"),
		analyze.Plural(c.Functions, "function"), analyze.Plural(c.Pipelines, "pipeline state"), ns(c.TotalNS))
	text += fmt.Sprintf("%s repeated, %s after the first commit", orNone(c.Repeated), orNone(c.Late))
	if c.LostNS > 0 {
		text += fmt.Sprintf(", which cost %s", ns(c.LostNS))
	}
	if c.HitShare != nil {
		text += fmt.Sprintf("; %s of the repeated ones came from a cache", analyze.FormatShare(*c.HitShare))
	}
	return text
}
