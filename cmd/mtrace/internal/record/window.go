package record

import (
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/pflag"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
)

// windowOptions hold the flags that choose which time ranges of the run the trace keeps.
type windowOptions struct {
	startAfter, duration, last time.Duration
	startOn, stopOn            string // mark:NAME; startOn also signal
	maxSize                    cli.SizeValue
	asked                      string // these flags as the user wrote them
}

const (
	markPrefix = "mark:"
	onSignal   = "signal"
)

func (o *windowOptions) flags(flags *pflag.FlagSet) {
	flags.DurationVar(&o.startAfter, "start-after", 0, "drop the first `TIME` of the run")
	flags.DurationVar(&o.duration, "duration", 0, "stop recording after this `TIME`")
	flags.StringVar(&o.startOn, "start-on", "",
		"start recording when the program sets the mark `mark:NAME`; "+
			"signal: at a SIGUSR1. Each SIGUSR1 to mtrace pauses or resumes")
	flags.StringVar(&o.stopOn, "stop-on", "",
		"pause recording when the program sets the mark `mark:NAME`, until --start-on applies again")
	flags.DurationVar(&o.last, "last", 0, "keep only the last `TIME` of the run, as a flight recorder does")
	flags.Var(&o.maxSize, "max-size", "stop recording when the trace has about this `SIZE` (default: no limit); "+
		"with --last, keep at most this much (default 256M)")
}

// check validates the flags and collects their text for the trace's header.
func (o *windowOptions) check() error {
	set := 0
	for _, f := range []struct {
		name  string
		given bool
		is    string
	}{
		{"--start-after", o.startAfter != 0, o.startAfter.String()}, {"--duration", o.duration != 0, o.duration.String()},
		{"--start-on", o.startOn != "", o.startOn},
		{"--stop-on", o.stopOn != "", o.stopOn}, {"--last", o.last != 0, o.last.String()},
	} {
		if !f.given {
			continue
		}
		set++
		o.asked = strings.TrimSpace(o.asked + " " + f.name + " " + f.is)
	}
	for name, d := range map[string]time.Duration{"--start-after": o.startAfter, "--duration": o.duration,
		"--last": o.last} {
		if d < 0 {
			return cli.UsageError("%s must not be negative, but is %v", name, d)
		}
	}
	if strings.TrimPrefix(o.startOn, markPrefix) == "" && o.startOn != "" || o.startOn != "" && o.startOn != onSignal &&
		!strings.HasPrefix(o.startOn, markPrefix) {
		return cli.UsageError(
			"--start-on must be signal, or mark:NAME with a name that the program passes to mtrace_mark, not %q",
			o.startOn)
	}
	if o.stopOn != "" && (!strings.HasPrefix(o.stopOn, markPrefix) || o.stopOn == markPrefix) {
		return cli.UsageError("--stop-on must be mark:NAME, with a name that the program passes to mtrace_mark, not %q",
			o.stopOn)
	}
	switch {
	case o.last > 0 && set > 1:
		return cli.UsageError("--last keeps the end of the run, and can be combined only with --max-size")
	case o.startAfter > 0 && o.startOn != "":
		return cli.UsageError("--start-after and --start-on exclude each other: give one of them")
	}
	return nil
}

// window returns the collector's filter that keeps only the requested time ranges.
func (o *windowOptions) window() *collector.Window {
	w := &collector.Window{Duration: o.duration, Last: o.last, MostSize: int64(o.maxSize),
		StopOn: strings.TrimPrefix(o.stopOn, markPrefix),
		Closed: o.startAfter > 0 || o.startOn != ""}
	if o.startOn != onSignal {
		w.StartOn = strings.TrimPrefix(o.startOn, markPrefix)
	}
	return w
}

// less returns the flags as text if they exclude the beginning of the run from the trace. Otherwise it returns an
// empty text.
func (o *windowOptions) less() string {
	if o.startAfter > 0 || o.startOn != "" || o.last > 0 {
		return o.asked
	}
	return ""
}

// follow starts and stops the recording of a running program as --start-after and SIGUSR1 demand, until stop is
// called.
func (o *windowOptions) follow(w *collector.Window) (stop func()) {
	if o.startAfter > 0 {
		w.OpenAfter(o.startAfter, "--start-after "+o.startAfter.String())
	}
	if signal.Ignored(syscall.SIGUSR1) { // the program shall inherit the ignored signal
		return func() {}
	}
	toggles := make(chan os.Signal, 8)
	signal.Notify(toggles, syscall.SIGUSR1)
	over := make(chan struct{})
	go func() {
		for {
			select {
			case <-toggles:
				w.Toggle("SIGUSR1")
			case <-over:
				return
			}
		}
	}()
	// do not remove the signal handler here: a late SIGUSR1 would kill mtrace while it prints the report
	return func() { close(over) }
}
