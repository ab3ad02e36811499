package record

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"runtime"
	"sync"
	"syscall"
	"time"

	"github.com/rs/zerolog"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
	"mtrace/collector/relay"
	"mtrace/collector/tracefile"
)

// tokenVariable is the environment variable with the shared secret. It must have the same value for `mtrace collect`
// and for each `mtrace run --collector` that sends to it.
const tokenVariable = "MTRACE_TOKEN"

func CollectCommand() cli.Command {
	return cli.Command{
		Name:    "collect",
		Summary: "Collect traces of many processes or machines, until interrupted",
		Usage:   "[flags] --listen unix:PATH|tcp://HOST:PORT -o DIR",
		Example: "MTRACE_TOKEN=$(openssl rand -hex 16) mtrace collect --listen tcp://0.0.0.0:7070 -o traces",
		Setup: func(flags *pflag.FlagSet) func(cli.Stdio, []string) error {
			var c collect
			flags.StringSliceVar(&c.listen, "listen", nil,
				"listen on this `ADDRESS`: tcp://HOST:PORT for mtrace run --collector on other machines, "+
					"or unix:PATH for processes of this machine that have MTRACE_SOCKET=PATH and preload the library")
			flags.StringVarP(&c.dir, "output", "o", "",
				"write the traces into this `FOLDER`; "+
					"traces that a lost connection cut short are continued when their senders connect again")
			return func(std cli.Stdio, args []string) error { return c.run(std, args) }
		},
	}
}

type collect struct {
	listen []string
	dir    string
}

// A station is one listening address of `mtrace collect`: a unix socket, or a TCP port for other machines.
type station interface {
	address() string
	serve(context.Context) error
	finish() error
}

func (c *collect) run(std cli.Stdio, args []string) error {
	switch {
	case len(args) > 0:
		return cli.UsageError("unexpected argument %q: mtrace collect --listen ADDRESS -o DIR", args[0])
	case len(c.listen) == 0:
		return cli.UsageError("the address is missing: --listen unix:PATH or --listen tcp://HOST:PORT")
	case c.dir == "":
		return cli.UsageError("no folder for the traces: -o DIR")
	}
	if err := os.MkdirAll(c.dir, 0o777); err != nil {
		return cli.AsStatus(err)
	}
	log := newLineQueue(std.Err)
	defer log.close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	// SIGPIPE must not end the collector: whoever reads its output may end first, while programs are still being
	// recorded
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	var stations []station
	for _, text := range c.listen {
		s, err := c.open(std, log, text)
		if err != nil {
			for _, opened := range stations {
				opened.finish()
			}
			return cli.AsStatus(err)
		}
		stations = append(stations, s)
		fmt.Fprintf(log, "mtrace collect: listening on %s\n", s.address())
	}
	return cli.AsStatus(serveAll(ctx, stations))
}

// serveAll serves all stations until ctx is done or one of them fails. Then it completes all traces and returns the
// errors.
func serveAll(ctx context.Context, stations []station) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	failures := make([]error, len(stations))
	var serving sync.WaitGroup
	for i, s := range stations {
		serving.Go(func() {
			defer stop()
			if err := s.serve(ctx); err != nil && !errors.Is(err, context.Canceled) {
				failures[i] = fmt.Errorf("%s: %w", s.address(), err)
			}
		})
	}
	serving.Wait()
	for i, s := range stations {
		if err := s.finish(); err != nil && failures[i] == nil {
			failures[i] = fmt.Errorf("%s: %w", s.address(), err)
		}
	}
	return errors.Join(failures...)
}

func (c *collect) open(std cli.Stdio, lines *lineQueue, text string) (station, error) {
	network, address, err := relay.ParseAddress(text)
	if err != nil {
		return nil, err
	}
	log := zerolog.New(zerolog.ConsoleWriter{Out: analyze.SafeText(lines, true), NoColor: !cli.Colour(std.Err),
		TimeFormat: time.TimeOnly}).With().Timestamp().Logger().Level(zerolog.WarnLevel)
	if network == "unix" {
		return newLocalStation(std, lines, log, c.dir, address)
	}
	return newRemoteStation(std, lines, log, c.dir, address)
}

// A localStation records all processes of this machine that connect to its socket, into one trace.
type localStation struct {
	*collector.Collector
	std  cli.Stdio
	says io.Writer // lines for the user
	file *cli.Unfinished
	name string     // name of the trace, without the suffix that makes it unique
	full chan error // receives the reason why the trace can no longer be written
}

func newLocalStation(std cli.Stdio, says io.Writer, log zerolog.Logger, dir, socket string) (station, error) {
	host, _ := os.Hostname()
	now := time.Now()
	name := fmt.Sprintf("collected-%s-%d", now.UTC().Format("20060102T150405Z"), os.Getpid())
	file, err := cli.BeginUnnamed(dir, name)
	if err == nil {
		err = file.NameAfter(name) // each socket has its own trace: a second one gets a number
	}
	var writer *tracefile.Writer
	if err == nil {
		writer, err = tracefile.NewWriter(file, tracefile.Info{Tool: cli.ToolVersion(), Host: host, OS: cli.SystemName(),
			Arch: cli.MachineName(), Started: now.UnixNano(),
			Processors: runtime.NumCPU()})
	}
	if err != nil {
		if file != nil {
			file.Discard()
		}
		return nil, fmt.Errorf("cannot write the trace: %w", err)
	}
	full := make(chan error, 1)
	c, err := collector.New(collector.Options{Path: socket, Writer: writer, Log: log,
		Failed: func(err error) { full <- err }})
	if err != nil {
		writer.Close(tracefile.Result{})
		file.Discard()
		return nil, err
	}
	return &localStation{c, std, says, file, name, full}, nil
}

func (s *localStation) address() string { return "unix:" + s.Collector.Address() }

// serve records until ctx is done or the trace can no longer be written (a full disk). It then ends with an error:
// otherwise a collector that runs for days would silently lose everything.
func (s *localStation) serve(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-s.full: // Close says why
			stop()
		case <-ctx.Done():
		}
	}()
	return s.Collector.Serve(ctx)
}

func (s *localStation) finish() error {
	result, err := s.Collector.Close()
	if result.Processes == 0 && err == nil {
		fmt.Fprintln(s.says, "mtrace collect: no process connected, so no trace was written")
		s.file.Discard()
		return nil
	}
	path, named := s.file.FinishNumbered(s.name)
	err = errors.Join(err, named)
	fmt.Fprintln(s.std.Out, path)
	if err != nil {
		fmt.Fprintf(s.says, "mtrace collect: %d processes, %d events seen, but the trace lacks some: "+
			"mtrace report says how many\n", result.Processes, result.Events)
	} else {
		fmt.Fprintf(s.says, "mtrace collect: %d processes, %d events, %d lost\n", result.Processes, result.Events,
			result.Lost)
	}
	for _, w := range result.Warnings {
		fmt.Fprintln(s.says, "mtrace collect: "+w)
	}
	return err
}

// A remoteStation receives traces that `mtrace run --collector` sends from other machines, each into its own file.
type remoteStation struct {
	*relay.Receiver
}

func newRemoteStation(std cli.Stdio, says io.Writer, log zerolog.Logger, dir, address string) (station, error) {
	token := os.Getenv(tokenVariable)
	made := token == ""
	if made {
		token = relay.NewToken()
	}
	var printing sync.Mutex
	r, err := relay.NewReceiver(relay.ReceiverOptions{Address: address, Token: token, Dir: dir, Log: log,
		Received: func(path string, whole bool) {
			printing.Lock()
			defer printing.Unlock()
			fmt.Fprintln(std.Out, path)
		}})
	if err != nil {
		return nil, err
	}
	if made {
		host, port, err := net.SplitHostPort(r.Address())
		if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
			if host, err = os.Hostname(); err != nil {
				host = "HOST"
			}
		}
		what := "mtrace collect: a token was generated for this run; on the other machines start programs with:"
		if !term.IsTerminal(int(std.Err.Fd())) {
			what = "mtrace collect: set " + tokenVariable + " next time to keep the token out of this log; " +
				"on the other machines start programs with:"
		}
		fmt.Fprintf(says, "%s %s=%s mtrace run --collector tcp://%s -- CMD\n", what, tokenVariable, token,
			net.JoinHostPort(host, port))
	}
	return &remoteStation{r}, nil
}

func (s *remoteStation) address() string                 { return "tcp://" + s.Receiver.Address() }
func (s *remoteStation) serve(ctx context.Context) error { return s.Receiver.Serve(ctx) }
func (s *remoteStation) finish() error                   { return s.Receiver.Close() }
