package record

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/rs/zerolog"

	"mtrace/analyze"
	"mtrace/cmd/mtrace/internal/cli"
	"mtrace/collector"
	"mtrace/collector/tracefile"
	"mtrace/collector/wire"
)

// A session is the recording of one run: its collector, the trace it writes, and the observers of arriving records.
type session struct {
	path      string          // path of the trace; empty if it is not a local file
	file      *cli.Unfinished // nil if the trace is sent to another machine
	base      string          // beginning of the trace's name if the user gave no name
	force     bool            // replace an existing file with the trace's name
	follow    bool            // record the program's children
	recording Recording
	witness   *witness
	inside    *insideWatch
	hang      *hangWatch
	guarded   []string               // the crash guard's messages; "" for none
	shown     []interface{ close() } // live views of the recording
	program   chan struct{}          // closed when pid is known
	pid       int                    // process id of the program; 0 if it was never started
	token     wire.Token             // in the environment of its processes
	// livedOn are processes without Metal calls that still ran when the recording ended
	livedOn   []tracefile.Living
	warnings  []string // warnings of the collector; complete when it has ended
	whole     bool     // the trace was written completely, and has its final name
	window    *collector.Window
	writer    *tracefile.Writer
	remote    *remoteTrace // the destination of the writer; nil if that is a file
	collector *collector.Collector
	serving   chan error
	onAll     func() // lets Go use all processors again
	stop      context.CancelFunc
}

// newSession creates the trace and starts the collector. The program must be started afterwards, because its library
// connects at once.
func newSession(std cli.Stdio, o RunOptions, command []string, view *liveView) (*session, error) {
	s := &session{base: filepath.Base(command[0]), force: o.Force, follow: o.Follow, recording: o.Recording,
		token:   wire.NewToken(),
		witness: newWitness(), inside: newInsideWatch(), hang: newHangWatch(o.hangAfter), window: o.window.window()}
	host, _ := os.Hostname()
	err := s.create(o, tracefile.Info{
		Tool: cli.ToolVersion(), Command: command, Host: host, OS: cli.SystemName(), Arch: cli.MachineName(),
		Started: time.Now().UnixNano(), Processors: runtime.NumCPU(), Asked: o.window.less(),
		Selected: o.selection.selection.Asked(),
	})
	if err != nil {
		return nil, err
	}
	s.onAll = onOneProcessor()
	lines := zerolog.ConsoleWriter{Out: analyze.SafeText(view.std.Err, false), NoColor: true, TimeFormat: time.TimeOnly}
	log := zerolog.New(lines).Level(zerolog.ErrorLevel).With().Timestamp().Logger()
	options := collector.Options{Writer: s.writer, Token: s.token, Log: log,
		Observer: s.observe(o, view), Accept: s.accept(o), Window: s.window, Selection: o.selection.selection,
		Behind: s.onAll}
	if view.watcher != nil {
		options.Watch, options.Failed = view.watcher.Look, view.watcher.Fail
	}
	if s.collector, err = collector.New(options); err != nil {
		s.abandon()
		return nil, err
	}
	ctx, stop := context.WithCancel(context.Background())
	s.stop = stop
	s.serving = make(chan error, 1)
	go func() { s.serving <- s.collector.Serve(ctx) }()
	return s, nil
}

// observe returns the observers that the flags ask for; each gets all arriving records.
func (s *session) observe(o RunOptions, view *liveView) collector.Observer {
	all := observers{s.witness, s.inside}
	if o.experiment != nil {
		all = append(all, o.experiment.sights)
	}
	if o.hangAfter > 0 {
		all = append(all, s.hang)
	}
	if o.log {
		log := newCallLog(view.std.Err)
		s.shown = append(s.shown, log)
		all = append(all, log)
	}
	if view.watcher != nil {
		all = append(all, view.watcher)
	}
	return all
}

// accept returns a function that decides whether a connecting process is recorded: without --follow-children only
// the program itself is. A nil function accepts all processes.
func (s *session) accept(o RunOptions) func(wire.Hello) bool {
	s.program = make(chan struct{})
	if o.Follow {
		return nil
	}
	return func(h wire.Hello) bool {
		<-s.program // the program may connect before its id is known here
		return h.PID == s.pid
	}
}

// started sets the program's process id, 0 if it could not be started. A trace that the user did not name gets the id
// in its name.
func (s *session) started(pid int) {
	s.pid = pid
	close(s.program)
	if s.remote != nil && pid != 0 {
		s.remote.Start()
	}
	if s.unnamed() && pid != 0 {
		s.base += "-" + strconv.Itoa(pid)
		s.file.NameAfter(s.base) // if this fails, the following steps fail too and report it
		s.path = s.file.Path
	}
}

// unnamed reports whether mtrace chooses the trace's name, because the user gave none.
func (s *session) unnamed() bool { return s.file != nil && s.base != "" }

// environment returns the program's environment: mtrace's own with the library's settings, and the software Metal if
// this machine has no other.
func (s *session) environment() []string {
	return cli.WithSoftwareMetal(slices.Concat(os.Environ(), s.recording.environment(), s.collector.Environment()))
}

// finish ends the recording after the program has ended, and gives the trace its final name. It returns an error if
// the trace is incomplete.
func (s *session) finish(program *child, ended syscall.WaitStatus) error {
	s.onAll()
	s.collector.ProcessExited(program.pid(), ended, program.cpu())
	s.collector.LivedOn(s.livingAtEnd())
	result, err := s.collector.Close()
	s.warnings, s.livedOn = result.Warnings, result.LivedOn
	if len(s.livedOn) > 0 {
		s.warnings = append(s.warnings, analyze.LivedOn(s.livedOn))
	}
	for _, shown := range s.shown {
		shown.close()
	}
	s.stop()
	if serveErr := <-s.serving; err == nil && !errors.Is(serveErr, context.Canceled) {
		err = serveErr
	}
	err = errors.Join(err, s.name())
	s.whole = err == nil
	return err
}

// name gives the complete trace its final name.
func (s *session) name() (err error) {
	switch {
	case s.unnamed():
		s.path, err = s.file.FinishNumbered(s.base)
	case s.file != nil:
		s.path, err = s.file.Finish(s.force)
	}
	return err
}

// abandon removes the trace and the collector of a program that could not be started.
func (s *session) abandon() {
	s.onAll()
	if s.collector != nil {
		s.started(0)
		s.collector.Close()
		s.stop()
	} else {
		s.writer.Close(tracefile.Result{})
	}
	if s.file != nil {
		s.file.Discard()
	}
	if s.remote != nil {
		s.remote.Discard()
	}
}
