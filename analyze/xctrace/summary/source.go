package summary

import (
	"fmt"
	"slices"
	"strings"
)

// sourceOf returns how and of what the recording was made, from the table of contents.
func sourceOf(s *scope) Source {
	out := Source{Kind: "xctrace", GPU: s.GPU.Name, Truncated: s.Truncated()}
	for _, d := range s.Documents {
		out.Files = append(out.Files, d.Name)
		out.Bytes += d.Bytes
	}
	for _, x := range s.Template {
		out.Settings = append(out.Settings, Setting{"template: " + x.Key, x.Value})
	}
	if s.Run == nil {
		return out
	}
	run := s.Run
	out.Device = strings.TrimSpace(run.Device.Model)
	out.OS = strings.TrimSpace(run.Device.Platform + " " + run.Device.OS)
	out.Instruments, out.Template, out.EndReason = run.Version, run.Template, run.EndReason
	out.DurationNS = Nanos(run.Duration)
	if !run.Started.IsZero() {
		out.Started = &run.Started
	}
	switch {
	case run.Target.All:
		out.TargetType = "all"
	case run.Target.Name != "":
		out.Target = fmt.Sprintf("%s (%d)", run.Target.Name, run.Target.PID)
		out.TargetType = run.Target.Type
	}
	for _, x := range run.Settings {
		out.Settings = append(out.Settings, Setting{x.Key, x.Value})
	}
	return out
}

// subjectOf returns the processes that the summary is about, and why these.
func subjectOf(s *scope) Subject {
	out := Subject{PIDs: []uint64{}, Why: s.why}
	for pid := range s.pids {
		out.PIDs = append(out.PIDs, pid)
	}
	slices.Sort(out.PIDs)
	return out
}
