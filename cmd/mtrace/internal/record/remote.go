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

// remoteOptions hold the flags for sending the trace to another machine.
type remoteOptions struct {
	collector string        // address of the remote collector; empty if the trace is written on this machine
	spool     cli.SizeValue // maximum size of the unsent data on disk
	wait      time.Duration // how long to wait, after the program has ended, for a collector that accepts no data
}

func (o *remoteOptions) flags(flags *pflag.FlagSet) {
	o.spool = 4 << 30
	flags.StringVar(&o.collector, "collector", "",
		"send the trace to mtrace collect at `tcp://HOST:PORT` while it is recorded; "+
			"unsent data waits on disk, and becomes a local trace if the collector stays away")
	flags.Var(&o.spool, "collector-spool", "keep at most this `SIZE` of unsent data on disk; "+
		"further calls are dropped and counted")
	flags.DurationVar(&o.wait, "collector-wait", 10*time.Second,
		"after the program has ended, wait at most this `TIME` for a collector that does not respond")
}

// A remoteTrace sends the trace to a collector on another machine while it is recorded.
type remoteTrace struct {
	*relay.Sender
	remoteOptions
}

// newRemote prepares sending the trace, under this name, to the collector in the options. It does not wait for a
// connection: the program must not start later because of it.
func newRemote(o remoteOptions, name string) (*remoteTrace, error) {
	network, target, err := relay.ParseAddress(o.collector)
	if err != nil {
		return nil, err
	}
	if network != "tcp" {
		return nil, fmt.Errorf("--collector %s: --collector sends to another machine, tcp://HOST:PORT; "+
			"for a collector of this machine, set MTRACE_SOCKET=%s for the program", o.collector, target)
	}
	token := os.Getenv(tokenVariable)
	if token == "" {
		return nil, fmt.Errorf(
			"--collector needs the token of mtrace collect on the other machine: set the variable %s", tokenVariable)
	}
	sender, err := relay.NewSender(relay.SenderOptions{Address: target, Token: token, Name: name, Limit: int64(o.spool)})
	if err != nil {
		return nil, err
	}
	return &remoteTrace{sender, o}, nil
}

// create begins the trace: at the remote collector if --collector is given, otherwise in a local file.
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

// checkRemote returns an error for flags that cannot be combined with --collector.
func (o *RunOptions) checkRemote() error {
	if o.remote.collector == "" {
		return nil
	}
	if o.Output != "" {
		return cli.UsageError("--collector and -o exclude each other: give one of them")
	}
	if o.view.JSON != "" || len(o.view.Sections) > 0 {
		return cli.UsageError("--json and --section do not work with --collector: the trace is on another machine; " +
			"run mtrace report there")
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

// deliver waits until the remote collector has the whole trace. If the collector does not take it, the trace is
// written to a local file, and a line says where and why. Unsent traces of earlier runs that were killed are handled
// in the same way.
func (s *session) deliver(w io.Writer) {
	if s.remote == nil {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	slow := time.AfterFunc(time.Second, func() {
		if file, ok := w.(*os.File); ok && term.IsTerminal(int(file.Fd())) {
			fmt.Fprintf(w, "mtrace: sending the rest of the trace to %s; "+
				"press Ctrl-C to write it to a local file instead\n",
				s.remote.collector)
		}
	})
	err := s.remote.Deliver(ctx, s.remote.wait)
	slow.Stop()
	if err != nil {
		err = s.keep(w, err)
	}
	if err != nil {
		fmt.Fprintf(w, "mtrace run: the trace could neither be sent nor written to a local file: %v; "+
			"its data stays in %s, and the next mtrace run --collector makes a trace of it\n", err, s.remote.Dir())
	} else {
		s.remote.Discard()
	}
	found, err := relay.Sweep()
	for _, r := range found {
		fmt.Fprintf(w, "mtrace run: an earlier mtrace (process %d) was killed while it sent the trace of %s to %s: "+
			"that trace is now %s; the collector may have its beginning, too\n", r.PID, r.Name, r.Address, r.Path)
	}
	if err != nil {
		fmt.Fprintf(w, "mtrace run: cannot read the unsent data of an earlier mtrace that was killed: %v\n", err)
	}
}

// keep writes an unsent trace to the current folder or, if that is not writable, to the folder for unsent data.
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
	fmt.Fprintf(w, "mtrace run: the trace was not sent completely, and is now in %s: %v\n", s.path, why)
	if elsewhere > 0 {
		fmt.Fprintf(w, "mtrace run: its first %d bytes are only at the collector, in a trace that is cut\n", elsewhere)
	}
	return nil
}

// tellWhere prints the path of a trace that was sent to another machine.
func (s *session) tellWhere(w io.Writer) {
	if s.remote != nil && s.remote.Path() != "" {
		fmt.Fprintf(w, "mtrace: the trace is %s on %s\n", s.remote.Path(), s.remote.collector)
	}
}
