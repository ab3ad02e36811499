package summary

import (
	"fmt"
	"regexp"
	"sort"
	"strings"

	"mtrace/analyze/xctrace"
)

// labelsOf returns the GPU time of the summary's processes, by label and channel.
func labelsOf(s *scope, order []int32) []Label {
	type key struct{ label, channel, process string }
	times := map[key][]Nanos{}
	var all Nanos
	for _, i := range order {
		g := &s.GPU.Intervals[i]
		if begin, end, ok := s.clip(g.Start, g.Duration); ok && s.own(g.Process) {
			k := key{SameWork(s.Text(g.Label)), s.Text(g.Channel), s.several(g.Process)}
			times[k] = append(times[k], end-begin)
			all += end - begin
		}
	}
	list := make([]Label, 0, len(times))
	for k, t := range times {
		label := newLabel(k.label, k.channel, t, all)
		label.Process = k.process
		list = append(list, label)
	}
	sortLabels(list)
	return list
}

// several returns the process's name if the summary is about several processes, otherwise "". Labels are then listed
// per process, because the same label in two processes does not mean the same work.
func (s *scope) several(p xctrace.ProcessIndex) string {
	switch {
	case len(s.pids) == 1 || s.pids == nil && len(s.seen) < 2:
		return ""
	case p == 0:
		return "(not attributed)"
	}
	pid := s.Processes[p].PID
	return fmt.Sprintf("%s (%d)", s.seen[pid], pid)
}

func newLabel(text, channel string, times []Nanos, all Nanos) Label {
	l := Label{Name: labelName(text), Channel: channel, Timing: timingOf(times)}
	l.Share = share(l.SumNS, all)
	// "Coelasced" is Apple's spelling
	l.Coalesced = strings.Contains(text, "Coelasced ") || strings.Contains(text, "Coalesced ")
	l.Default = defaultLabel(text)
	return l
}

// SplitLabel cuts a label of a GPU row, "command buffer:encoder", into its two parts. Both parts are texts of the
// program and may contain colons themselves. So SplitLabel cuts only where the place is certain: after the command
// buffer's label if another table has that label, at the only colon, or at Instruments' names for objects without
// labels. Otherwise the whole text counts as the encoder's label.
func SplitLabel(text, bufferLabel string) (buffer, encoder string, cut bool) {
	if rest, ok := strings.CutPrefix(text, bufferLabel+":"); ok && bufferLabel != "" {
		return bufferLabel, rest, true
	}
	if parts := defaultBuffer.FindStringSubmatch(text); parts != nil {
		return parts[1], parts[2], true
	}
	if parts := defaultEncoder.FindStringSubmatch(text); parts != nil {
		return parts[1], parts[2], true
	}
	buffer, encoder, cut = strings.Cut(text, ":")
	if !cut || strings.Contains(encoder, ":") || strings.HasPrefix(encoder, " ") {
		return bufferLabel, text, false
	}
	return buffer, encoder, true
}

var (
	defaultBuffer  = regexp.MustCompile(`(?s)^(Command Buffer \d+):(.*)$`)
	defaultEncoder = regexp.MustCompile(`(?s)^(.*):((?:Compute|Render|Blit) Command \d+)$`)
	address        = regexp.MustCompile(`\b0x[0-9a-fA-F]{5,}\b`)
)

// SameWork replaces addresses in a label, which differ between runs and objects although the work is the same.
func SameWork(label string) string {
	if !strings.Contains(label, "0x") {
		return label
	}
	return address.ReplaceAllLiteralString(label, "0x…")
}

func labelName(text string) string {
	if text == "" {
		return "(no label)"
	}
	return text
}

// defaultLabel reports whether no part of a label comes from the program: for objects without labels Instruments
// writes "Command Buffer 0:Compute Command 0".
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
		return a.Channel+a.Process < b.Channel+b.Process
	})
}
