package insight

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mtrace/analyze"
	"mtrace/analyze/policy"
)

// A Site is a place in the program that contributes to an insight, with its share of the cost.
type Site struct {
	At      *analyze.Frame // nil when stacks were not recorded
	From    *analyze.Frame // the caller of At; nil if it is not known
	Call    string         // the selector
	Of      string         // a kernel, a label or a size; empty if the calls differ in it
	Threads []*analyze.Thread
	Count   int
	Time    analyze.Nanos
	Bytes   uint64
	Share   float64 // share of the total of all sites: of the time if there is any, else of the bytes, else of the count
}

// String formats a site as "train.py:42 step() from train.py:99 main(), newBufferWithLength:options: of 4.00 MiB, 60
// times, 240 MiB, 1.20 ms".
func (s Site) String() string {
	var parts []string
	who := analyze.Plural(len(s.Threads), "thread")
	if len(s.Threads) == 1 {
		who = strings.TrimSpace(fmt.Sprintf("thread %d %s", s.Threads[0].ID, s.Threads[0].Name))
	}
	if s.At != nil {
		at := s.At.String()
		if s.From != nil {
			at += " from " + s.From.String()
		}
		parts = append(parts, at)
	}
	call := s.Call
	if s.Of != "" {
		call += " of " + s.Of
	}
	if s.At == nil && len(s.Threads) > 0 {
		call += " by " + who
	}
	parts = append(parts, call)
	switch {
	case s.Count == 1:
		parts = append(parts, "once")
	case s.Count > 0:
		parts = append(parts, fmt.Sprintf("%d times", s.Count))
	}
	if s.Bytes > 0 {
		parts = append(parts, analyze.FormatBytes(s.Bytes))
	}
	if s.Time > 0 {
		parts = append(parts, s.Time.String())
	}
	return strings.Join(parts, ", ")
}

// sites adds up calls by the place in the program that makes them; without stacks, by the call's name.
type sites struct {
	by    map[siteKey]*Site
	order []*Site
}

type siteKey struct{ place, file, from, call string }

// add adds `count` calls to the place in the program that made c. `call` is the name of these calls, and `of` their
// subject, for example a kernel or a size.
func (s *sites) add(c *analyze.Call, call, of string, count int, time analyze.Nanos, bytes uint64) {
	k := siteKey{call: call}
	f, from := c.Stack.Site(), c.Stack.Caller()
	if f != nil {
		k.place, k.file = f.String(), f.File
	}
	if from != nil {
		k.from = from.String()
	}
	if s.by == nil {
		s.by = map[siteKey]*Site{}
	}
	site := s.by[k]
	if site == nil {
		site = &Site{At: f, From: from, Call: call, Of: of}
		s.by[k] = site
		s.order = append(s.order, site)
	}
	if site.Of != of {
		site.Of = ""
	}
	if c.Thread != nil && !slices.Contains(site.Threads, c.Thread) {
		site.Threads = append(site.Threads, c.Thread)
	}
	site.Count += count
	site.Time += time
	site.Bytes += bytes
}

// most returns the places with the largest shares, at most policy.NamedSites.
func (s *sites) most() []Site {
	var time analyze.Nanos
	var bytes uint64
	count := 0
	for _, x := range s.order {
		time, bytes, count = time+x.Time, bytes+x.Bytes, count+x.Count
	}
	var list []Site
	for _, x := range s.order {
		switch {
		case time > 0:
			x.Share = float64(x.Time) / float64(time)
		case bytes > 0:
			x.Share = float64(x.Bytes) / float64(bytes)
		default:
			x.Share = of(x.Count, count)
		}
		list = append(list, *x)
	}
	slices.SortStableFunc(list, func(a, b Site) int { return cmp.Compare(b.Share, a.Share) })
	list = list[:min(len(list), policy.NamedSites)]
	return slices.DeleteFunc(list, func(x Site) bool { return x.Share < policy.WorthSite && x.Share < list[0].Share })
}
