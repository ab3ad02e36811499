package analyze

import (
	"fmt"
	"maps"
	"slices"

	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// addCoverage stores the Coverage of a process and adds a warning for each gap in it. A process that did not use
// Metal has none.
func addCoverage(l *loader, p *processLoader) {
	f := p.file
	if len(f.Classes) == 0 && len(f.Unhooked) == 0 {
		return // it did not use Metal
	}
	c := Coverage{Process: p.Process, Nested: map[string]int64{}}
	for _, i := range slices.Sorted(maps.Keys(f.Classes)) {
		if name := f.Classes[i].Name; !slices.Contains(c.Classes, name) {
			c.Classes = append(c.Classes, name)
		}
	}
	for _, u := range f.Unhooked {
		c.Unhooked = append(c.Unhooked, UnhookedClass{u.Name, u.Family.String(), u.Methods})
	}
	if e := f.End; e != nil {
		for family, n := range e.NestedBy {
			c.Nested[family] = int64(n)
		}
		c.Commits = Audit{int64(e.Commits.Reached), int64(e.Commits.Seen())}
		c.Completions = Audit{int64(e.Completions.Reached), int64(e.Completions.Seen())}
	}
	for _, call := range slices.Sorted(maps.Keys(f.Canary)) {
		c.SelfCheck = append(c.SelfCheck, CheckedCall{call.String(), f.Canary[call], p.canary[call]})
	}
	l.trace.Recording.Coverage = append(l.trace.Recording.Coverage, c)
	l.trace.Warnings = append(l.trace.Warnings, c.warnings(describeProcess(l, p))...)
}

// canarySeen notes a call of the self-check.
func (p *processLoader) canarySeen(r *wire.Record) {
	if p.canary == nil {
		p.canary = map[wire.Call]int{}
	}
	p.canary[wire.Call(min(r.Arg, 1<<16-1))]++
}

// recordedTimes returns the recorded time ranges of a file, counted from the trace's first call. It needs t.Run, so
// the run's begin and length must be set before.
func recordedTimes(r *tracefile.Reader, t *Trace) (list []Recorded) {
	for _, of := range r.Recorded() {
		w := Recorded{From: max(0, Nanos(of.From)-t.Run.Origin), To: Nanos(of.To) - t.Run.Origin, Began: of.Began,
			Ended: of.Ended}
		if of.To == 0 || w.To > t.Run.Length {
			w.To = t.Run.Length + 1
		}
		if of.To == 0 {
			w.Ended = "the end"
		}
		if w.From < w.To {
			list = append(list, w)
		}
	}
	return list
}

// addRecorded stores the recorded time ranges in the trace's Source and marks those that the loaded range overlaps.
func addRecorded(l *loader, r *tracefile.Reader) {
	s := &l.trace.Source
	s.Recorded = recordedTimes(r, l.trace)
	if len(s.Recorded) == 0 {
		s.Asked = r.Info().Asked
	}
	for i := range s.Recorded {
		w := &s.Recorded[i]
		w.Shown = l.trace.Run.Origin+w.From < l.window.End && l.window.Begin < l.trace.Run.Origin+w.To
	}
}

// shortfallOf describes which parts of the recording are missing; it returns nil if the recording is complete. It
// must be called after all streams were read, because damage is found only by reading.
func shortfallOf(l *loader, r *tracefile.Reader) *Shortfall {
	damage, cut, repaired := r.Damage(), r.Cut(), r.Repaired()
	if len(damage) == 0 && cut == nil && repaired == nil {
		return nil
	}
	s := &Shortfall{Kind: Damaged, Parts: len(damage)}
	lost := &l.trace.Recording.Lost
	for i, d := range damage {
		switch {
		case i < mostParts:
			l.trace.Warnings = append(l.trace.Warnings, r.Text(d))
		case i == mostParts:
			l.trace.Warnings = append(l.trace.Warnings, fmt.Sprintf(
				"%d more parts of the file are damaged (not listed)", len(damage)-i))
		}
		lost.AtLeast = lost.AtLeast || d.Unknown()
		if d.Of && isAsked(l, d.Process) {
			lost.Records += int64(d.Records)
		}
	}
	if len(damage) > 0 {
		s.Why = r.Text(damage[0])
	}
	if cut != nil {
		s.Kind, s.Why = Cut, cut.Why
		lost.AtLeast = lost.AtLeast || !cut.All
		if after := Nanos(cut.At - r.Info().Started); cut.At > 0 && after > 0 && after < longestTime {
			s.After = after
		} else if cut.At == 0 { // the cut came before the first counters
			s.After = min(l.trace.Run.Length, longestTime)
		}
	}
	if repaired != nil && len(damage) == 0 {
		s.Kind, s.Parts = Repaired, len(repaired.Lines)
		lost.AtLeast = lost.AtLeast || !repaired.Wholly
		lost.Records += int64(min(repaired.Records, 1<<44))
		for i, line := range repaired.Lines[:min(len(repaired.Lines), mostParts)] {
			l.trace.Warnings = append(l.trace.Warnings, "before it was repaired: "+line)
			if i == 0 && cut == nil {
				s.Why = line
			}
		}
	}
	return s
}

// isAsked reports whether the user selected the process at this index of the file. A process that the file does not
// list counts as selected.
func isAsked(l *loader, index tracefile.ProcessIndex) bool {
	return int(index) >= len(l.processes) || l.wanted(l.processes[index].ID)
}
