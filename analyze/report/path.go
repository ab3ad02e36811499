package report

import (
	"cmp"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/path"
)

// CriticalPath is the chain of work and waits that determined when the run ended. Shortening anything else does not
// shorten the run. The times of its parts add up to LengthNS.
type CriticalPath struct {
	LengthNS int64      `json:"length_ns"`
	Parts    []PathPart `json:"parts"` // the longest first
}

// A PathPart is the time that one kind of work by one thread has on the critical path.
type PathPart struct {
	What  string  `json:"what"`
	TID   uint64  `json:"tid"` // the thread that the work belongs to; 0 when not known
	NS    int64   `json:"ns"`
	Share float64 `json:"share"`
}

// A Chain is a sequence of threads in which each waits for the next. Root is what the last thread waited for or did.
type Chain struct {
	TIDs  []uint64 `json:"tids"`
	Root  string   `json:"root"` // "gpu", "running" or "unknown"
	NS    int64    `json:"ns"`   // time that the first thread waited
	Waits int      `json:"waits"`
}

func criticalPath(p path.Path) CriticalPath {
	return CriticalPath{LengthNS: int64(p.Length), Parts: list(p.Parts, func(part path.Part) PathPart {
		out := PathPart{What: part.What, NS: int64(part.Time), Share: float64(part.Time) / float64(max(1, p.Length))}
		if part.Thread != nil {
			out.TID = uint64(part.Thread.ID)
		}
		return out
	})}
}

func chain(c path.Chain) Chain {
	return Chain{list(c.Threads, func(t *analyze.Thread) uint64 { return uint64(t.ID) }), c.Root, int64(c.Time),
		c.Waits}
}

// pathWords describes the kinds of work on the critical path whose keys are not clear by themselves.
var pathWords = map[string]string{
	path.Program:    "the program: outside of Metal, or encoding",
	path.Compile:    "compiling",
	path.GPU:        "work on the GPU",
	path.Scheduling: "scheduling: from commit to the GPU's start",
	path.Notify:     "notify: from the GPU's end to the wait's return",
	path.Holding:    "the program, while it held a lock that another thread waited for",
	path.Lock:       "waiting for a lock whose holder is not known",
	path.Signal:     "from a signal to the return of the wait for it",
	path.Display:    "the display: from frame to frame",
	path.Unknown:    "waiting for something that is not recorded",
}

// writePath writes the parts of the critical path, each summed over all threads, and the longest chains of waits.
func writePath(w *sheet, r *Report) {
	p := &r.Serialization.CriticalPath
	if len(p.Parts) > 0 {
		writeHeading(w, "critical path",
			"the chain of work and waits that determined the end: only shortening these items shortens the run")
		var order []string
		sum, threads := map[string]int64{}, map[string]int{}
		for _, part := range p.Parts {
			if sum[part.What] == 0 {
				order = append(order, part.What)
			}
			sum[part.What] += part.NS
			threads[part.What]++
		}
		slices.SortStableFunc(order, func(a, b string) int { return cmp.Compare(sum[b], sum[a]) })
		t := &table{heads: []string{"what", "time", "share", "threads"}, left: 1}
		for _, what := range order {
			t.add(cmp.Or(pathWords[what], what), ns(sum[what]),
				analyze.FormatShare(float64(sum[what])/float64(max(1, p.LengthNS))), formatCount(threads[what]))
		}
		t.write(w)
	}
	if c := r.Serialization.Chains; len(c) > 0 && c[0].NS*100 >= p.LengthNS {
		writeHeading(w, "chains of waits", "each waits for the next")
		t := &table{heads: []string{"chain", "time", "waits"}, left: 1}
		for _, each := range c[:min(len(c), 6)] {
			t.add(strings.Join(append(list(each.TIDs, r.NameOf), each.Root), " → "), ns(each.NS), formatCount(each.Waits))
		}
		t.write(w)
	}
}
