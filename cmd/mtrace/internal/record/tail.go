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
		Example: "mtrace tail train.mtrace | jq -c 'select(.record.call == \"commit\")'   # while mtrace run -o " +
			"train.mtrace is at work",
		Setup: func(*pflag.FlagSet) func(cli.Stdio, []string) error {
			return func(std cli.Stdio, args []string) error {
				if len(args) != 1 {
					return cli.UsageError("takes one trace, but got %d: mtrace tail FILE", len(args))
				}
				return tail(std, args[0])
			}
		},
	}
}

// tailPause is the interval at which new data is read; the recorder flushes the trace to the system once a second.
const tailPause = 200 * time.Millisecond

// tailPatience is how long a trace that is not marked by a running recorder may stay unchanged before it counts as
// ended: another program may be copying it.
const tailPatience = 2 * time.Second

// tail writes a trace's content, and what is added, until it ends or the user interrupts.
func tail(std cli.Stdio, path string) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		// opening a pipe waits for the process that writes into it
		return cli.UsageError("%s is not a file that can be followed", path)
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
		// checked before the size is read; otherwise its last blocks could be missed
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
			return cli.UsageError("%s is cut, and no process writes to it any more: this is its end", file.Name())
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
	// tailQuiet is a growth in bytes per tailHangPause: a trace that grows faster is not checked for a hang, because a
	// program in it makes progress.
	tailQuiet = 64 << 10
)

// A tailHang reports on standard error, once, where the programs of a followed trace are stuck. The message is not part
// of the trace's output.
type tailHang struct {
	path   string
	looked time.Time
	size   int64
	told   bool
	out    io.Writer
}

// next checks for a hang if a check is due and the trace hardly grows.
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
		return // it is not whole enough yet
	}
	defer f.Close()
	if d, err := hang.Of(f, nil, hang.Options{Now: true}); err == nil && len(d.Hangs) > 0 {
		fmt.Fprint(h.out, hangText(d))
		h.told = true
	}
}
