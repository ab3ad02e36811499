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

// captureOptions request Metal's own capture of a part of the run.
type captureOptions struct {
	of    string // scope:NAME or mark:NAME; empty is none
	limit time.Duration
	out   string // how the paths of documents begin
}

const (
	scopePrefix     = "scope:"
	usualCapture    = 10 * time.Second
	captureDocument = ".gputrace"
)

func (o *captureOptions) flags(flags *pflag.FlagSet) {
	flags.StringVar(&o.of, "gputrace", "", "have Metal capture the first scope `scope:NAME`, or from mark:NAME to the "+
		"next, as a document for Xcode, TRACE-PID.gputrace. It slows the program down")
	flags.DurationVar(&o.limit, "gputrace-limit", usualCapture, "end Metal's capture after this `TIME` at the latest")
}

// check returns an error for invalid options, and names the documents after the trace, or after the program.
func (o *captureOptions) check(trace string, command []string) error {
	if o.of == "" {
		return nil
	}
	kind, name, found := strings.Cut(o.of, ":")
	if !found || name == "" || kind+":" != scopePrefix && kind+":" != markPrefix {
		return cli.UsageError("--gputrace is scope:NAME or mark:NAME, for a name that the program passes to mtrace_scope_begin or "+
			"mtrace_mark, not %q", o.of)
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

// environment returns the settings for the library and for Metal.
func (o *captureOptions) environment() []string {
	if o.of == "" {
		return nil
	}
	return []string{"MTRACE_GPUTRACE=" + o.of, "MTRACE_GPUTRACE_OUT=" + o.out, "MTRACE_GPUTRACE_LIMIT_MS=" +
		strconv.FormatInt(o.limit.Milliseconds(), 10), "MTL_CAPTURE_ENABLED=1"}
}

// result returns a line about the capture in the program or its children; empty if no capture was requested.
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
		return fmt.Sprintf("Metal captured nothing of %s: it must begin, and end, after the program's first queue was "+
			"created; see the report's warnings", o.of)
	}
	return fmt.Sprintf("Metal's capture of %s is in %s: open it with Xcode", o.of, strings.Join(made, ", "))
}

// escapeGlob escapes a path so that a glob pattern matches it literally.
func escapeGlob(path string) string {
	return strings.NewReplacer("\\", "\\\\", "*", "\\*", "?", "\\?", "[", "\\[").Replace(path)
}
