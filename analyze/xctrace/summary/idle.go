package summary

import (
	"cmp"
	"slices"

	"mtrace/analyze/xctrace"
)

// longestGaps is how many idle gaps, and how many transitions between labels, are listed.
const longestGaps = 10

// gaps collects the times within the window (the summarised time range) in which the GPU had no work. Intervals must be
// added in order of begin.
type gaps struct {
	scope   *scope
	end     Nanos // the end of the work seen so far
	started bool
	before  xctrace.TextIndex
	lengths []Nanos
	longest []gap
	between map[transition]*Transition
}

// transition has the labels of the work before and after a gap.
type transition struct{ before, after xctrace.TextIndex }

type gap struct {
	from, length  Nanos
	before, after xctrace.TextIndex
	first, last   bool // no work before, or after, in the window
}

func (g *gaps) add(begin, end Nanos, label xctrace.TextIndex) {
	if begin > g.end {
		g.gap(gap{from: g.end, length: begin - g.end, before: g.before, after: label, first: !g.started})
	}
	if end >= g.end || !g.started {
		g.end, g.before = max(g.end, end), label
	}
	g.started = true
}

func (g *gaps) gap(new gap) {
	g.lengths = append(g.lengths, new.length)
	if !new.first && !new.last {
		if g.between == nil {
			g.between = map[transition]*Transition{}
		}
		t := g.between[transition{new.before, new.after}]
		if t == nil {
			t = &Transition{}
			g.between[transition{new.before, new.after}] = t
		}
		t.Gaps++
		t.SumNS += new.length
		t.MaxNS = max(t.MaxNS, new.length)
	}
	at, _ := slices.BinarySearchFunc(g.longest, new, func(a, b gap) int {
		return int(max(-1, min(1, b.length-a.length)))
	})
	if at < longestGaps {
		g.longest = slices.Insert(g.longest, at, new)
		g.longest = g.longest[:min(len(g.longest), longestGaps)]
	}
}

func (g *gaps) finish() Idle {
	s := g.scope
	if g.end < s.to {
		g.gap(gap{from: g.end, length: s.to - g.end, before: g.before, first: !g.started, last: true})
	}
	idle := Idle{Gaps: len(g.lengths), Length: timingOf(g.lengths), Longest: []Gap{}}
	idle.TotalNS = idle.Length.SumNS
	idle.Between = []Transition{}
	for labels, t := range g.between {
		t.Before, t.After = labelName(s.Text(labels.before)), labelName(s.Text(labels.after))
		idle.Between = append(idle.Between, *t)
	}
	slices.SortFunc(idle.Between, func(a, b Transition) int {
		return cmp.Or(cmp.Compare(b.SumNS, a.SumNS), cmp.Compare(a.Before, b.Before), cmp.Compare(a.After, b.After))
	})
	idle.Between = idle.Between[:min(len(idle.Between), longestGaps)]
	idle.Share = share(idle.TotalNS, s.length())
	for _, n := range g.lengths {
		if n > 100_000 {
			idle.Over100u++
		}
		if n > 1_000_000 {
			idle.Over1m++
		}
		if n > 10_000_000 {
			idle.Over10m++
		}
	}
	for _, x := range g.longest {
		shown := Gap{FromNS: x.from, LengthNS: x.length, Before: "(begin)", After: "(end)"}
		if !x.first {
			shown.Before = labelName(s.Text(x.before))
		}
		if !x.last {
			shown.After = labelName(s.Text(x.after))
		}
		idle.Longest = append(idle.Longest, shown)
	}
	return idle
}
