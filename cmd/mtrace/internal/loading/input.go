package loading

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
	"mtrace/cmd/mtrace/internal/cli"
)

// A Selection holds the flags that select a part of a trace: a time range and processes.
type Selection struct {
	From, To time.Duration
	PIDs     []int
	Sources  []string // analyze.Options.SourceRoots
}

func (p *Selection) Flags(flags *pflag.FlagSet) {
	flags.DurationVar(&p.From, "from", 0, "read the trace from this `TIME` after its start, as 1.5s or 200ms")
	flags.DurationVar(&p.To, "to", 0, "read the trace up to this `TIME` after its start")
	flags.IntSliceVar(&p.PIDs, "pid", nil, "read only the processes with these `NUMBERS`")
	flags.StringSliceVar(&p.Sources, "source-root", nil,
		"treat code in these `FOLDERS` as the program's own and all other code as libraries; "+
			"operations and call sites are then lines of the program")
}

func (p *Selection) Check() error {
	if p.From < 0 || p.To < 0 || p.To > 0 && p.To <= p.From {
		return cli.UsageError("--from %v --to %v: both must be 0 or more, and --to later than --from", p.From, p.To)
	}
	return nil
}

// Instruments reports whether path is a recording of Instruments or its XML export. It decides by the file's name or,
// for a folder, by the names of the files in it.
func Instruments(path string) bool {
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

// Load reads the selected part of a trace or of a recording of Instruments. visit is called for each call of a trace;
// recordings have no calls. A selected time range without any event is an error: a report about it would look like a
// result.
func (p *Selection) Load(std cli.Stdio, path string, visit func(*analyze.VisitedCall)) (*analyze.Trace, error) {
	trace, err := p.read(std, path, visit)
	if err != nil || p.From == 0 && p.To == 0 || !trace.Empty() {
		return trace, err
	}
	asked := fmt.Sprintf("from %v on", p.From)
	if p.To > 0 {
		asked = fmt.Sprintf("from %v to %v", p.From, p.To)
	}
	length := ""
	if trace.Run.Length > 0 {
		length = fmt.Sprintf("; its calls are from 0s to %v", time.Duration(trace.Run.Length))
	}
	return nil, cli.UsageError("%s has no events %s%s", path, asked, length)
}

func (p *Selection) read(std cli.Stdio, path string, visit func(*analyze.VisitedCall)) (*analyze.Trace, error) {
	if !Instruments(path) {
		asked := p.Options()
		asked.Visit = showProgress(std, path, visit)
		return LoadTrace(path, asked)
	}
	recording, err := (&RecordingSource{}).Load(std, []string{path})
	if err != nil {
		return nil, err
	}
	return p.ModelOf(recording, path)
}

// Filter returns the selection in the form that recordings of Instruments need.
func (p *Selection) Filter() summary.Filter {
	filter := summary.Filter{From: analyze.Nanos(p.From), To: analyze.Nanos(p.To)}
	for _, pid := range p.PIDs {
		filter.PIDs = append(filter.PIDs, uint64(pid))
	}
	return filter
}

// ModelOf builds the trace model of a recording of Instruments. A recording without Metal data is an error: an empty
// report would look like a result.
func (p *Selection) ModelOf(recording *xctrace.Recording, path string) (*analyze.Trace, error) {
	trace, err := summary.Trace(recording, p.Filter())
	if err != nil {
		return nil, cli.UsageError("reading %s: %w", path, err)
	}
	if len(trace.CommandBuffers)+len(trace.Compilations)+len(trace.Memory.Allocations) > 0 {
		return trace, nil
	}
	return nil, cli.UsageError("%s has no Metal data%s: "+
		"mtrace xctrace summarises its tables, mtrace export --table NAME writes the rows of one%s",
		path, whoseTables(trace, recording), cpuHint(recording))
}

// whoseTables returns a text for the error of a recording without Metal data. It lists the recording's tables and, if
// their rows belong to other processes, says so.
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
	if len(recording.CPU.Samples) == 0 {
		return ""
	}
	return ", and mtrace pprof writes its CPU samples"
}

// Options returns the selection as options of analyze. Relative source folders are made absolute.
func (p *Selection) Options() analyze.Options {
	var roots []string
	for _, root := range p.Sources {
		if absolute, err := filepath.Abs(root); err == nil {
			root = absolute
		}
		roots = append(roots, root)
	}
	return analyze.Options{From: analyze.Nanos(p.From), To: analyze.Nanos(p.To), PIDs: p.PIDs, SourceRoots: roots}
}

// showProgress returns visit, extended to print on a terminal how many calls were read.
func showProgress(std cli.Stdio, path string, visit func(*analyze.VisitedCall)) func(*analyze.VisitedCall) {
	if visit == nil || !term.IsTerminal(int(std.Err.Fd())) {
		return visit
	}
	count, shown := 0, time.Now()
	return func(c *analyze.VisitedCall) {
		visit(c)
		if count++; count&0xffff == 0 && time.Since(shown) > 200*time.Millisecond {
			shown = time.Now()
			fmt.Fprintf(std.Err, "\r\x1b[K%s: %d million calls\r", analyze.Printable(filepath.Base(path)), count/1e6)
		}
	}
}
