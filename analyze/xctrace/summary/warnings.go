package summary

import (
	"fmt"
	"strings"

	"mtrace/analyze/xctrace"

	"mtrace/analyze/policy"
)

// warningsOf returns what the reader of the summary should know about defects of the inputs and of the recording.
func warningsOf(s *scope, out *Summary) []string {
	list := []string{}
	warn := func(format string, args ...any) { list = append(list, fmt.Sprintf(format, args...)) }
	if s.missingTarget != "" {
		warn("%s", s.missingTarget)
	}
	for _, name := range out.Source.Truncated {
		warn("%s is truncated: its last rows are missing", name)
	}
	for _, text := range s.Skipped {
		warn("skipped %s", text)
	}
	for _, d := range s.Documents {
		if d.EmptyRoot > 0 {
			warn("%s contains %d query result(s) without a table: the xpath matched nothing in the recording", d.Name,
				d.EmptyRoot)
		}
		if d.IllegalNames > 0 {
			warn("%s: %d attribute names that are not XML (Apple writes resident-%%) were accepted", d.Name,
				d.IllegalNames)
		}
		for _, t := range d.Tables {
			if t.Rejected > 0 {
				warn("%s: %d of %d rows were left out: %s", tableName(t), t.Rejected, t.Rows, t.Problems[0])
			}
			if t.Dangling > 0 {
				warn("%s: %d references to values that are not in the file, as if a part of it was removed", tableName(t),
					t.Dangling)
			}
			if t.Refused != "" {
				warn("%s: %s", tableName(t), t.Refused)
			}
			for _, note := range t.Notes {
				warn("%s: %s", tableName(t), note)
			}
		}
	}
	if s.Commands.FilledIn {
		warn("submissions or encoders are taken from metal-application-intervals, " +
			"because their own tables are missing or empty")
	}
	warnHealth(s, out, warn)
	warnReading(s, out, warn)
	return list
}

// warnHealth warns about signs that the recording failed although xctrace reported success.
func warnHealth(s *scope, out *Summary, warn func(string, ...any)) {
	if s.Run != nil {
		run := s.Run
		if run.Started.IsZero() {
			warn("the table of contents has no start date: the recording failed")
		}
		if run.Duration.Seconds() > 1 && s.Has(tableGPU) &&
			float64(len(s.GPU.Intervals)) < policy.IdleScreenIntervals*run.Duration.Seconds() {
			warn("%d GPU intervals of all processes in %.1f s: even an idle screen causes more; "+
				"the recording probably failed",
				len(s.GPU.Intervals), run.Duration.Seconds())
		}
		if t := run.Target.Termination; strings.Contains(t, "signal") || strings.Contains(t, "SIG") {
			warn("the target ended by %s: "+
				"Instruments injects a library into what it launches, and a hardened program is killed for it", t)
		}
	}
	if len(s.GPU.Intervals) > 0 && s.Has(tableSubmissions) && (len(s.Commands.Submissions) == 0 ||
		s.Commands.FilledIn) {
		warn("%s has no rows while %s has %d: its export failed; it does not mean that the program submitted nothing",
			tableSubmissions, tableGPU, len(s.GPU.Intervals))
	}
	if len(s.Commands.Submissions) > 0 && s.Has(tableGPU) && len(s.GPU.Intervals) == 0 {
		warn("%s has no rows while %s has %d: its export failed; it does not mean that the GPU was idle", tableGPU,
			tableSubmissions,
			len(s.Commands.Submissions))
	}
	if id := out.Latency.StartLatencyChecked; id != nil && id.Violations > 0 {
		warn("start-latency differs from GPU start minus commit in %d of %d intervals (by up to %d ns): "+
			"the tables are from several recordings, or are incomplete", id.Violations,
			id.Checked, id.MaxErrorNS)
	}
}

// warnReading warns about numbers in the summary that could be misunderstood.
func warnReading(s *scope, out *Summary, warn func(string, ...any)) {
	if set := settingOf(s, "Counter Set"); set != "" && set != "(null)" || len(s.GPU.Counters) > 1 {
		warn("GPU counters were recorded, which fixes the GPU's clock: do not compare times with runs without counters")
	}
	if state := settingOf(s, "Induced GPU Performance State"); state != "" && state != "Default" {
		warn("the recording forced the GPU into the performance state %s: do not compare its times with ordinary runs", state)
	}
	for _, st := range out.States {
		if st.Induced && st.Share > policy.InducedState {
			warn("%.0f%% of the time the GPU was forced into the performance state %s, instead of choosing a state by its load",
				100*st.Share, st.Name)
		}
	}
	if len(out.Shaders) > 0 && out.GPU != nil {
		var covered Nanos
		for _, x := range out.Shaders {
			covered += x.SumNS
		}
		warn("Shader Timeline covers only %.0f%% of the subject's GPU time and leaves whole shaders out: "+
			"compare its times only with each other", 100*share(covered, out.GPU.Own.SumNS))
	}
	if out.GPU == nil {
		return
	}
	g := out.GPU
	if s.pids != nil && g.All.Intervals > 0 {
		own := float64(g.Own.Intervals) / float64(g.All.Intervals)
		switch {
		case g.Own.Intervals > 0 && own < policy.TargetIntervalShare:
			warn("only %d of %d GPU intervals belong to the subject: check that it is the right process", g.Own.Intervals,
				g.All.Intervals)
		case g.OtherProcessShare > policy.OtherProcessesGPUShare:
			warn("%.0f%% of the GPU time belongs to other processes, which delay the subject's work", 100*g.OtherProcessShare)
		}
	}
	if g.UnattributedShare > policy.UnattributedGPUShare {
		warn("%.0f%% of the GPU time belongs to no process and does not count as the subject's",
			100*g.UnattributedShare)
	}
	mismatched, coalesced, unlabelled, rows := 0, 0, 0, 0
	for i := range s.GPU.Intervals {
		if x := &s.GPU.Intervals[i]; x.Process != 0 && x.LabelProcess != 0 &&
			s.Processes[x.Process].PID != s.Processes[x.LabelProcess].PID {
			mismatched++
		}
	}
	for _, l := range out.Labels {
		rows += l.Count
		if l.Coalesced {
			coalesced += l.Count
		}
		if l.Default {
			unlabelled += l.Count
		}
	}
	if mismatched > 0 {
		warn("%d GPU intervals name one process in their label and another in their process column: "+
			"browsers and servers that draw for other processes cause that", mismatched)
	}
	if coalesced > 0 || s.GPU.Coalesced > 0 {
		warn("%d GPU intervals stand for several encoders that the driver merged: "+
			"their number is not the number of encoders", max(coalesced, int(s.GPU.Coalesced)))
	}
	if rows > 0 && float64(unlabelled) > policy.Unlabelled*float64(rows) {
		warn("%.0f%% of the GPU intervals have no label that the program set: "+
			"set MTLCommandBuffer.label and encoder labels (debug groups do not reach the export)",
			100*float64(unlabelled)/float64(rows))
	}
}

func tableName(t *xctrace.Table) string {
	if t.Schema != "" {
		return t.Schema
	}
	return t.XPath
}

// tablesOf returns the tables that were among the inputs, with a note on how each was read.
func tablesOf(s *scope) []Table {
	list := []Table{}
	for _, d := range s.Documents {
		for _, t := range d.Tables {
			row := Table{Schema: t.Schema, XPath: t.XPath, File: d.Name, Rows: t.Rows, Rejected: t.Rejected,
				Dangling: t.Dangling, Read: t.Decoded, Note: t.Refused}
			switch {
			case t.Shape == xctrace.ShapeDetail:
				row.Note = "a detail view, of which only the first rows are shown; mtrace export --table writes all rows"
			case t.Refused == "" && !t.Decoded && t.Rows > 0:
				row.Note = "mtrace knows only this table's columns, so it sums up times and texts; " +
					"mtrace export --table writes its rows"
			case t.Refused == "" && t.Rows == 0:
				row.Note = "no rows"
			}
			for _, p := range t.Problems {
				row.Problems = append(row.Problems, p.String())
			}
			list = append(list, row)
		}
	}
	return list
}
