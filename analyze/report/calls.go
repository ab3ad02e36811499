package report

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A Call sums the calls of one selector on objects of one class.
type Call struct {
	Selector    string `json:"selector"`
	Class       string `json:"class"`
	Count       int64  `json:"count"`
	TotalNS     int64  `json:"total_ns"`
	ExclusiveNS int64  `json:"exclusive_ns"` // without calls nested in it
	MeanNS      int64  `json:"mean_ns"`
	MinNS       int64  `json:"min_ns"`
	P50NS       int64  `json:"p50_ns"`
	P95NS       int64  `json:"p95_ns"`
	P99NS       int64  `json:"p99_ns"`
	MaxNS       int64  `json:"max_ns"`
	Threads     int    `json:"threads"`
	// calls that had not returned when the run ended. They are counted in total_ns, mean_ns, min_ns and max_ns, but
	// not in count
	Unfinished int64 `json:"unfinished,omitempty"`
}

func buildCalls(r *Report, t *analyze.Trace) {
	r.Calls = []Call{}
	for _, s := range functionsOf(t.Calls) {
		all := s.Count + s.Unfinished
		if all == 0 {
			continue
		}
		c := Call{Selector: s.Selector, Class: s.Class, Count: s.Count, Unfinished: s.Unfinished,
			TotalNS: int64(s.Total),
			MeanNS:  int64(s.Total) / all,
			MinNS:   int64(s.Min), MaxNS: int64(s.Max)}
		for _, n := range s.Exclusive {
			c.ExclusiveNS += int64(n)
		}
		for _, n := range s.Counts {
			if n > 0 {
				c.Threads++
			}
		}
		if s.Durations != nil {
			at := func(percent float64) int64 { return min(max(int64(s.Durations.At(percent)), c.MinNS), c.MaxNS) }
			c.P50NS, c.P95NS, c.P99NS = at(50), at(95), at(99)
		}
		r.Calls = append(r.Calls, c)
	}
	slices.SortStableFunc(r.Calls, func(a, b Call) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
}

func writeCalls(w *sheet, r *Report) {
	if len(r.Calls) == 0 {
		return
	}
	writeHeading(w, "calls", "")
	t := &table{heads: []string{"call", "count", "total", "mean", "median", "95%", "99%", "longest", "threads"},
		left: 1, most: w.rows(2 * mostRows), spare: []int{6, 3, 8}}
	same := map[string]int{}
	for _, c := range r.Calls {
		same[c.Selector]++
	}
	for _, c := range r.Calls {
		name := c.Selector
		if same[name] > 1 && c.Class != "" {
			name += " of " + c.Class
		}
		t.add(name, formatCount(c.Count), ns(c.TotalNS), ns(c.MeanNS), ns(c.P50NS), ns(c.P95NS), ns(c.P99NS), ns(c.MaxNS),
			formatCount(c.Threads))
	}
	t.write(w)
}
