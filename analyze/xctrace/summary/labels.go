package summary

import (
	"sort"
	"strings"

	"mtrace/analyze/xctrace"
)

// labels is the GPU time of the subject by label and channel.
func (s *scope) labels(order []int32) []Label {
	type key struct {
		label, channel xctrace.TextIndex
	}
	times := map[key][]Nanos{}
	var all Nanos
	for _, i := range order {
		g := &s.GPU[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok && s.own(g.Process) {
			k := key{g.Label, g.Channel}
			times[k] = append(times[k], end-begin)
			all += end - begin
		}
	}
	list := make([]Label, 0, len(times))
	for k, t := range times {
		list = append(list, newLabel(s.Text(k.label), s.Text(k.channel), t, all))
	}
	sortLabels(list)
	return list
}

func newLabel(text, channel string, times []Nanos, all Nanos) Label {
	l := Label{Name: labelName(text), Channel: channel, Timing: timingOf(times)}
	l.Share = share(l.SumNS, all)
	// The first is Apple's spelling.
	l.Coalesced = strings.Contains(text, "Coelasced ") || strings.Contains(text, "Coalesced ")
	l.Default = defaultLabel(text)
	return l
}

func labelName(text string) string {
	if text == "" {
		return "(no label)"
	}
	return text
}

// defaultLabel says whether no part of a label is the program's: Instruments
// writes "Command Buffer 0:Compute Command 0" for what has none.
func defaultLabel(text string) bool {
	for _, part := range strings.SplitN(text, ":", 2) {
		given := part != ""
		for _, kind := range []string{"Compute Command ", "Render Command ", "Blit Command ", "Command Buffer "} {
			given = given && !strings.HasPrefix(part, kind)
		}
		if given {
			return false
		}
	}
	return true
}

func sortLabels(list []Label) {
	sort.Slice(list, func(i, j int) bool {
		a, b := &list[i], &list[j]
		switch {
		case a.SumNS != b.SumNS:
			return a.SumNS > b.SumNS
		case a.Name != b.Name:
			return a.Name < b.Name
		}
		return a.Channel < b.Channel
	})
}
