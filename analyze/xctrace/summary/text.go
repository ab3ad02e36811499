package summary

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"mtrace/analyze"
)

// maxLines is how many labels, threads and processes the text lists; the JSON lists all.
const maxLines = 15

// Text writes the summary as text.
func (s *Summary) Text(w io.Writer) error {
	p := &printer{Writer: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)}
	s.head(p)
	s.submissions(p)
	s.gpuText(p)
	s.latencyText(p)
	p.labels("GPU time by label (of the subject)", s.Labels, true)
	p.labels("Encode time by encoder label (CPU time, not GPU time)", s.Encoders, false)
	p.labels("Shader Timeline by shader", s.Shaders, false)
	p.labels("Driver, by what it processes (CPU time)", s.Driver, false)
	p.labels("Handlers and debug groups (CPU time)", s.Handlers, false)
	s.machine(p)
	s.cpuText(p)
	s.othersText(p)
	s.honesty(p)
	return p.Flush()
}

type printer struct{ *tabwriter.Writer }

func (p *printer) line(format string, args ...any) { fmt.Fprintf(p.Writer, format+"\n", args...) }

// section prints a section's title. It flushes the tab writer first; otherwise columns of the sections before and
// after the title would be aligned with each other.
func (p *printer) section(title string) {
	p.Flush()
	p.line("\n%s", title)
}

func (s *Summary) head(p *printer) {
	src := &s.Source
	parts := []string{fmt.Sprintf("%d file(s)", len(src.Files)), analyze.FormatBytes(uint64(src.Bytes))}
	for _, x := range []string{src.Device, src.GPU, src.OS} {
		if x != "" {
			parts = append(parts, x)
		}
	}
	if src.Instruments != "" {
		parts = append(parts, "Instruments "+src.Instruments)
	}
	p.line("Instruments recording: %s", strings.Join(parts, ", "))
	if src.Template != "" {
		p.line("template %s, %s recorded, target %s (%s)", src.Template, src.DurationNS, orNone(src.Target),
			orNone(src.TargetType))
	}
	of := "all processes"
	if len(s.Subject.PIDs) > 0 {
		of = "pid " + strings.Trim(fmt.Sprint(s.Subject.PIDs), "[]")
	}
	if s.Window.LengthNS <= 1 { // nothing in the summary has a duration
		p.line("summary of %s (%s): none of its rows has a time", of, s.Subject.Why)
		return
	}
	p.line("summary of %s (%s), %s from %s on", of, s.Subject.Why, s.Window.LengthNS, s.Window.FromNS)
}

func (s *Summary) submissions(p *printer) {
	if len(s.Processes) > 0 {
		p.section("Processes")
		p.line("  process\tsubmissions\t/s\tencoders\tencode time\tGPU intervals\tGPU busy\tGPU sum\tshare")
		for i, x := range s.Processes {
			if i == maxLines {
				p.line("  … and %d more", len(s.Processes)-i)
				break
			}
			name := fmt.Sprintf("%s (%d)", x.Name, x.PID)
			if x.Name == "" && x.PID == 0 {
				name = "(not attributed)"
			}
			if x.Subject && len(s.Subject.PIDs) > 0 {
				name += " *"
			}
			submissions, gpu := "·\t·\t·\t·", "·\t·\t·\t·"
			if x.told.submissions {
				submissions = fmt.Sprintf("%d\t%.1f\t%d\t%s", x.Submissions, x.SubmissionsPerSecond, x.Encoders,
					x.EncodeNS)
			}
			if x.told.gpu {
				gpu = fmt.Sprintf("%d\t%s\t%s\t%s", x.GPUIntervals, x.GPUBusyNS, x.GPUSumNS, percent(x.GPUShare))
			}
			p.line("  %s\t%s\t%s", name, submissions, gpu)
		}
	}
	if len(s.Threads) > 0 {
		p.section("Threads that commit")
		p.line("  thread\ttid\tpid\tsubmissions\t/s\tencode time\tcreate to commit\tGPU time of its work")
		for i, x := range s.Threads {
			if i == maxLines {
				p.line("  … and %d more", len(s.Threads)-i)
				break
			}
			gpu := "·"
			if x.GPUSumNS != nil {
				gpu = x.GPUSumNS.String()
			}
			p.line("  %s\t0x%x\t%d\t%d\t%.1f\t%s\t%s\t%s", orNone(x.Name), x.TID, x.PID, x.Submissions,
				x.SubmissionsPerSecond,
				x.EncodeNS, x.PrepareNS, gpu)
		}
	}
}

func (s *Summary) gpuText(p *printer) {
	if s.GPU == nil {
		return
	}
	g := s.GPU
	p.section("GPU")
	p.line("  work of\tintervals\tbusy\tbusy, of the window\tsum of intervals\ttwo or more at once")
	row := func(name string, b Busy) {
		p.line("  %s\t%d\t%s\t%s\t%s\t%s", name, b.Intervals, b.BusyNS, percent(b.BusyShare), b.SumNS, b.OverlapNS)
	}
	row("all processes", g.All)
	row("the subject's", g.Own)
	for _, c := range g.Channels {
		row("channel "+orNone(c.Name), c.All)
	}
	p.Flush()
	p.line("  of the GPU time: subject %s, other processes %s, not attributed %s; "+
		"subject: %d command buffers, %d encoders",
		percent(g.OwnShare), percent(g.OtherProcessShare), percent(g.UnattributedShare), g.CommandBuffers, g.Encoders)
	p.line("  idle: %s (%s) in %d gaps; over 100 µs: %d, over 1 ms: %d, over 10 ms: %d", g.Idle.TotalNS,
		percent(g.Idle.Share),
		g.Idle.Gaps, g.Idle.Over100u, g.Idle.Over1m, g.Idle.Over10m)
	for i, x := range g.Idle.Longest {
		if i == 3 {
			break
		}
		p.line("    %s at %s, after %s, before %s", x.LengthNS, x.FromNS, short(x.Before), short(x.After))
	}
	for i, x := range g.Idle.Between {
		if i == 3 {
			break
		}
		p.line("    %s in %d gaps between %s and %s", x.SumNS, x.Gaps, short(x.Before), short(x.After))
	}
}

func (s *Summary) latencyText(p *printer) {
	l := &s.Latency
	if l.CommitToGPU == nil && l.CommitToCompletion == nil && s.InFlight == nil {
		return
	}
	p.section("Latency")
	if l.CommitToGPU != nil || l.CommitToCompletion != nil {
		p.line("  from … to\tcommand buffers\tmean\tp50\tp95\tp99\tmax")
	}
	for _, x := range []struct {
		name string
		t    *Timing
	}{
		{"commit to GPU start (with queueing)", l.CommitToGPU},
		{"GPU end to completion", l.GPUToCompletion},
		{"commit to completion", l.CommitToCompletion},
	} {
		if x.t != nil {
			p.line("  %s\t%d\t%s\t%s\t%s\t%s\t%s", x.name, x.t.Count, x.t.MeanNS, x.t.P50NS, x.t.P95NS, x.t.P99NS,
				x.t.MaxNS)
		}
	}
	p.Flush()
	if c := l.StartLatencyChecked; c != nil {
		p.line("  start-latency = GPU start − commit: checked on %d intervals, %d violations", c.Checked, c.Violations)
	}
	if f := s.InFlight; f != nil {
		p.line("  command buffers in flight (commit to %s): mean %.2f, most %d", f.Until, f.Mean, f.Max)
	}
}

func (p *printer) labels(title string, list []Label, channel bool) {
	if len(list) == 0 {
		return
	}
	p.section(title)
	head := "  label\t"
	if channel {
		head += "channel\t"
	}
	processes := slices.ContainsFunc(list, func(l Label) bool { return l.Process != "" })
	if processes {
		head += "process\t"
	}
	p.line("%scount\tsum\tshare\tp50\tp95\tp99\tmax", head)
	for i, l := range list {
		if i == maxLines {
			p.line("  … and %d more", len(list)-i)
			break
		}
		name := short(l.Name) + "\t"
		if channel {
			name += l.Channel + "\t"
		}
		if processes {
			name += l.Process + "\t"
		}
		p.line("  %s%d\t%s\t%s\t%s\t%s\t%s\t%s", name, l.Count, l.SumNS, percent(l.Share), l.P50NS, l.P95NS,
			l.P99NS, l.MaxNS)
	}
}

func (s *Summary) machine(p *printer) {
	if len(s.States) > 0 {
		p.section("GPU performance states")
		for _, x := range s.States {
			induced := ""
			if x.Induced {
				induced = " (induced)"
			}
			p.line("  %s%s\t%s\t%s\t%s", x.Name, induced, x.TimeNS, percent(x.Share), x.GPU)
		}
	}
	if len(s.Counters) > 0 {
		p.section("GPU counters")
		for _, c := range s.Counters {
			p.line("  %s\tmean %.2f\tmax %.2f\t%d samples", c.Name, c.Mean, c.Max, c.Samples)
		}
	}
	if len(s.Signposts) > 0 {
		p.section("Signposts")
		p.line("  name\tintervals\ttime\tGPU busy inside")
		for i, x := range s.Signposts {
			if i == maxLines {
				break
			}
			busy := "·"
			if x.GPUBusyNS != nil {
				busy = x.GPUBusyNS.String()
			}
			p.line("  %s\t%d\t%s\t%s", short(x.Name), x.Intervals, x.TimeNS, busy)
		}
	}
	if m := s.Memory; m != nil {
		p.section("Memory")
		p.line("  peak %s, last %s; %d allocations of %s recorded", analyze.FormatBytes(m.PeakBytes),
			analyze.FormatBytes(m.LastBytes), m.Allocations, analyze.FormatBytes(m.Bytes))
	}
	if c := s.Compiler; c != nil {
		p.section("Shader compiler")
		p.line("  %d compilations, %s, longest %s", c.Count, c.SumNS, c.MaxNS)
	}
}

func (s *Summary) honesty(p *printer) {
	if s.GPU != nil || len(s.Threads) > 0 {
		s.serialization(p)
	}
	s.told(p)
}

func (s *Summary) serialization(p *printer) {
	p.section("Serialization")
	p.line("  %s: %s", s.Verdict.Verdict, s.Verdict.Summary)
	for _, x := range s.Verdict.Evidence {
		p.line("    %s", x)
	}
	for _, x := range s.Verdict.RuledOut {
		p.line("    ruled out: %s", x)
	}
	p.line("    not recorded: %s", s.Verdict.CannotTell)
}

// told prints the warnings, the list of data that the recording does not contain, and the tables from which the summary
// was made.
func (s *Summary) told(p *printer) {
	if len(s.Warnings) > 0 {
		p.section("Warnings")
		for _, x := range s.Warnings {
			p.line("  %s", x)
		}
	}
	p.section("Cannot tell")
	var whats, tables []string
	for _, x := range s.Missing {
		if x.notExported {
			whats, tables = append(whats, x.What), append(tables, x.Table)
			continue
		}
		p.line("  %s: %s", x.What, x.Why)
	}
	if len(tables) > 0 {
		p.line("  %s: recorded, but not among the inputs; for each of %s:", strings.Join(whats, ", "),
			strings.Join(tables, ", "))
		p.line("    xctrace " +
			"export --input X.trace --xpath '/trace-toc/run[@number=\"1\"]/data/table[@schema=\"TABLE\"]' > TABLE.xml")
	}
	if len(s.Tables) > 0 {
		p.section("Tables")
		p.line("  table\trows\tnote")
		for _, t := range s.Tables {
			name := t.Schema
			if name == "" {
				name = t.XPath
			}
			note := t.Note
			if t.Rejected > 0 {
				note += fmt.Sprintf(" %d left out", t.Rejected)
			}
			p.line("  %s\t%d\t%s", name, t.Rows, strings.TrimSpace(note))
		}
	}
}

func percent(share float64) string { return fmt.Sprintf("%.1f%%", 100*share) }

// short shortens a label and replaces control characters in it; tabs and line ends would break the table.
func short(label string) string {
	clean := strings.Map(func(r rune) rune {
		if r < ' ' {
			return ' '
		}
		return r
	}, label)
	if runes := []rune(clean); len(runes) > 64 {
		return string(runes[:40]) + "…" + string(runes[len(runes)-23:])
	}
	return clean
}

func orNone(s string) string {
	if s == "" {
		return "(none)"
	}
	return s
}
