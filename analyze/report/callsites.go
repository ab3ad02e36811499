package report

import (
	"mtrace/analyze"
)

// A CallSite sums the calls of one selector made from one place in the program. The document lists at most 50 places,
// those with the most time first; none if stacks were not recorded (--stacks).
type CallSite struct {
	At string `json:"at"` // "train.py:42 step()"
	// the innermost function of the program itself, not of a library; a Python function if there is one
	Function    string   `json:"function"`
	File        string   `json:"file"`  // source file; empty for machine code
	Line        int      `json:"line"`  // 0 for machine code
	Image       string   `json:"image"` // file of machine code; empty for Python
	Selector    string   `json:"selector"`
	Count       int64    `json:"count"`
	ExclusiveNS int64    `json:"exclusive_ns"`
	Threads     int      `json:"threads"`
	ThreadIDs   []uint64 `json:"thread_ids"`
}

// mostSites is the maximum number of places in the program that the document lists.
const mostSites = 50

func buildCallSites(r *Report, t *analyze.Trace) {
	sites := analyze.CallSites(t, func(*analyze.CallStat) bool { return true })
	r.CallSites = list(sites[:min(len(sites), mostSites)], func(s analyze.CallSite) CallSite {
		out := CallSite{At: s.Frame.String(), Function: s.Frame.Name, File: s.Frame.File, Line: s.Frame.Line,
			Selector: s.Selector, Count: s.Count,
			ExclusiveNS: int64(s.Time), Threads: len(s.Threads),
			ThreadIDs: list(s.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) })}
		if s.Frame.Image != nil {
			out.Image = s.Frame.Image.Path
		}
		return out
	})
}

func writeCallSites(w *sheet, r *Report) {
	if len(r.CallSites) == 0 {
		return
	}
	writeHeading(w, "where calls come from",
		"functions of the program, sorted by the time in the Metal calls that they make")
	t := &table{heads: []string{"function", "call", "count", "time", "threads"}, left: 2, most: w.rows(mostRows)}
	for _, s := range r.CallSites {
		t.add(s.At, s.Selector, formatCount(s.Count), ns(s.ExclusiveNS), formatCount(s.Threads))
	}
	t.write(w)
}
