package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector/relay"
	"mtrace/collector/tracefile"
)

// remoteOptions state the destination of a trace that is sent, and what happens if sending fails.
type remoteOptions struct {
	collector string        // its address; empty is here
	spool     cli.SizeValue // the most that waits on disk
	wait      time.Duration // for a collector that accepts no data, after the program has ended
}

func (o *remoteOptions) flags(flags *pflag.FlagSet) {
	o.spool = 4 << 30
	flags.StringVar(&o.collector, "collector", "",
		"send the trace to mtrace collect at `tcp://HOST:PORT` while it is recorded; data that cannot be sent waits on disk, and "+
			"becomes a local trace if the collector does not return")
	flags.Var(&o.spool, "collector-spool", "the maximum `SIZE` of the data on disk that waits for the collector; calls "+
		"beyond it are left out and counted")
	flags.DurationVar(&o.wait, "collector-wait", 10*time.Second,
		"after the program has ended, wait at most this `TIME` for a collector that accepts no data")
}

// A remoteTrace is a trace that is sent to another machine during the recording.
type remoteTrace struct {
	*relay.Sender
	remoteOptions
}

// newRemote prepares to send to `mtrace collect` at an address like tcp://HOST:PORT. name is the trace's name there. It
// does not check whether a collector answers: no program waits for that.
func newRemote(o remoteOptions, name string) (*remoteTrace, error) {
	network, target, err := relay.ParseAddress(o.collector)
	if err != nil {
		return nil, err
	}
	if network != "tcp" {
		return nil, fmt.Errorf("--collector %s: a collector of this machine needs no relay; give the program "+
			"MTRACE_SOCKET=%s, or --collector tcp://HOST:PORT", o.collector, target)
	}
	token := os.Getenv(tokenVariable)
	if token == "" {
		return nil, fmt.Errorf("--collector needs the token that mtrace collect has: set %s", tokenVariable)
	}
	sender, err := relay.NewSender(relay.SenderOptions{Address: target, Token: token, Name: name, Limit: int64(o.spool)})
	if err != nil {
		return nil, err
	}
	return &remoteTrace{sender, o}, nil
}

// create begins the trace of a session: in its file, or at the collector that the user named.
func (s *session) create(o RunOptions, info tracefile.Info) (err error) {
	switch {
	case o.remote.collector != "":
		if s.remote, err = newRemote(o.remote, s.base); err == nil {
			if s.writer, err = tracefile.NewWriter(s.remote, info); err != nil {
				s.remote.Discard()
			}
		}
	case o.Output != "":
		s.base = ""
		s.file, err = cli.BeginTrace(o.Output, o.Force)
	default:
		s.file, err = cli.BeginUnnamed(".", s.base)
	}
	if s.file != nil {
		s.path = s.file.Path
		if s.writer, err = tracefile.NewWriter(s.file, info); err != nil {
			s.file.Discard()
		}
	}
	var wrong cli.Status
	if errors.As(err, &wrong) {
		return err
	}
	if err != nil {
		return fmt.Errorf("cannot write the trace: %w", err)
	}
	return nil
}

// checkRemote returns an error for options that cannot be combined with a remote collector.
func (o *RunOptions) checkRemote() error {
	if o.remote.collector == "" {
		return nil
	}
	if o.Output != "" {
		return cli.UsageError("--collector and -o exclude each other: give one of them")
	}
	if o.view.JSON != "" || len(o.view.Sections) > 0 {
		return cli.UsageError("with --collector the trace is on another machine: run mtrace report there")
	}
	if _, _, err := relay.ParseAddress(o.remote.collector); err != nil {
		return cli.UsageError("--collector: %w", err)
	}
	if o.remote.wait < 0 {
		return cli.UsageError("--collector-wait %v: give a time of 0 or more", o.remote.wait)
	}
	o.NoReport = true
	return nil
}

// deliver waits until the collector has the trace of a program that has ended. If the collector does not accept it,
// deliver writes the trace locally and prints a line with its path and the reason. Traces that an earlier, killed
// mtrace left are sent or kept in the same way.
func (s *session) deliver(w io.Writer) {
	if s.remote == nil {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	slow := time.AfterFunc(time.Second, func() {
		if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			fmt.Fprintf(w, "mtrace: sending the rest of the trace to %s; interrupt to keep it as a local file\n",
				s.remote.collector)
		}
	})
	err := s.remote.Deliver(ctx, s.remote.wait)
	slow.Stop()
	if err != nil {
		err = s.keep(w, err)
	}
	if err != nil {
		fmt.Fprintf(w, "mtrace run: the trace could not be sent or written locally: %v; the next mtrace run --collector "+
			"makes a trace of %s\n", err, s.remote.Dir())
	} else {
		s.remote.Discard()
	}
	found, err := relay.Sweep()
	for _, r := range found {
		fmt.Fprintf(w, "mtrace run: the trace of %s, whose mtrace (process %d) was killed while it sent it to %s, is %s; "+
			"the collector may have a part of it too, "+
			"which is cut\n", r.Name, r.PID, r.Address, r.Path)
	}
	if err != nil {
		fmt.Fprintf(w, "mtrace run: the data that a killed mtrace left could not be read: %v\n", err)
	}
}

// keep writes a trace that the collector does not have into the current folder, or into the spools' folder if the
// former is not writable.
func (s *session) keep(w io.Writer, why error) error {
	s.base += "-" + strconv.Itoa(s.pid)
	file, err := cli.BeginUnnamed(".", s.base)
	if err != nil {
		file, err = cli.BeginUnnamed(filepath.Dir(s.remote.Dir()), s.base)
	}
	if err != nil {
		return err
	}
	elsewhere, err := s.remote.Save(file.File)
	if closed := file.Close(); err == nil {
		err = closed
	}
	if err != nil {
		file.Discard()
		return err
	}
	if s.path, err = file.FinishNumbered(s.base); err != nil {
		return err
	}
	fmt.Fprintf(w, "mtrace run: the trace is here, %s: %v\n", s.path, why)
	if elsewhere > 0 {
		fmt.Fprintf(w, "mtrace run: its first part, of %d bytes, is only at the collector, in a trace that is cut\n", elsewhere)
	}
	return nil
}

// tellWhere prints the place of a trace that is on another machine.
func (s *session) tellWhere(w io.Writer) {
	if s.remote != nil && s.remote.Path() != "" {
		fmt.Fprintf(w, "mtrace: the trace is %s on %s\n", s.remote.Path(), s.remote.collector)
	}
}
