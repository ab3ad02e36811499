package summary

import (
	"fmt"
	"strings"
)

// missingOf lists what the summary cannot contain, each with the reason: the table was not recorded, not exported,
// could not be read, or is empty because of a setting.
func missingOf(s *scope, out *Summary) []Missing {
	list := []Missing{}
	add := func(what, table string, rows int) {
		if rows == 0 {
			m := Missing{What: what, Why: whyAbsent(s, table), Table: table}
			m.notExported = !s.Has(table) && s.Run != nil && s.Run.Table(table) && s.Failed[table] == ""
			list = append(list, m)
		}
	}
	if m, none := withoutMetal(s); none {
		return append(list, m)
	}
	add("GPU time, idle time, labels", tableGPU, len(s.GPU.Intervals))
	add("command buffers per process and thread, submissions/s", tableSubmissions, len(s.Commands.Submissions))
	add("completion latency", tableCompleted, len(s.Commands.Completions))
	add("encode time per label", tableEncoders, len(s.Commands.Encoders))
	add("GPU performance states", tablePerformance, len(s.GPU.Performance))
	add("time per shader", tableShaders, len(s.GPU.Shaders))
	add("GPU counters", tableCounters, len(s.GPU.Counters))
	if len(s.CPU.Signposts)+len(s.CPU.Marks) == 0 && (s.Has("os-signpost") || s.Has("OSSignpostIntervals")) {
		list = append(list, Missing{What: "phases marked by signposts",
			Why: "the signpost tables have no rows: " +
				"the program emits none, or Instruments printed \"log archive is corrupt\" while recording"})
	}
	list = append(list,
		Missing{What: "time that threads wait for the GPU, and the serialization that it causes",
			Why: "Instruments does not record waitUntilCompleted: trace with mtrace run"},
		Missing{What: "dispatches per kernel",
			Why: "Instruments records encoders but not the dispatches in them: a row is not a kernel"},
		Missing{What: "frames per second", Why: "frame numbers of GPU rows are counted per process, " +
			"and some of them span seconds: no frame rate can be derived from them"},
		Missing{What: "the overhead of recording", Why: "the export does not say; " +
			"1 to 3% have been measured by others"},
	)
	if out.GPU != nil && out.GPU.All.Intervals > 0 && out.GPU.Own.Intervals == 0 {
		list = append(list, Missing{What: "GPU time of the subject", Why: "the table has " +
			fmt.Sprint(out.GPU.All.Intervals) + " rows, but " + whoseRows(s, out.GPU)})
	}
	return list
}

// withoutMetal returns one entry that stands for all tables about Metal if none was given. Somebody who reads a CPU
// profile does not need a list of all missing tables.
func withoutMetal(s *scope) (Missing, bool) {
	tables := []string{tableGPU, tableSubmissions, tableCompleted, tableEncoders, tableShaders, tableCounters,
		"metal-application-intervals"}
	for _, table := range tables {
		if s.Has(table) || isRefused(s, table) || s.Run != nil && s.Run.Table(table) {
			return Missing{}, false
		}
	}
	why := "no table about Metal is among the inputs, and there is no table of contents to show whether one was recorded"
	if s.Run != nil {
		why = "no table about Metal was recorded with the template " + s.Run.Template + ": use Metal System Trace"
	}
	return Missing{What: "everything about Metal", Why: why, Table: tableGPU}, true
}

// isRefused reports whether the inputs have a table with this schema, even if it could not be read.
func isRefused(s *scope, schema string) bool {
	for _, d := range s.Documents {
		for _, t := range d.Tables {
			if t.Schema == schema {
				return true
			}
		}
	}
	return false
}

// whyAbsent returns why there are no data of the table with this schema.
func whyAbsent(s *scope, schema string) string {
	for _, d := range s.Documents {
		for _, t := range d.Tables {
			if t.Schema == schema && t.Refused != "" {
				return fmt.Sprintf("table %s cannot be read: %s", schema, t.Refused)
			}
			if t.Schema == schema && t.Rows > 0 && t.Rejected == t.Rows {
				return fmt.Sprintf("all %d rows of table %s are invalid: %s", t.Rows, schema, t.Problems[0])
			}
		}
	}
	if !s.Has(schema) {
		switch {
		case schema == tableCounters && settingOf(s, "Counter Set") == "(null)":
			return "no Counter Set was chosen in the recording's settings"
		case s.Failed[schema] != "":
			return "xctrace could not export it: " + s.Failed[schema]
		case s.Run == nil:
			return fmt.Sprintf(
				"table %s is not among the inputs, and there is no table of contents to show whether it was recorded",
				schema)
		case s.Run.Table(schema):
			return fmt.Sprintf("table %s was recorded but is not among the inputs: "+
				"xctrace export --input X.trace --xpath '/trace-toc/run[@number=\"%d\"]/data/table[@schema=\"%s\"]'",
				schema, s.Run.Number, schema)
		}
		return fmt.Sprintf("table %s was not recorded with the template %s: use Metal System Trace", schema,
			s.Run.Template)
	}
	why := fmt.Sprintf("table %s has no rows", schema)
	switch schema {
	case tableShaders:
		if setting := settingOf(s, "Shader Timeline"); setting != "" && setting != "Enabled" {
			return why + ": Shader Timeline is " + setting + " in the recording's settings; enable it in a saved " +
				"template"
		}
		return why + ": it needs Shader Timeline, which xctrace's own template leaves off"
	case tableCounters:
		if setting := settingOf(s, "Counter Set"); setting == "(null)" {
			return why + ": no Counter Set was chosen in the recording's settings"
		}
	case tableGPU, tableSubmissions:
		return why + ": " + attachHint(s)
	}
	return why
}

// settingOf returns a setting of the recording from the table of contents. If that lacks the setting of Shader
// Timeline, the bundle's template has it under an older name.
func settingOf(s *scope, key string) string {
	if s.Run != nil {
		if value := s.Run.Setting(key); value != "" {
			return value
		}
	}
	for _, x := range s.Template {
		if key == "Shader Timeline" && strings.Contains(strings.ToLower(x.Key), "shaderprofiler") {
			return map[string]string{"true": "Enabled", "1": "Enabled", "false": "Disabled", "0": "Disabled"}[x.Value]
		}
	}
	return ""
}

// attachHint returns, for the user, a possible reason why the program has no rows about Metal.
func attachHint(s *scope) string {
	if s.Run != nil && s.Run.Target.Type == "attached" {
		return "the recording was attached to a running process, where Metal often does not report; " +
			"launch the program with xctrace record --launch"
	}
	return "the program made no Metal calls while recording, or the recording failed"
}

// whoseRows returns the processes to which the GPU rows belong, as text. It is used if no GPU row belongs to the
// processes that the summary is about.
func whoseRows(s *scope, g *GPU) string {
	if g.OtherProcessShare == 0 {
		return "no row names its process: --all summarises these rows"
	}
	return "all of other processes: " + attachHint(s)
}
