package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"mtrace/analyze"
	"mtrace/analyze/hang"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/tracefile"
)

func TailCommand() cli.Command {
	return cli.Command{
		Name:    "tail",
		Summary: "Stream a trace while it is recorded, one JSON object per line, until it ends",
		Usage:   "FILE",
		Example: "mtrace tail train.mtrace | jq -c 'select(.record.call == \"commit\")'   " +
			"# while mtrace run -o train.mtrace is at work",
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) != 1 {
					return cli.UsageError("give one trace, not %d: mtrace tail FILE", len(args))
				}
				return tail(std, args[0])
			}
		},
	}
}

// tailPause is how often the trace is read for new data. The recorder writes new data to the file once a second.
const tailPause = 200 * time.Millisecond

// tailPatience is how long a trace that no recorder has marked as open may stay unchanged before it counts as ended.
// Another program may be copying it, slowly.
const tailPatience = 2 * time.Second

// tail prints a trace as JSON lines, and then what is added, until the recording ends or the user interrupts.
func tail(std cli.Stdio, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// os.Open on a pipe would block until another process opens it for writing
		return cli.UsageError("%s is not a regular file, and cannot be followed", path)
	}
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if unfinished, partErr := os.Open(path + cli.PartSuffix); partErr == nil {
			file, err = unfinished, nil
		}
	}
	if err != nil {
		return cli.AsStatus(err)
	}
	defer file.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	follower := tracefile.Follow(file, analyze.SafeJSON(std.Out))
	tick := time.NewTicker(tailPause)
	defer tick.Stop()
	var size int64
	grown := time.Now()
	look := &tailHang{path: file.Name(), looked: time.Now(), out: std.Err}
	for {
		// call IsWritten before reading the size: in the other order, data written between the two calls would be
		// missed
		written := tracefile.IsWritten(file)
		info, err := file.Stat()
		if err != nil {
			return cli.AsStatus(err)
		}
		ended, err := follower.Next(info.Size())
		if err != nil {
			return cli.UsageError("following %s: %w", path, err)
		}
		if ended {
			return nil
		}
		if info.Size() != size {
			size, grown = info.Size(), time.Now()
		}
		if !written && time.Since(grown) > tailPatience {
			return cli.UsageError("%s ends here: it is incomplete, and no process writes to it any more", file.Name())
		}
		look.next(time.Now(), info.Size())
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}

const (
	// tailHangPause is the interval at which a followed trace is checked for a hang.
	tailHangPause = 2 * time.Second
	// tailQuiet is how many bytes a trace may grow in tailHangPause and still be checked for a hang. A trace that
	// grows more belongs to a busy program.
	tailQuiet = 64 << 10
)

// A tailHang prints once on standard error where the programs of a followed trace are stuck. Standard output has only
// the trace.
type tailHang struct {
	path   string
	looked time.Time
	size   int64
	told   bool
	out    io.Writer
}

// next checks every two seconds for a hang, but only if the trace hardly grew since the previous check: a program
// that records much makes progress.
func (h *tailHang) next(now time.Time, size int64) {
	if now.Sub(h.looked) < tailHangPause {
		return
	}
	quiet := size-h.size < tailQuiet
	h.looked, h.size = now, size
	if !quiet {
		h.told = false
		return
	}
	if h.told {
		return
	}
	f, err := analyze.Open(h.path)
	if err != nil {
		return // the trace has too little data yet
	}
	defer f.Close()
	if d, err := hang.Of(f, nil, hang.Options{Now: true}); err == nil && len(d.Hangs) > 0 {
		fmt.Fprint(h.out, hangText(d))
		h.told = true
	}
}
