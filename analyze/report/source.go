package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mtrace/analyze"
)

func (r *Report) source(t *analyze.Trace) {
	s := t.Source
	r.Source = Source{Kind: s.Kind, Path: s.Path, Program: s.Program, Args: append([]string{}, s.Args...), Host: s.Host, OS: s.OS, Device: s.Device,
		SoftwareMetal: s.SoftwareMetal, Started: s.Started, WallNS: int64(s.Wall), WindowNS: int64(t.Window.Length()), Truncated: s.Truncated}
	r.Source.PIDs = []int{}
	for _, p := range t.Processes { // those that used Metal
		if slices.ContainsFunc(t.Threads, func(th *analyze.Thread) bool { return th.Process == p }) {
			r.Source.PIDs = append(r.Source.PIDs, p.ID)
		}
	}
}

// Source is where the trace comes from.
type Source struct {
	Kind          string    `json:"kind"`
	Path          string    `json:"path"`
	Program       string    `json:"program"`
	Args          []string  `json:"args"`
	PIDs          []int     `json:"pids"` // of the processes that used Metal
	Host          string    `json:"host"`
	OS            string    `json:"os"`
	Device        string    `json:"device"`
	SoftwareMetal bool      `json:"software_metal"`
	Started       time.Time `json:"started"`
	WallNS        int64     `json:"wall_ns"`
	WindowNS      int64     `json:"window_ns"`
	Truncated     bool      `json:"truncated"`
}

func (r *Report) writeSource(w io.Writer, style styler) {
	s := &r.Source
	what := s.Program
	if len(s.Args) > 0 {
		what = strings.Join(s.Args, " ")
	}
	fmt.Fprintln(w, style.bold(cut(analyze.Printable(strings.Join(strings.Fields(what), " ")), width)))
	var parts []string
	for _, p := range []string{s.Device, s.OS, s.Host} {
		if p != "" {
			parts = append(parts, analyze.Printable(p))
		}
	}
	if !s.Started.IsZero() && s.Started.Unix() > 0 {
		parts = append(parts, s.Started.Format("2006-01-02 15:04:05"))
	}
	parts = append(parts, fmt.Sprintf("%v traced", analyze.Nanos(s.WindowNS)))
	if len(s.PIDs) > 1 {
		parts = append(parts, fmt.Sprintf("%d processes", len(s.PIDs)))
	}
	lost := r.Lost.Short()
	if r.Lost.Some() {
		lost = style.red(lost)
	}
	parts = append(parts, count(r.Events)+" calls, "+lost)
	if s := r.Coverage.Share; s != nil && *s < 1 {
		parts = append(parts, style.red(analyze.FormatShare(*s)+" OF COMMITS SEEN"))
	}
	wrapParts(w, parts, "", "")
	if s.SoftwareMetal {
		fmt.Fprintln(w, style.yellow("SOFTWARE METAL: these are the times of a software Metal, not of a GPU."))
	}
}
