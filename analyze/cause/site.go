package cause

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/evidence"
	"mtrace/analyze/policy"
)

// nameSites adds to each finding the places in the program that cost most of its time. It needs recorded stacks.
func (v *Verdict) nameSites(t *analyze.Trace) {
	for c := range analyze.Each(v.Causes) {
		at := c.row().at
		if c.at != nil {
			at = *c.at
		}
		if at == nowhere {
			continue
		}
		sites := c.sites
		if sites == nil {
			sites = analyze.CallSites(t, func(s *analyze.CallStat) bool { return s.Part == at.part })
		}
		sites = mergePlaces(sites)
		total := analyze.Nanos(0)
		for _, s := range sites {
			total += s.Time
		}
		for _, s := range sites[:min(len(sites), policy.MostSites)] {
			if s.Time == 0 || evidence.Share(s.Time, total) < policy.WorthNaming.Value {
				continue
			}
			if c.Site == "" {
				c.Site = s.Frame.String()
			}
			c.explain("%s", siteText(&s, at.verb, evidence.Share(s.Time, total)))
		}
	}
}

// mergePlaces joins the sites of one line of code, which differ in their selectors, and sorts them by time.
func mergePlaces(sites []analyze.CallSite) []analyze.CallSite {
	var by evidence.Ordered[string, analyze.CallSite]
	for _, s := range sites {
		m := by.Of(s.Frame.String() + " " + s.Frame.File)
		if m.Frame == nil {
			*m = s
			continue
		}
		m.Selector, m.Count, m.Time = m.Selector+", "+s.Selector, m.Count+s.Count, m.Time+s.Time
		for _, t := range s.Threads {
			if !slices.Contains(m.Threads, t) {
				m.Threads = append(slices.Clone(m.Threads), t)
			}
		}
	}
	merged := make([]analyze.CallSite, 0, len(by.All))
	for _, s := range by.All {
		merged = append(merged, *s)
	}
	slices.SortStableFunc(merged, func(x, y analyze.CallSite) int { return cmp.Compare(y.Time, x.Time) })
	return merged
}

// siteText names a place: "12 threads wait in train.py:42 step() (waitUntilCompleted, 3 s in all, 80% of the time of
// such calls)". `part` is the last number, as a share from 0 to 1.
func siteText(s *analyze.CallSite, verb string, part float64) string {
	who := analyze.Plural(len(s.Threads), "thread")
	if len(s.Threads) == 1 {
		first, rest, _ := strings.Cut(verb, " ")
		verb = strings.TrimSpace(first + "s " + rest)
	}
	return fmt.Sprintf("%s %s in %s (%s, %s in all, %s of the time of such calls)", who, verb, s.Frame, s.Selector,
		s.Time, percent(part))
}
