package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/summary"
)

// part is the part of a trace that commands look at.
type part struct {
	from, to time.Duration
	pids     []int
}

func (p *part) flags(flags *pflag.FlagSet) {
	flags.DurationVar(&p.from, "from", 0, "look at the trace from this `TIME` after its start on, as 1.5s or 200ms")
	flags.DurationVar(&p.to, "to", 0, "look at the trace up to this `TIME` after its start")
	flags.IntSliceVar(&p.pids, "pid", nil, "look at these processes only, by their `NUMBER`")
}

func (p *part) check() error {
	if p.from < 0 || p.to < 0 || p.to > 0 && p.to <= p.from {
		return usageError("--from %v --to %v is no range of time", p.from, p.to)
	}
	return nil
}

// instruments says whether a path is what Instruments recorded, or its export: by its name, a folder by what is in it.
// What else is packed in a folder is no export, nor is an archive beside traces of ours.
func instruments(path string) bool {
	ends := func(name string, with ...string) bool {
		return slices.Contains(with, strings.ToLower(filepath.Ext(name)))
	}
	if info, err := os.Stat(path); err == nil && info.IsDir() && filepath.Ext(path) != ".trace" {
		entries, err := os.ReadDir(path)
		has := func(is func(name string) bool) bool {
			return err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return is(e.Name()) })
		}
		return has(func(name string) bool { return xctrace.IsExport(name) || ends(name, ".trace") }) ||
			has(func(name string) bool { return ends(name, ".zip") }) &&
				!has(func(name string) bool { return ends(name, ".mtrace") })
	}
	return path == "-" || ends(path, ".xml", ".trace", ".gz", ".zst", ".xz", ".bz2", ".zip")
}

// load loads a trace of ours or a recording of Instruments. Visit gets the calls of ours; a recording has none. A range
// in which nothing happened is an error: what is reported of nothing would read like a verdict.
func (p *part) load(std stdio, path string, visit func(*analyze.VisitedCall)) (*analyze.Trace, error) {
	trace, err := p.read(std, path, visit)
	if err != nil || p.from == 0 && p.to == 0 || !trace.Empty() {
		return trace, err
	}
	asked := fmt.Sprintf("from %v on", p.from)
	if p.to > 0 {
		asked = fmt.Sprintf("from %v to %v", p.from, p.to)
	}
	length := ""
	if trace.Run.Length > 0 {
		length = fmt.Sprintf("; its calls are from 0s to %v", time.Duration(trace.Run.Length))
	}
	return nil, usageError("reading %s: nothing happened %s%s", path, asked, length)
}

func (p *part) read(std stdio, path string, visit func(*analyze.VisitedCall)) (*analyze.Trace, error) {
	if !instruments(path) {
		asked := p.options()
		asked.Visit = showProgress(std, path, visit)
		return loadTrace(path, asked)
	}
	recording, err := (&recordingSource{}).load(std, []string{path})
	if err != nil {
		return nil, err
	}
	return p.modelOf(recording, path)
}

// filter is the part of a recording of Instruments.
func (p *part) filter() summary.Filter {
	filter := summary.Filter{From: analyze.Nanos(p.from), To: analyze.Nanos(p.to)}
	for _, pid := range p.pids {
		filter.PIDs = append(filter.PIDs, uint64(pid))
	}
	return filter
}

// modelOf is the model of a recording. One that has nothing of Metal is an error: an empty report, or a file without
// rows, would read like an answer.
func (p *part) modelOf(recording *xctrace.Recording, path string) (*analyze.Trace, error) {
	trace, err := summary.Trace(recording, p.filter())
	if err != nil {
		return nil, usageError("reading %s: %w", path, err)
	}
	if len(trace.CommandBuffers)+len(trace.Compilations)+len(trace.Memory.Allocations) > 0 {
		return trace, nil
	}
	return nil, usageError("%s has no table of Metal%s: mtrace xctrace lists its tables, mtrace export --table "+
		"NAME writes the rows of a table%s",
		path, whoseTables(trace, recording), cpuHint(recording))
}

// whoseTables lists the tables of a recording, and what is wrong with its target.
func whoseTables(trace *analyze.Trace, recording *xctrace.Recording) string {
	var names []string
	for _, d := range recording.Documents {
		for _, t := range d.Tables {
			names = append(names, fmt.Sprintf("%s with %d rows", t.Name(), t.Rows))
		}
	}
	text := ""
	if len(names) > 0 {
		text = " (" + strings.Join(names[:min(len(names), 5)], ", ") + ")"
	}
	for _, w := range trace.Warnings {
		if strings.Contains(w, "no row is of it") {
			text += "; " + w
		}
	}
	return text
}

func cpuHint(recording *xctrace.Recording) string {
	if len(recording.Samples) == 0 {
		return ""
	}
	return ", and mtrace pprof its CPU samples"
}

// options are those for loading the part.
func (p *part) options() analyze.Options {
	return analyze.Options{From: analyze.Nanos(p.from), To: analyze.Nanos(p.to), PIDs: p.pids}
}

// showSteps tells how far the reading of what is requested of a long trace is, how fast it is and how long it will
// still take, on a terminal; elsewhere it says nothing.
func showSteps(std stdio, path string, file *analyze.File, asked analyze.Options) func(done, of int) {
	if !term.IsTerminal(int(std.err.Fd())) {
		return func(int, int) {}
	}
	records := float64(min(file.Records(), profiledRecords*int64(len(file.Parts(asked, profiledRecords)))))
	began, shown := time.Now(), time.Time{}
	return func(done, of int) {
		took := time.Since(began)
		switch {
		case done == of:
			fmt.Fprint(std.err, "\r\x1b[K")
		case time.Since(shown) > 200*time.Millisecond:
			shown = time.Now()
			left := took / time.Duration(done) * time.Duration(of-done)
			rate := records * float64(done) / float64(of) / took.Seconds()
			fmt.Fprintf(std.err, "\r\x1b[K%s %s, %.1f million records/s, %v left\r", bar(done, of),
				analyze.Printable(filepath.Base(path)), rate/1e6, left.Round(time.Second))
		}
	}
}

// showProgress makes a visit also tell how far it is, on a terminal.
func showProgress(std stdio, path string, visit func(*analyze.VisitedCall)) func(*analyze.VisitedCall) {
	if visit == nil || !term.IsTerminal(int(std.err.Fd())) {
		return visit
	}
	count, shown := 0, time.Now()
	return func(c *analyze.VisitedCall) {
		visit(c)
		if count++; count&0xffff == 0 && time.Since(shown) > 200*time.Millisecond {
			shown = time.Now()
			fmt.Fprintf(std.err, "\r\x1b[K%s: %d million calls\r", analyze.Printable(filepath.Base(path)), count/1e6)
		}
	}
}
