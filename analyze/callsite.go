package analyze

import (
	"cmp"
	"slices"
)

// A CallSite sums the calls of one selector made from one place in the program.
type CallSite struct {
	Frame    *Frame // see Stack.Site
	Selector string
	Count    int64
	Time     Nanos // time in the calls, without calls nested in them
	Threads  []*Thread
}

// CallSites returns the places in the program from which the calls selected by match were made, longest total time
// first. The list is empty when the trace has no stacks.
func CallSites(t *Trace, match func(*CallStat) bool) []CallSite {
	type key struct{ place, file, selector string }
	by := map[key]*CallSite{}
	var order []*CallSite
	for _, c := range t.Calls {
		if len(c.From) == 0 || !match(c) {
			continue
		}
		for _, from := range c.From {
			f := from.Stack.Site()
			if f == nil {
				continue
			}
			k := key{f.String(), f.File, c.Selector}
			s := by[k]
			if s == nil {
				s = &CallSite{Frame: f, Selector: c.Selector}
				by[k] = s
				order = append(order, s)
			}
			s.Count += from.Count
			s.Time += from.Exclusive
			if !slices.Contains(s.Threads, from.Thread) {
				s.Threads = append(s.Threads, from.Thread)
			}
		}
	}
	sites := make([]CallSite, 0, len(order))
	for _, s := range order {
		// a Total does not sort its threads; sorted here, so that output is the same in each run
		slices.SortFunc(s.Threads, func(a, b *Thread) int { return cmp.Compare(a.ID, b.ID) })
		sites = append(sites, *s)
	}
	slices.SortStableFunc(sites, func(a, b CallSite) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Count, a.Count),
			cmp.Compare(a.Frame.String(), b.Frame.String()), cmp.Compare(a.Selector, b.Selector))
	})
	return sites
}
