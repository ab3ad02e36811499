package record

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
)

// captureOptions hold the flags with which Metal's own capture (a .gputrace document for Xcode) is requested for a
// part of the run.
type captureOptions struct {
	of    string // what to capture: scope:NAME or mark:NAME; empty means nothing
	limit time.Duration
	out   string // how the paths of documents begin
}

const (
	scopePrefix     = "scope:"
	usualCapture    = 10 * time.Second
	captureDocument = ".gputrace"
)

func (o *captureOptions) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.of, "gputrace", "",
		"have Metal capture the first scope `scope:NAME` into TRACE-PID.gputrace for Xcode; "+
			"mark:NAME captures from this mark to its next occurrence. This slows the program down")
	flags.DurationVar(&o.limit, "gputrace-limit", usualCapture,
		"end the capture of --gputrace after at most this `TIME`")
}

// check validates the flags. It also sets how paths of captured documents begin: like the trace's, or with the
// program's name.
func (o *captureOptions) check(trace string, command []string) error {
	if o.of == "" {
		return nil
	}
	kind, name, found := strings.Cut(o.of, ":")
	if !found || name == "" || kind+":" != scopePrefix && kind+":" != markPrefix {
		return cli.UsageError("--gputrace must be scope:NAME or mark:NAME, not %[1]q: "+
			"NAME is what the program passes to mtrace_scope_begin or mtrace_mark", o.of)
	}
	if o.limit < time.Millisecond {
		return cli.UsageError("--gputrace-limit must be a millisecond or more, not %v", o.limit)
	}
	if o.out = strings.TrimSuffix(trace, filepath.Ext(trace)); trace == "" {
		o.out = filepath.Base(command[0])
	}
	out, err := filepath.Abs(o.out)
	o.out = out
	return err
}

// environment returns the variables that request the capture: the injected library's, and Metal's own.
func (o *captureOptions) environment() []string {
	if o.of == "" {
		return nil
	}
	return []string{"MTRACE_GPUTRACE=" + o.of, "MTRACE_GPUTRACE_OUT=" + o.out, "MTRACE_GPUTRACE_LIMIT_MS=" +
		strconv.FormatInt(o.limit.Milliseconds(), 10), "MTL_CAPTURE_ENABLED=1"}
}

// result returns the line to print about the capture: the documents written since the given time, or why there
// may be none. It is empty if no capture was requested.
func (o *captureOptions) result(since time.Time) string {
	if o.of == "" {
		return ""
	}
	var made []string
	found, _ := filepath.Glob(escapeGlob(o.out) + "-*" + captureDocument)
	for _, path := range found {
		if info, err := os.Stat(path); err == nil && !info.ModTime().Before(since) {
			made = append(made, path)
		}
	}
	if len(made) == 0 {
		return fmt.Sprintf("Metal captured nothing: "+
			"%s did not occur, or began before the program created its first queue; see the report's warnings", o.of)
	}
	return fmt.Sprintf("Metal captured %s in %s: open it with Xcode", o.of, strings.Join(made, ", "))
}

// escapeGlob returns a glob pattern that matches exactly this path.
func escapeGlob(path string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(path)
}
