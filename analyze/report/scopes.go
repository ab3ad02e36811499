package report

import (
	"cmp"
	"slices"

	"mtrace/analyze"
)

// A Scope sums the time ranges that the program marked with the same name.
type Scope struct {
	Name    string `json:"name"`
	Count   int    `json:"count"`
	TotalNS int64  `json:"total_ns"`
	MeanNS  int64  `json:"mean_ns"`
	MinNS   int64  `json:"min_ns"`
	MaxNS   int64  `json:"max_ns"`
	GPUNS   int64  `json:"gpu_ns"` // GPU time of the command buffers that were committed in the scope
}

// scopesOf sums the trace's scopes (time ranges that the program named) by name. The GPU time of a scope is the GPU
// time of command buffers whose commit happened in it. A mark counts as a scope without a length.
func scopesOf(t *analyze.Trace) []Scope {
	by := map[string]*Scope{}
	var order []string
	for i := range t.Scopes {
		s := &t.Scopes[i]
		sum := by[s.Name]
		if sum == nil {
			sum = &Scope{Name: s.Name, MinNS: int64(s.Length())}
			by[s.Name] = sum
			order = append(order, s.Name)
		}
		if !t.Began(s.Begin) {
			continue
		}
		sum.Count++
		sum.TotalNS += int64(s.Length())
		sum.MinNS, sum.MaxNS = min(sum.MinNS, int64(s.Length())), max(sum.MaxNS, int64(s.Length()))
	}
	if len(order) > 0 {
		scopes := analyze.NewScopesAt(t)
		for b := range t.Buffers() {
			if b.Committed.Thread == nil || !b.GPU.Known() || !t.Began(b.Committed.Begin) {
				continue
			}
			seen := map[string]bool{}
			for _, name := range scopes.Names(b.Committed.Thread, b.Committed.Begin) {
				if !seen[name] {
					by[name].GPUNS += int64(b.Took(t.TimeRange))
					seen[name] = true
				}
			}
		}
	}
	return finishScopes(list(order, func(name string) Scope { return *by[name] }))
}

// finishScopes computes the means of the scopes (time ranges that the program named) and sorts them, longest total
// time first.
func finishScopes(all []Scope) []Scope {
	for i := range all {
		all[i].MeanNS = all[i].TotalNS / int64(max(1, all[i].Count))
	}
	slices.SortStableFunc(all, func(a, b Scope) int { return cmp.Compare(b.TotalNS, a.TotalNS) })
	return all
}

// addScopes adds the scopes (time ranges named by the program) of the next range of the run to the sums in `all`.
func addScopes(all, part []Scope) []Scope {
	for _, s := range part {
		i := slices.IndexFunc(all, func(of Scope) bool { return of.Name == s.Name })
		if i < 0 {
			all = append(all, s)
			continue
		}
		to := &all[i]
		if s.Count > 0 {
			to.MinNS, to.MaxNS = min(to.MinNS, s.MinNS), max(to.MaxNS, s.MaxNS)
		}
		to.Count, to.TotalNS, to.GPUNS = to.Count+s.Count, to.TotalNS+s.TotalNS, to.GPUNS+s.GPUNS
	}
	return all
}

func writeScopes(w *sheet, r *Report) {
	if len(r.Scopes) == 0 {
		return
	}
	writeHeading(w, "scopes", "scopes that the program marked")
	t := &table{heads: []string{"scope", "count", "total", "mean", "shortest", "longest", "gpu"}, left: 1,
		most: w.rows(mostRows)}
	for _, s := range r.Scopes {
		t.add(s.Name, formatCount(s.Count), ns(s.TotalNS), ns(s.MeanNS), ns(s.MinNS), ns(s.MaxNS), ns(s.GPUNS))
	}
	t.write(w)
}
