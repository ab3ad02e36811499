package loading

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/analyze/xctrace"
	"mtrace/analyze/xctrace/bundle"
	"mtrace/cmd/mtrace/internal/cli"
)

// A RecordingSource selects what is read from a recording of Instruments.
type RecordingSource struct {
	Run      int // number of the run within a bundle; 0 is the first
	From, To time.Duration
}

// Load reads a recording of Instruments. SIGINT and SIGTERM stop it after removing its temporary files.
func (v *RecordingSource) Load(std cli.Stdio, paths []string) (*xctrace.Recording, error) {
	inputs, bundles, err := xctrace.Inputs(paths, std.In)
	if err != nil {
		return nil, err
	}
	if v.Run > 0 && len(bundles) == 0 {
		return nil, cli.UsageError("--run works only with .trace bundles: an export has only one run")
	}
	ctx := context.Background()
	if len(bundles) > 0 {
		// only the export of a bundle creates temporary files. Without them, signals may end the process as usual
		var stop func()
		ctx, stop = signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
		defer stop()
	}
	show := ProgressOn(std.Err)
	progress := func(name string, read, size int64) error {
		show(name, read, size)
		return ctx.Err()
	}
	recording := xctrace.NewRecording()
	recording.From, recording.To = analyze.Nanos(v.From), analyze.Nanos(v.To)
	for i := range inputs {
		if err == nil {
			err = recording.Add(&inputs[i], progress)
		}
	}
	for _, b := range bundles {
		if err == nil {
			beside := len(inputs) > 0 && !slices.Contains(paths, b.Path)
			err = v.loadBundle(ctx, std, recording, b.Path, beside, progress)
		}
	}
	if ctx.Err() != nil {
		return nil, cli.Status{Code: exitInterrupted, Err: errors.New("interrupted")}
	}
	if err != nil {
		return nil, err
	}
	recording.Finish()
	return recording, nil
}

// exitInterrupted is the exit status after SIGINT, as shells report it.
const exitInterrupted = 128 + int(syscall.SIGINT)

// loadBundle exports the tables of a .trace bundle with xctrace, and reads them. If xctrace is missing and the bundle
// lies next to exports (beside), the bundle is skipped with a message.
func (v *RecordingSource) loadBundle(ctx context.Context, std cli.Stdio, recording *xctrace.Recording, path string,
	beside bool, progress xctrace.Progress) error {
	tool, err := InstrumentsTool(std)
	if err != nil && beside {
		cli.PrintLine(std.Err, "mtrace: only the exports in the folder are read, not the bundle %s: %v", path, err)
		return nil
	}
	if err != nil {
		return err
	}
	failed, err := tool.Export(ctx, path, v.Run, func(in xctrace.Input) error { return recording.Add(&in, progress) })
	for _, f := range failed {
		cli.PrintLine(std.Err, "mtrace: table %s: %v", f.Schema, f.Err)
		recording.Failed[f.Schema] = f.Err.Error()
	}
	if settings, err := bundle.Settings(path); err == nil {
		for _, s := range settings {
			recording.Template = append(recording.Template, xctrace.Setting{Key: s.Key, Value: s.Value})
		}
	}
	return err
}

// InstrumentsTool finds xctrace, Instruments' command line tool. It prints its messages to standard error.
func InstrumentsTool(std cli.Stdio) (*bundle.Tool, error) {
	tool, err := bundle.Find()
	if err != nil {
		return nil, err
	}
	tool.Say = func(format string, args ...any) { fmt.Fprintf(std.Err, "mtrace: "+format+"\n", args...) }
	if term.IsTerminal(int(std.Err.Fd())) {
		tool.Progress = tool.Say
	}
	return tool, nil
}

// Are returns the subject of a message about incomplete files: "x is", or "x and 2 more are".
func Are(names []string) string {
	if len(names) == 1 {
		return names[0] + " is"
	}
	return fmt.Sprintf("%s and %d more are", names[0], len(names)-1)
}

// ProgressOn returns a function that prints how much of a file was read. It prints nothing if f is no terminal.
func ProgressOn(f *os.File) func(name string, read, size int64) {
	if !term.IsTerminal(int(f.Fd())) {
		return func(string, int64, int64) {}
	}
	var shown time.Time
	return func(name string, read, size int64) {
		now := time.Now()
		done := size > 0 && read >= size
		if now.Sub(shown) < 200*time.Millisecond && !(done && !shown.IsZero()) {
			return
		}
		shown = now
		text := fmt.Sprintf("reading %s: %s", filepath.Base(name), analyze.FormatBytes(uint64(read)))
		if size > 0 {
			text = fmt.Sprintf("%s %s", cli.Bar(read, size), filepath.Base(name))
		}
		if done {
			text = "" // the line is cleared
		}
		fmt.Fprintf(f, "\r\x1b[K%s", text)
	}
}
